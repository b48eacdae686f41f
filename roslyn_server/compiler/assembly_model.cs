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
        private readonly CSharpParseOptions _options;
        private readonly CommandLineReference[] _references;
        private readonly string[] _referencePaths;
        private readonly Dictionary<string, Source> _trees = new Dictionary<string, Source>(Files.Paths);
        private readonly Dictionary<string, AssemblyModel> _inMemory =
            new Dictionary<string, AssemblyModel>(StringComparer.Ordinal);
        private string[] _sources;
        private CSharpCompilation _compilation;
        private CompilationReference _reference;
        private Source _edited; // as it is on disk, while its tree is another

        private AssemblyModel(CSharpCommandLineArguments arguments, string folder)
        {
            _options = arguments.ParseOptions.WithDocumentationMode(DocumentationMode.None);
            _references = arguments.MetadataReferences.ToArray();
            _referencePaths = _references.Select(
                each => Path.GetFullPath(Path.Combine(folder, each.Reference))).ToArray();
            _sources = arguments.SourceFiles.Select(each => Path.GetFullPath(each.Path)).ToArray();
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

        /// <summary>The references that aren't there any more, in-memory ones aside.</summary>
        public string[] MissingReferences() => _referencePaths
            .Where(path => !_inMemory.ContainsKey(Libraries.NameOf(path)) && !File.Exists(path)).ToArray();

        /// <summary>
        /// What it is made of now: its sources, in the order in which they are compiled; and other
        /// assemblies, by name, that stand for libraries that are older than their sources.
        /// </summary>
        public void Consist(string[] sources, string[] names, AssemblyModel[] models)
        {
            _sources = sources.Select(Path.GetFullPath).Distinct(Files.Paths).ToArray();
            _inMemory.Clear();
            for (var index = 0; index < names.Length; index++) _inMemory[names[index]] = models[index];
        }

        /// <summary>
        /// What is wrong with one source, with its text and those of other sources replaced, its
        /// syntax aside; and what that text makes wrong in other sources. Throws if the source isn't
        /// one of the assembly's.
        /// </summary>
        public Meaning Judge(
            string path, string text, string[] openPaths, string[] openTexts, CancellationToken token)
        {
            path = Path.GetFullPath(path);
            if (!_sources.Contains(path, Files.Paths))
                throw new ArgumentException($"{path} isn't compiled here");
            var open = new Dictionary<string, string>(Files.Paths);
            for (var index = 0; index < openPaths.Length; index++)
                open[Path.GetFullPath(openPaths[index])] = openTexts[index];
            open[path] = text;
            Refresh(open, token);
            _edited = Source.OnDisk(_edited?.Tree.FilePath == path ? _edited : null, path, _options, token);
            var before = _edited?.Tree;
            var tree = _trees[path].Tree;
            var meaning = new Meaning(text);
            meaning.ChangesInactiveCode = InactiveCode.Of(before, token) != InactiveCode.Of(tree, token);
            if (Nesting.FindTooDeep(tree, meaning.Own, token)) return meaning;
            var ofSyntax = new HashSet<(string, TextSpan)>(
                tree.GetDiagnostics(token).Select(each => (each.Id, each.Location.SourceSpan)));
            foreach (var each in _compilation.GetSemanticModel(tree).GetDiagnostics(null, token))
                if (!ofSyntax.Contains((each.Id, each.Location.SourceSpan))) meaning.Own.Add(each);
            var others = _sources.Where(each => !Files.Paths.Equals(each, path) && _trees.ContainsKey(each))
                .Select(each => _trees[each].Tree);
            new Concern(_compilation, before, tree).Judge(others, meaning, token);
            return meaning;
        }

        // Bring references and trees in step with the disk and the open texts: what has changed is
        // read anew, and nothing else.
        private void Refresh(Dictionary<string, string> open, CancellationToken token)
        {
            RefreshReferences(token);
            var changed = new ConcurrentDictionary<string, Source>(Files.Paths);
            try
            {
                Parallel.ForEach(_sources, new ParallelOptions { CancellationToken = token }, path =>
                {
                    _trees.TryGetValue(path, out var known);
                    var source = open.TryGetValue(path, out var text)
                        ? Source.Of(text, known, path, _options, token)
                        : Source.OnDisk(known, path, _options, token);
                    if (source != known) changed[path] = source;
                });
            }
            finally
            {
                // Also when it was cancelled: what was read need not be read again.
                Take(changed);
            }
        }

        // The trees stay in the order of the sources, whichever was read first: of two declarations
        // of one name, it is the second that is wrong.
        private void Take(IReadOnlyDictionary<string, Source> changed)
        {
            var gone = _trees.Keys.Except(_sources, Files.Paths).ToArray();
            foreach (var path in gone) _trees.Remove(path);
            var isSameSet = gone.Length == 0;
            foreach (var pair in changed)
            {
                _trees.TryGetValue(pair.Key, out var known);
                isSameSet &= known != null && pair.Value != null;
                if (isSameSet)
                    _compilation = _compilation.ReplaceSyntaxTree(known.Tree, pair.Value.Tree);
                if (pair.Value == null) _trees.Remove(pair.Key);
                else _trees[pair.Key] = pair.Value;
            }
            var trees = _sources.Where(_trees.ContainsKey).Select(path => _trees[path].Tree);
            if (!isSameSet || !_compilation.SyntaxTrees.SequenceEqual(trees))
                _compilation = _compilation.RemoveAllSyntaxTrees().AddSyntaxTrees(trees);
        }

        private void RefreshReferences(CancellationToken token)
        {
            var references = new MetadataReference[_references.Length];
            for (var index = 0; index < references.Length; index++)
            {
                var path = _referencePaths[index];
                var reference = _inMemory.TryGetValue(Libraries.NameOf(path), out var model)
                    ? model.Reference(token) : Libraries.Reference(path);
                var properties = _references[index].Properties;
                references[index] = properties.Equals(MetadataReferenceProperties.Assembly)
                    ? reference : reference.WithProperties(properties);
            }
            var same = _compilation.References.SequenceEqual(references);
            if (!same) _compilation = _compilation.WithReferences(references);
        }

        // The assembly as it is on disk, for those that refer to it.
        private MetadataReference Reference(CancellationToken token)
        {
            Refresh(new Dictionary<string, string>(Files.Paths), token);
            if (_reference?.Compilation != _compilation)
                _reference = _compilation.ToMetadataReference();
            return _reference;
        }
    }
}
