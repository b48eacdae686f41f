// Judge scripts of assemblies with unknown references: find errors that don't depend on what names
// mean.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace RoslynServer
{
    /// <summary>
    /// Judges scripts without references. Reads the disk again at each question. Not thread-safe.
    /// </summary>
    public sealed class TextsAlone
    {
        // Errors about names that are already declared, whatever they mean.
        private static readonly string[] OfNames = { "CS0101", "CS0102", "CS0260" };

        // An `#error` is usually written under symbols that aren't known to be defined.
        internal const string Stated = "CS1029";

        private readonly Dictionary<string, AloneAssembly> _assemblies =
            new Dictionary<string, AloneAssembly>(StringComparer.Ordinal);

        /// <summary>
        /// Returns the errors of an assembly's sources on disk that no reference can cure. The
        /// command sets their language version and symbols; <c>areSymbolsKnown</c> says whether
        /// these are a build's own.
        /// </summary>
        public ProjectAnswer Check(
            string name, string[] command, string stamp, string folder, string[] sources,
            bool areSymbolsKnown, CancellationToken token)
        {
            var identity = string.Join("\n", command.Append(stamp).Append(folder));
            if (!_assemblies.TryGetValue(name, out var known) || known.Identity != identity)
                known = _assemblies[name] = new AloneAssembly(identity, command, folder);
            var answer = new ProjectAnswer { Files = sources.Length };
            var paths = sources.Select(each => System.IO.Path.GetFullPath(System.IO.Path.Combine(folder, each)));
            var found = known.Errors(
                paths.Distinct(Files.Paths).ToArray(), each => areSymbolsKnown || each.Id != Stated, token);
            answer.Found.AddRange(found.Select(each => each.Row(name)));
            return answer;
        }

        private sealed class AloneAssembly
        {
            public readonly string Identity;
            private readonly CSharpParseOptions _options;
            private Dictionary<string, Source> _sources = new Dictionary<string, Source>(Files.Paths);
            private readonly Dictionary<SyntaxTree, FoundError[]> _parsing =
                new Dictionary<SyntaxTree, FoundError[]>();
            private readonly Dictionary<SyntaxTree, FoundError[]> _bound =
                new Dictionary<SyntaxTree, FoundError[]>();
            private FoundError[] _names;

            public AloneAssembly(string identity, string[] command, string folder)
            {
                Identity = identity;
                _options = CSharpCommandLineParser.Default.Parse(command, folder, null, null).ParseOptions;
            }

            // As in the compiler, a text with syntax errors has no other errors.
            public List<FoundError> Errors(string[] paths, Func<FoundError, bool> counts, CancellationToken token)
            {
                var trees = TakeUp(paths, token);
                Find(_parsing, trees, tree => Parsing(tree, token));
                var parsing = trees.SelectMany(tree => _parsing[tree])
                    .Where(each => each.IsError && counts(each)).ToList();
                if (parsing.Count > 0) return parsing;
                Find(_bound, trees, tree => Bound(tree, token));
                _names ??= Names(trees, token);
                return trees.SelectMany(tree => _bound[tree]).Union(_names).Where(each => each.IsError).ToList();
            }

            private SyntaxTree[] TakeUp(string[] paths, CancellationToken token)
            {
                var sources = new Dictionary<string, Source>(Files.Paths);
                foreach (var path in paths)
                {
                    token.ThrowIfCancellationRequested();
                    _sources.TryGetValue(path, out var known);
                    var source = Source.OnDisk(known, path, _options, token);
                    if (source != null) sources[path] = source;
                }
                var trees = paths.Where(sources.ContainsKey).Select(path => sources[path].Tree).ToArray();
                if (!trees.SequenceEqual(_sources.Values.Select(each => each.Tree))) _names = null;
                _sources = sources;
                return trees;
            }

            // Results are kept even if the question ends before its answer.
            private static void Find(
                Dictionary<SyntaxTree, FoundError[]> known, SyntaxTree[] trees, Func<SyntaxTree, FoundError[]> find)
            {
                foreach (var gone in known.Keys.Except(trees).ToList()) known.Remove(gone);
                foreach (var tree in trees)
                    if (!known.ContainsKey(tree)) known[tree] = find(tree);
            }

            private static FoundError[] Parsing(SyntaxTree tree, CancellationToken token)
            {
                var found = FoundError.Of(tree.GetDiagnostics(token));
                return Nesting.IsTooDeep(tree, token, out var deep) ? found.Append(deep).ToArray() : found;
            }

            private static FoundError[] Bound(SyntaxTree tree, CancellationToken token)
            {
                token.ThrowIfCancellationRequested();
                var found = new TreeFindings(tree);
                LanguageGate.Find(tree, found, token);
                return found.Errors.ToArray();
            }

            private static FoundError[] Names(SyntaxTree[] trees, CancellationToken token)
            {
                var all = LanguageGate.Alone(trees).GetDeclarationDiagnostics(token);
                return FoundError.Of(all.Where(each => OfNames.Contains(each.Id)));
            }
        }

        private sealed class TreeFindings : IFindings
        {
            private readonly SyntaxTree _tree;
            public readonly List<FoundError> Errors = new List<FoundError>();

            public TreeFindings(SyntaxTree tree) => _tree = tree;

            public void Add(Diagnostic each) => Errors.Add(new FoundError(each));

            public void Add(string id, Microsoft.CodeAnalysis.Text.TextSpan span, string message)
            {
                if (!Errors.Any(each => each.Id == id && each.Span == span))
                    Errors.Add(new FoundError(id, _tree, span, message));
            }
        }
    }
}
