// Read files as the compiler does: sources and libraries, each again only after it has changed.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Security.Cryptography;
using System.Text;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Text;

namespace RoslynServer
{
    internal static class Files
    {
        /// <summary>How this system compares paths.</summary>
        public static readonly StringComparer Paths = Path.DirectorySeparatorChar == '\\'
            ? StringComparer.OrdinalIgnoreCase : StringComparer.Ordinal;
    }

    /// <summary>Differs if a file's content has changed, as far as its folder shows.</summary>
    internal readonly struct Stamp : IEquatable<Stamp>
    {
        // A file that changed shortly before it was read may change again without a newer time.
        private static readonly long Unsettled = TimeSpan.FromSeconds(2).Ticks;

        private readonly long _ticks;
        private readonly long _length;
        private readonly bool _isSettled;

        private Stamp(long ticks, long length)
        {
            _ticks = ticks;
            _length = length;
            _isSettled = DateTime.UtcNow.Ticks - ticks > Unsettled;
        }

        public static Stamp Of(string path)
        {
            var file = new FileInfo(path);
            return file.Exists ? new Stamp(file.LastWriteTimeUtc.Ticks, file.Length) : new Stamp(0, -1);
        }

        /// <summary>Whether a file read with the other stamp is unchanged.</summary>
        public bool Holds(Stamp read) => read._isSettled && Equals(read);

        public bool Equals(Stamp other) => _ticks == other._ticks && _length == other._length;
    }

    /// <summary>A source's tree, and its origin: a given text, or a file at one moment.</summary>
    internal sealed class Source
    {
        // The same limit as in snippet_engine/source_text.py, whose caller names the script.
        private const long MaxBytes = 8 * 1024 * 1024;

        /// <summary>
        /// Marks the text of a file that isn't UTF-8: the compiler reads it in the machine's code
        /// page, so it may read another text.
        /// </summary>
        public static readonly Encoding Lenient = new UTF8Encoding();

        private static readonly Encoding Strict = new UTF8Encoding(false, throwOnInvalidBytes: true);

        private readonly string _text;
        private IReadOnlyList<string> _unread;
        private IReadOnlyList<(int, string)> _newerFlow;

        private Source(SyntaxTree tree, string text, bool isGenerated = false)
        {
            Tree = tree;
            IsGenerated = isGenerated;
            _text = text;
        }

        public SyntaxTree Tree { get; }

        /// <summary>The SHA-256 of the file that it was read from.</summary>
        public byte[] Hash => Tree.GetText().GetChecksum().ToArray();

        /// <summary>The conditions of the code that its symbols exclude, each once.</summary>
        public IReadOnlyList<string> Unread => _unread ??= InactiveCode.Conditions(Tree);

        /// <summary>Variables that older compilers don't see as assigned: line and name.</summary>
        public IReadOnlyList<(int Line, string Name)> NewerFlow => _newerFlow ??= RoslynServer.NewerFlow.In(Tree);

        /// <summary>
        /// Whether a generator made it, so that it isn't a script of the project.
        /// </summary>
        public bool IsGenerated { get; }

        /// <summary>Returns a generated source; the known one if it has that text.</summary>
        public static Source Made(
            SourceText text, Source known, string path, CSharpParseOptions options, CancellationToken token)
        {
            if (known?.IsGenerated == true && known.Tree.TryGetText(out var last) && last.ContentEquals(text))
                return known;
            return new Source(Host.Parse(text, options, path, token), null, isGenerated: true);
        }

        /// <summary>Returns the source with that text; the known one if it has that text.</summary>
        public static Source Of(
            string text, Source known, string path, CSharpParseOptions options, CancellationToken token)
        {
            if (known?._text == text) return known;
            return new Source(Host.Parse(SourceText.From(text), options, path, token), text);
        }

        /// <summary>
        /// Returns the source on disk, the known one if it has the same text; <c>null</c> if there
        /// is no file.
        /// </summary>
        public static Source OnDisk(
            Source known, string path, CSharpParseOptions options, CancellationToken token)
        {
            var text = Read(path);
            if (text == null) return null;
            return known != null && known._text == null && known.Tree.TryGetText(out var last)
                && last.ContentEquals(text) ? known : new Source(Host.Parse(text, options, path, token), null);
        }

        private static SourceText Read(string path)
        {
            try
            {
                using (var file = new FileStream(
                    path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete))
                {
                    if (file.Length > MaxBytes) throw new IOException($"{path} is too large");
                    try
                    {
                        return SourceText.From(file, Strict, SourceHashAlgorithm.Sha256);
                    }
                    catch (DecoderFallbackException)
                    {
                        file.Position = 0;
                        return SourceText.From(file, Lenient, SourceHashAlgorithm.Sha256);
                    }
                }
            }
            catch (Exception error) when (error is FileNotFoundException || error is DirectoryNotFoundException)
            {
                return null; // gone since it was looked at
            }
        }
    }

    /// <summary>Referenced libraries, each read once.</summary>
    internal static class Libraries
    {
        private static readonly ConcurrentDictionary<string, (Stamp, MetadataReference)> Read =
            new ConcurrentDictionary<string, (Stamp, MetadataReference)>(Files.Paths);

        private static readonly ConditionalWeakTable<MetadataReference, Image> Images =
            new ConditionalWeakTable<MetadataReference, Image>();

        /// <summary>Reads it again, even if its time and size are unchanged.</summary>
        public static void Doubt(string path)
        {
            if (Read.TryGetValue(path, out var read)) Read[path] = (default, read.Item2);
        }

        /// <summary>Returns the library that is on disk now.</summary>
        public static MetadataReference Reference(string path)
        {
            var stamp = Stamp.Of(path);
            if (Read.TryGetValue(path, out var read) && read.Item1.Equals(stamp)) return read.Item2;
            var library = OfImage(File.ReadAllBytes(path), path);
            // Compilations compare references by identity.
            if (read.Item2 != null && HashOf(read.Item2).AsSpan().SequenceEqual(HashOf(library))) library = read.Item2;
            Read[path] = (stamp, library);
            return library;
        }

        /// <summary>A library of these bytes; <c>null</c> for the path of one that isn't on disk.</summary>
        public static MetadataReference OfImage(byte[] bytes, string path)
        {
            var reference = MetadataReference.CreateFromImage(
                Unsafe.As<byte[], ImmutableArray<byte>>(ref bytes), filePath: path);
            Images.Add(reference, new Image(bytes));
            return reference;
        }

        /// <summary>The SHA-256 of what a library was read from.</summary>
        public static byte[] HashOf(MetadataReference reference)
        {
            Images.TryGetValue(reference, out var image);
            return image.Hash;
        }

        private sealed class Image
        {
            private readonly Lazy<byte[]> _hash;

            public Image(byte[] bytes) => _hash = new Lazy<byte[]>(() =>
            {
                using var hash = SHA256.Create();
                return hash.ComputeHash(bytes);
            });

            public byte[] Hash => _hash.Value;
        }

        /// <summary>Returns the assembly's name, <c>Game</c> for <c>…/Game.ref.dll</c>.</summary>
        public static string NameOf(string path)
        {
            var name = Path.GetFileNameWithoutExtension(path);
            return name.EndsWith(".ref", StringComparison.Ordinal)
                ? name.Substring(0, name.Length - ".ref".Length) : name;
        }
    }
}
