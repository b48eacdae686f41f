// Files as the compiler reads them: sources and libraries, each read anew only once it has changed.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.IO;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Text;

namespace RoslynServer
{
    internal static class Files
    {
        /// <summary>How this system tells paths apart.</summary>
        public static readonly StringComparer Paths = Path.DirectorySeparatorChar == '\\'
            ? StringComparer.OrdinalIgnoreCase : StringComparer.Ordinal;
    }

    /// <summary>What tells one content of a file from another, as far as its folder shows.</summary>
    internal readonly struct Stamp : IEquatable<Stamp>
    {
        // A file that changed so shortly before it was read may change again without a newer time.
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

        public bool IsOfNoFile => _length < 0;

        /// <summary>Whether a file with the other stamp, which was read then, is as it was.</summary>
        public bool Holds(Stamp read) => read._isSettled && Equals(read);

        public bool Equals(Stamp other) => _ticks == other._ticks && _length == other._length;
    }

    /// <summary>A source's tree, and what it was read from: a given text, or a file as it was.</summary>
    internal sealed class Source
    {
        // That of snippet_engine/source_text.py; who is told finds by it which script it was.
        private const long MaxBytes = 8 * 1024 * 1024;

        private readonly string _text;
        private readonly Stamp _stamp;

        private Source(SyntaxTree tree, string text, Stamp stamp, bool isGenerated = false)
        {
            Tree = tree;
            IsGenerated = isGenerated;
            _text = text;
            _stamp = stamp;
        }

        public SyntaxTree Tree { get; }

        /// <summary>Whether a generator made it, so that it is no script of the project.</summary>
        public bool IsGenerated { get; }

        /// <summary>A source that a generator made; the known one if it has that text.</summary>
        public static Source Made(
            SourceText text, Source known, string path, CSharpParseOptions options, CancellationToken token)
        {
            if (known?.IsGenerated == true && known.Tree.TryGetText(out var last) && last.ContentEquals(text))
                return known;
            return new Source(Host.Parse(text, options, path, token), null, default, isGenerated: true);
        }

        /// <summary>The source with that text, which is the known one if it has it.</summary>
        public static Source Of(
            string text, Source known, string path, CSharpParseOptions options, CancellationToken token)
        {
            if (known?._text == text) return known;
            return new Source(Host.Parse(SourceText.From(text), options, path, token), text, default);
        }

        /// <summary>
        /// The source as it is on disk, with the known one's tree if that has its text; <c>null</c>
        /// where there is no file.
        /// </summary>
        public static Source OnDisk(
            Source known, string path, CSharpParseOptions options, CancellationToken token)
        {
            var stamp = Stamp.Of(path);
            if (stamp.IsOfNoFile) return null;
            var isOfFile = known != null && known._text == null;
            if (isOfFile && stamp.Holds(known._stamp)) return known;
            var text = Read(path);
            if (text == null) return null;
            // Touched, or written again as it was.
            if (isOfFile && known.Tree.TryGetText(out var last) && last.ContentEquals(text))
                return new Source(known.Tree, null, stamp);
            return new Source(Host.Parse(text, options, path, token), null, stamp);
        }

        private static SourceText Read(string path)
        {
            try
            {
                using (var file = new FileStream(
                    path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete))
                {
                    if (file.Length > MaxBytes) throw new IOException($"{path} is too large");
                    return SourceText.From(file);
                }
            }
            catch (Exception error) when (error is FileNotFoundException || error is DirectoryNotFoundException)
            {
                return null; // gone since it was looked at
            }
        }
    }

    /// <summary>Libraries that are referred to, each read once.</summary>
    internal static class Libraries
    {
        private static readonly ConcurrentDictionary<string, (Stamp, MetadataReference)> Read =
            new ConcurrentDictionary<string, (Stamp, MetadataReference)>(Files.Paths);

        /// <summary>The library as it is on disk now.</summary>
        public static MetadataReference Reference(string path)
        {
            var stamp = Stamp.Of(path);
            if (!Read.TryGetValue(path, out var read) || !read.Item1.Equals(stamp))
                Read[path] = read = (stamp, MetadataReference.CreateFromFile(path));
            return read.Item2;
        }

        /// <summary>The assembly's name, <c>Game</c> of <c>…/Game.ref.dll</c>.</summary>
        public static string NameOf(string path)
        {
            var name = Path.GetFileNameWithoutExtension(path);
            return name.EndsWith(".ref", StringComparison.Ordinal)
                ? name.Substring(0, name.Length - ".ref".Length) : name;
        }
    }
}
