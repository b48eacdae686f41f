// Read what a library was compiled from, in the compiler's notes next to it: each script's hash,
// symbols, references.
//
// File times don't show that: scripts from archives and checkouts may be older than any build.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;
using System.Security.Cryptography;
using System.Text;

namespace RoslynServer
{
    /// <summary>The notes on one library; read once, and never changed.</summary>
    internal sealed class BuiltLibrary
    {
        private static readonly Guid Sha1 = new Guid("ff1816ec-aa5e-4d10-87f7-6f4963833460");
        private static readonly Guid Sha256 = new Guid("8829d00f-11b8-4213-878b-770e8597ac16");
        private static readonly Guid Options = new Guid("b5feec05-8cd0-4a83-96da-466284bb4bd8");
        private static readonly Guid References = new Guid("7e4d4708-096e-4c5c-aeda-cb10ba6a740d");

        // A script that declares no type has no notes, so it isn't among them.
        private readonly HashSet<(string Name, string Hash)> _scripts = new HashSet<(string, string)>();
        private readonly Dictionary<string, Guid> _references =
            new Dictionary<string, Guid>(StringComparer.OrdinalIgnoreCase);

        private bool _isOfSha1;
        private string[] _symbols;

        private BuiltLibrary()
        {
        }

        /// <summary>
        /// The paths of a library's notes, and of the library with code that they describe.
        /// </summary>
        public static (string Notes, string Code) Beside(string library)
        {
            var start = Path.Combine(Path.GetDirectoryName(library), Libraries.NameOf(library));
            return (start + ".pdb", start + ".dll");
        }

        /// <summary>
        /// Reads the notes on a library; <c>null</c> if there are none, or they describe another
        /// one.
        /// </summary>
        public static BuiltLibrary Of(string library)
        {
            var (notes, code) = Beside(library);
            try
            {
                if (!File.Exists(library) || !File.Exists(notes) || !File.Exists(code)) return null;
                using var provider = MetadataReaderProvider.FromPortablePdbImage(
                    System.Collections.Immutable.ImmutableArray.Create(File.ReadAllBytes(notes)));
                var reader = provider.GetMetadataReader();
                return new BlobContentId(reader.DebugMetadataHeader.Id).Guid == DebugId(code) ? Read(reader) : null;
            }
            catch (Exception error) when (error is BadImageFormatException || error is IOException
                || error is UnauthorizedAccessException || error is InvalidOperationException)
            {
                return null; // of whichever kind it is, it isn't known
            }
        }

        /// <summary>
        /// Whether it was compiled from exactly these scripts, under exactly these symbols.
        /// </summary>
        public bool IsOf(IEnumerable<string> scripts, IEnumerable<string> symbols)
        {
            if (_symbols == null || !_symbols.ToHashSet().SetEquals(symbols)) return false;
            using var hash = _isOfSha1 ? (HashAlgorithm)SHA1.Create() : SHA256.Create();
            foreach (var path in scripts)
            {
                if (!File.Exists(path)) return false;
                var digest = BitConverter.ToString(hash.ComputeHash(File.ReadAllBytes(path)));
                if (!_scripts.Contains((Path.GetFileName(path), digest))) return false;
            }
            return true;
        }

        /// <summary>Whether it was compiled with the present version of that library.</summary>
        public bool IsWith(string library)
        {
            using var file = new PEReader(File.OpenRead(library));
            var reader = file.GetMetadataReader();
            return _references.TryGetValue(Path.GetFileName(library), out var id)
                && id == reader.GetGuid(reader.GetModuleDefinition().Mvid);
        }

        private static Guid? DebugId(string code)
        {
            using var file = new PEReader(File.OpenRead(code));
            foreach (var each in file.ReadDebugDirectory())
                if (each.Type == DebugDirectoryEntryType.CodeView)
                    return file.ReadCodeViewDebugDirectoryData(each).Guid;
            return null;
        }

        private static BuiltLibrary Read(MetadataReader reader)
        {
            var read = new BuiltLibrary();
            foreach (var document in reader.Documents.Select(reader.GetDocument))
            {
                var algorithm = reader.GetGuid(document.HashAlgorithm);
                if (algorithm != Sha1 && algorithm != Sha256) continue;
                read._isOfSha1 = algorithm == Sha1;
                var path = reader.GetString(document.Name).Replace('\\', '/');
                read._scripts.Add((path.Substring(path.LastIndexOf('/') + 1),
                    BitConverter.ToString(reader.GetBlobBytes(document.Hash))));
            }
            foreach (var each in reader.GetCustomDebugInformation(EntityHandle.ModuleDefinition)
                .Select(reader.GetCustomDebugInformation))
            {
                var kind = reader.GetGuid(each.Kind);
                if (kind == Options) read.TakeOptions(reader.GetBlobReader(each.Value));
                if (kind == References) read.TakeReferences(reader.GetBlobReader(each.Value));
            }
            return read;
        }

        private void TakeOptions(BlobReader blob)
        {
            _symbols = Array.Empty<string>();
            while (blob.RemainingBytes > 0)
            {
                var (name, value) = (Text(ref blob), Text(ref blob));
                if (name == "define") _symbols = value.Split(',');
            }
        }

        // Name, aliases, flags, time, size, and the module's own id.
        private void TakeReferences(BlobReader blob)
        {
            while (blob.RemainingBytes > 0)
            {
                var name = Text(ref blob);
                Text(ref blob);
                blob.Offset += sizeof(byte) + sizeof(int) + sizeof(int);
                _references[name] = blob.ReadGuid();
            }
        }

        private static string Text(ref BlobReader blob)
        {
            var length = blob.IndexOf(0);
            var text = Encoding.UTF8.GetString(blob.ReadBytes(length));
            blob.ReadByte();
            return text;
        }
    }
}
