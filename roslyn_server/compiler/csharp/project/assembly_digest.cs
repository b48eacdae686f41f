// What an assembly is compiled from, as one hash: two that are equal have the same errors.
//
// Everything counts by its content: a file's time and size can be those of another content.
using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Security.Cryptography;
using System.Text;
using System.Threading.Tasks;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace RoslynServer
{
    /// <summary>Takes up one input after another. Not for two threads at a time.</summary>
    internal sealed class AssemblyDigest : IDisposable
    {
        // Of a folder with more libraries it would take long.
        private const int MaxLibraries = 200;

        private static readonly Lazy<string> Compiler = new Lazy<string>(() => string.Join(
            " ", new[] { typeof(Compilation), typeof(CSharpCompilation), typeof(AssemblyDigest), typeof(object) }
                .Select(each => each.Module.ModuleVersionId)) + " " + Environment.Version);

        private readonly IncrementalHash _hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);

        /// <summary>A digest that has the compiler, its runtime and this code.</summary>
        public AssemblyDigest() => Add(Compiler.Value);

        public void Dispose() => _hash.Dispose();

        public byte[] Value() => _hash.GetHashAndReset();

        public AssemblyDigest Add(string text)
        {
            var bytes = Encoding.UTF8.GetBytes(text ?? "\0");
            _hash.AppendData(BitConverter.GetBytes(bytes.Length));
            _hash.AppendData(bytes);
            return this;
        }

        public AssemblyDigest Add(IEnumerable<string> texts)
        {
            var all = texts.ToList();
            Add(all.Count.ToString(CultureInfo.InvariantCulture));
            foreach (var each in all) Add(each);
            return this;
        }

        public AssemblyDigest Add(byte[] content)
        {
            _hash.AppendData(BitConverter.GetBytes(content.Length));
            _hash.AppendData(content);
            return this;
        }

        /// <summary>Take up what options come to, whatever options this version of Roslyn has.</summary>
        public AssemblyDigest AddOptions(object options)
        {
            foreach (var each in options.GetType().GetProperties(BindingFlags.Public | BindingFlags.Instance)
                .Where(each => each.GetIndexParameters().Length == 0)
                .OrderBy(each => each.Name, StringComparer.Ordinal))
                if (Words(each.GetValue(options)) is { } words) Add(each.Name).Add(words);
            return this;
        }

        private static IEnumerable<string> Words(object value)
        {
            switch (value)
            {
                case string text: return new[] { text };
                case IConvertible plain: return new[] { Convert.ToString(plain, CultureInfo.InvariantCulture) };
                case IEnumerable<string> texts: return texts;
                case ImmutableArray<byte> bytes:
                    return new[] { bytes.IsDefault ? "" : Convert.ToBase64String(bytes.ToArray()) };
                case IEnumerable<KeyValuePair<string, string>> pairs:
                    return pairs.OrderBy(each => each.Key, StringComparer.Ordinal)
                        .SelectMany(each => new[] { each.Key, each.Value });
                case IEnumerable<KeyValuePair<string, ReportDiagnostic>> pairs:
                    return pairs.OrderBy(each => each.Key, StringComparer.Ordinal)
                        .SelectMany(each => new[] { each.Key, each.Value.ToString() });
                default: return null; // resolvers and comparers, which are the same for all
            }
        }

        /// <summary>The hash of a file; empty if there is none. Throws if it can't be read.</summary>
        public static byte[] OfFile(string path)
        {
            try
            {
                using var file = new FileStream(
                    path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
                using var hash = SHA256.Create();
                return hash.ComputeHash(file);
            }
            catch (Exception error) when (error is FileNotFoundException || error is DirectoryNotFoundException)
            {
                return Array.Empty<byte>();
            }
        }

        /// <summary>The hashes of files, in their order.</summary>
        public static byte[][] OfFiles(IReadOnlyList<string> paths)
        {
            var found = new byte[paths.Count][];
            Parallel.For(0, found.Length, index => found[index] = OfFile(paths[index]));
            return found;
        }

        /// <summary>The libraries next to these; <c>null</c> if they are too many, or can't be listed.</summary>
        public static IReadOnlyList<string> NextTo(IEnumerable<string> libraries)
        {
            try
            {
                var found = libraries.Select(Path.GetDirectoryName).Distinct(Files.Paths).Where(Directory.Exists)
                    .SelectMany(each => Directory.EnumerateFiles(each, "*.dll")).Take(MaxLibraries + 1).ToList();
                return found.Count > MaxLibraries ? null : found;
            }
            catch (Exception error) when (error is IOException || error is UnauthorizedAccessException)
            {
                return null;
            }
        }

        /// <summary>The hash of these files, each by its path and its hash.</summary>
        public static byte[] OfGiven(IEnumerable<string> paths, Func<string, byte[]> hashOf)
        {
            using var digest = new AssemblyDigest();
            foreach (var path in paths.Distinct(Files.Paths).OrderBy(each => each, StringComparer.Ordinal))
                digest.Add(path).Add(hashOf(path));
            return digest.Value();
        }
    }
}
