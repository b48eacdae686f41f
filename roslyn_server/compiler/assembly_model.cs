// One assembly of the project as the compiler sees it: its sources on disk, with some replaced by
// what an editor holds, against the references that it was last built with.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Text;

namespace RoslynServer
{
    /// <summary>Made from the compiler's own command line. Not for two threads at a time.</summary>
    public sealed class AssemblyModel
    {
        private static readonly ConcurrentDictionary<string, (Stamp, MetadataReference)> Read =
            new ConcurrentDictionary<string, (Stamp, MetadataReference)>();

        private static readonly StringComparer Paths = Path.DirectorySeparatorChar == '\\'
            ? StringComparer.OrdinalIgnoreCase : StringComparer.Ordinal;

        private readonly CSharpParseOptions _options;
        private readonly CommandLineReference[] _references;
        private readonly string[] _referencePaths;
        private readonly HashSet<string> _sources;
        private readonly Dictionary<string, Source> _trees = new Dictionary<string, Source>(Paths);
        private CSharpCompilation _compilation;

        private AssemblyModel(CSharpCommandLineArguments arguments, string folder)
        {
            _options = arguments.ParseOptions.WithDocumentationMode(DocumentationMode.None);
            _references = arguments.MetadataReferences.ToArray();
            _referencePaths = _references.Select(
                each => Path.GetFullPath(Path.Combine(folder, each.Reference))).ToArray();
            _sources = arguments.SourceFiles.Select(each => Path.GetFullPath(each.Path)).ToHashSet(Paths);
            _compilation = CSharpCompilation.Create(
                arguments.CompilationName ?? "assembly",
                options: arguments.CompilationOptions
                    .WithConcurrentBuild(false) // the pool's threads have little stack
                    .WithAssemblyIdentityComparer(DesktopAssemblyIdentityComparer.Default));
        }

        /// <summary>
        /// The assembly that these arguments compile, relative paths being relative to a folder.
        /// </summary>
        public static AssemblyModel Open(string[] arguments, string folder)
        {
            var parsed = CSharpCommandLineParser.Default.Parse(arguments, folder, null, null);
            return new AssemblyModel(parsed, folder);
        }

        /// <summary>The preprocessor symbols that it is compiled with.</summary>
        public string[] Symbols() => _options.PreprocessorSymbolNames.ToArray();

        /// <summary>The language version that it is compiled as.</summary>
        public string LanguageVersion() => _options.LanguageVersion.ToDisplayString();

        /// <summary>The references that aren't there any more.</summary>
        public string[] MissingReferences() =>
            _referencePaths.Where(path => !File.Exists(path)).ToArray();

        /// <summary>
        /// What is wrong with one source, with its text and those of other sources replaced. Its
        /// syntax aside, if that is wrong. Throws if the source isn't one of the assembly's.
        /// </summary>
        public string[] Diagnostics(
            string path, string text, string[] openPaths, string[] openTexts, CancellationToken token)
        {
            path = Path.GetFullPath(path);
            if (!_sources.Contains(path)) throw new ArgumentException($"{path} isn't compiled here");
            var open = new Dictionary<string, string>(Paths);
            for (var index = 0; index < openPaths.Length; index++)
                open[Path.GetFullPath(openPaths[index])] = openTexts[index];
            open[path] = text;
            Refresh(open, token);
            var tree = _trees[path].Tree;
            var found = new Findings(text);
            if (Nesting.FindTooDeep(tree, found, token)) return found.Rows();
            var ofSyntax = new HashSet<(string, TextSpan)>(
                tree.GetDiagnostics(token).Select(each => (each.Id, each.Location.SourceSpan)));
            foreach (var each in _compilation.GetSemanticModel(tree).GetDiagnostics(null, token))
                if (!ofSyntax.Contains((each.Id, each.Location.SourceSpan))) found.Add(each);
            return found.Rows();
        }

        // Bring references and trees in step with the disk and the open texts: what has changed is
        // read anew, and nothing else.
        private void Refresh(Dictionary<string, string> open, CancellationToken token)
        {
            RefreshReferences();
            var changed = new ConcurrentBag<(string, Source)>();
            try
            {
                Parallel.ForEach(_sources, new ParallelOptions { CancellationToken = token }, path =>
                {
                    _trees.TryGetValue(path, out var known);
                    var source = open.TryGetValue(path, out var text)
                        ? Source.Of(text, known, path, _options, token)
                        : Source.OnDisk(known, path, _options, token);
                    if (source != known) changed.Add((path, source));
                });
            }
            finally
            {
                // Also when it was cancelled: what was read need not be read again.
                Take(changed);
            }
        }

        private void Take(IEnumerable<(string, Source)> changed)
        {
            var added = new List<SyntaxTree>();
            var removed = new List<SyntaxTree>();
            foreach (var (path, source) in changed)
            {
                _trees.TryGetValue(path, out var known);
                if (source == null) removed.Add(known.Tree);
                else if (known == null) added.Add(source.Tree);
                else _compilation = _compilation.ReplaceSyntaxTree(known.Tree, source.Tree);
                if (source == null) _trees.Remove(path);
                else _trees[path] = source;
            }
            _compilation = _compilation.RemoveSyntaxTrees(removed).AddSyntaxTrees(added);
        }

        private void RefreshReferences()
        {
            var references = new MetadataReference[_references.Length];
            for (var index = 0; index < references.Length; index++)
            {
                var path = _referencePaths[index];
                var stamp = Stamp.Of(path);
                if (!Read.TryGetValue(path, out var read) || !read.Item1.Equals(stamp))
                    Read[path] = read = (stamp, MetadataReference.CreateFromFile(path));
                var properties = _references[index].Properties;
                references[index] = properties.Equals(MetadataReferenceProperties.Assembly)
                    ? read.Item2 : read.Item2.WithProperties(properties);
            }
            var same = _compilation.References.SequenceEqual(references);
            if (!same) _compilation = _compilation.WithReferences(references);
        }

        private readonly struct Stamp : IEquatable<Stamp>
        {
            private readonly long _ticks;
            private readonly long _length;

            private Stamp(long ticks, long length)
            {
                _ticks = ticks;
                _length = length;
            }

            public static Stamp Of(string path)
            {
                var file = new FileInfo(path);
                return file.Exists
                    ? new Stamp(file.LastWriteTimeUtc.Ticks, file.Length) : new Stamp(0, -1);
            }

            public bool IsOfNoFile => _length < 0;

            public bool Equals(Stamp other) => _ticks == other._ticks && _length == other._length;
        }

        // A source's tree, and what it was read from: an open text, or a file as it was.
        private sealed class Source
        {
            private readonly string _text;
            private readonly Stamp _stamp;

            private Source(SyntaxTree tree, string text, Stamp stamp)
            {
                Tree = tree;
                _text = text;
                _stamp = stamp;
            }

            public SyntaxTree Tree { get; }

            public static Source Of(
                string text, Source known, string path, CSharpParseOptions options,
                CancellationToken token)
            {
                if (known?._text == text) return known;
                var tree = Host.Parse(SourceText.From(text), options, path, token);
                return new Source(tree, text, default);
            }

            public static Source OnDisk(
                Source known, string path, CSharpParseOptions options, CancellationToken token)
            {
                var stamp = Stamp.Of(path);
                if (stamp.IsOfNoFile) return null;
                if (known != null && known._text == null && known._stamp.Equals(stamp)) return known;
                using (var file = new FileStream(
                    path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete))
                {
                    var tree = Host.Parse(SourceText.From(file), options, path, token);
                    return new Source(tree, null, stamp);
                }
            }
        }
    }
}
