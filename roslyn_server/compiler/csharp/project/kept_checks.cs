// What a check found, kept in files for the next process: one file for each assembly.
//
// A file is believed if this user's key signed it, and if it is about just what the assembly is compiled from.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Security.Cryptography;
using System.Text;
using Microsoft.CodeAnalysis;

namespace RoslynServer
{
    /// <summary>What was found of one assembly.</summary>
    internal sealed class KeptCheck
    {
        private MetadataReference _reference;

        /// <summary>Whether analyzers were asked for warnings.</summary>
        public bool AreOfWarnings;

        /// <summary>Errors and warnings, as rows.</summary>
        public (bool IsError, string Row)[] Found;

        /// <summary>The error that kept the compiler from going further; <c>null</c> if none did.</summary>
        public string Halted;

        public int Scripts;

        /// <summary>As <see cref="ProjectAnswer.UnreadCode"/> and <see cref="ProjectAnswer.NewerFlow"/> have it.</summary>
        public string[] Unread;
        public string[] NewerFlow;

        /// <summary>What other assemblies see of it; <c>null</c> if none refers to it, or it has errors.</summary>
        public byte[] Image;

        public bool HasErrors => Found.Any(each => each.IsError);

        public MetadataReference Reference() =>
            Image == null ? null : _reference ??= Libraries.OfImage(Image, null);

        public void Write(BinaryWriter to)
        {
            to.Write(Found.Length);
            foreach (var (isError, row) in Found)
            {
                to.Write(isError);
                to.Write(row);
            }
            to.Write(Halted != null);
            if (Halted != null) to.Write(Halted);
            to.Write(Scripts);
            Write(to, Unread);
            Write(to, NewerFlow);
            to.Write(Image?.Length ?? -1);
            if (Image != null) to.Write(Image);
        }

        public static KeptCheck Read(BinaryReader from)
        {
            var found = new (bool, string)[from.ReadInt32()];
            for (var index = 0; index < found.Length; index++) found[index] = (from.ReadBoolean(), from.ReadString());
            var kept = new KeptCheck
            {
                Found = found,
                Halted = from.ReadBoolean() ? from.ReadString() : null,
                Scripts = from.ReadInt32(),
                Unread = Texts(from),
                NewerFlow = Texts(from),
            };
            var length = from.ReadInt32();
            if (length >= 0) kept.Image = from.ReadBytes(length);
            return kept;
        }

        private static void Write(BinaryWriter to, string[] texts)
        {
            to.Write(texts.Length);
            foreach (var each in texts) to.Write(each);
        }

        private static string[] Texts(BinaryReader from)
        {
            var texts = new string[from.ReadInt32()];
            for (var index = 0; index < texts.Length; index++) texts[index] = from.ReadString();
            return texts;
        }
    }

    /// <summary>The files in one folder. What can't be read isn't there; what can't be written is let be.</summary>
    internal sealed class KeptChecks
    {
        private const int MaxBytes = 8 * 1024 * 1024;
        private const long MaxTotalBytes = 96L * 1024 * 1024;
        private const int HashBytes = 32;
        private const string Suffix = ".kept";
        private static readonly TimeSpan Abandoned = TimeSpan.FromHours(1);

        private readonly string _folder;
        private readonly byte[] _secret;

        public KeptChecks(string folder, string secret) =>
            (_folder, _secret) = (folder, Encoding.UTF8.GetBytes(secret));

        /// <summary>What was found of an assembly that was compiled from just that; <c>null</c> if nothing is kept.</summary>
        public KeptCheck Read(string assembly, bool warnings, byte[] of)
        {
            try
            {
                var path = PathOf(assembly, warnings);
                var file = new FileInfo(path);
                if (!file.Exists || file.Length > MaxBytes || file.Length < 2 * HashBytes) return null;
                var content = File.ReadAllBytes(path);
                var body = content.Length - HashBytes;
                if (!content.AsSpan(0, HashBytes).SequenceEqual(of)) return null;
                if (!CryptographicOperations.FixedTimeEquals(Signature(content, body), content.AsSpan(body))) return null;
                using var reader = new BinaryReader(new MemoryStream(content, HashBytes, body - HashBytes));
                var kept = KeptCheck.Read(reader);
                kept.AreOfWarnings = warnings;
                return kept;
            }
            catch (Exception error) when (error is IOException || error is UnauthorizedAccessException)
            {
                return null;
            }
        }

        public void Write(string assembly, byte[] of, KeptCheck check)
        {
            using var stream = new MemoryStream();
            using var writer = new BinaryWriter(stream);
            writer.Write(of);
            check.Write(writer);
            writer.Flush();
            writer.Write(Signature(stream.GetBuffer(), (int)stream.Length));
            writer.Flush();
            if (stream.Length > MaxBytes) return;
            var path = PathOf(assembly, check.AreOfWarnings);
            var made = Path.Combine(_folder, $".{Guid.NewGuid():N}");
            try
            {
                using (var file = new FileStream(made, FileMode.CreateNew)) stream.WriteTo(file);
                File.Move(made, path, overwrite: true);
            }
            catch (Exception error) when (error is IOException || error is UnauthorizedAccessException)
            {
                Remove(made);
            }
        }

        /// <summary>Remove what is about other assemblies than these, and all if it has become too much.</summary>
        public void Trim(IEnumerable<string> assemblies)
        {
            var wanted = new HashSet<string>(
                assemblies.SelectMany(each => new[] { PathOf(each, false), PathOf(each, true) }), StringComparer.Ordinal);
            try
            {
                var total = 0L;
                foreach (var file in new DirectoryInfo(_folder).GetFiles())
                {
                    var isAbandoned = file.Name.StartsWith(".", StringComparison.Ordinal)
                        && DateTime.UtcNow - file.LastWriteTimeUtc > Abandoned;
                    if (isAbandoned || file.Extension == Suffix && !wanted.Contains(file.FullName)) Remove(file.FullName);
                    else if ((total += file.Length) > MaxTotalBytes) Remove(file.FullName);
                }
            }
            catch (Exception error) when (error is IOException || error is UnauthorizedAccessException)
            {
                // the next check tries again
            }
        }

        private string PathOf(string assembly, bool warnings)
        {
            using var hash = SHA256.Create();
            var name = BitConverter.ToString(hash.ComputeHash(Encoding.UTF8.GetBytes(assembly)), 0, 16).Replace("-", "");
            return Path.Combine(_folder, name + (warnings ? "w" : "") + Suffix);
        }

        private byte[] Signature(byte[] content, int length)
        {
            using var hash = new HMACSHA256(_secret);
            return hash.ComputeHash(content, 0, length);
        }

        private static void Remove(string path)
        {
            try
            {
                File.Delete(path);
            }
            catch (Exception error) when (error is IOException || error is UnauthorizedAccessException)
            {
                // somebody else's, or gone
            }
        }
    }
}
