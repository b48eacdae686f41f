// Read the same sources in further ways: with documentation, and under other symbol sets.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Text;

namespace RoslynServer
{
    /// <summary>A text of an assembly, as one compilation reads it.</summary>
    internal sealed class Reading
    {
        private readonly Lazy<SemanticModel> _model;

        public Reading(CSharpCompilation compilation, SyntaxTree tree, bool isBuilds)
        {
            (Compilation, Tree, IsBuilds) = (compilation, tree, isBuilds);
            _model = new Lazy<SemanticModel>(() => Compilation.GetSemanticModel(Tree));
        }

        public CSharpCompilation Compilation { get; }

        public SyntaxTree Tree { get; }

        /// <summary>Whether the symbols are those of the build.</summary>
        public bool IsBuilds { get; }

        public SemanticModel Model => _model.Value;
    }

    /// <summary>The readings of one assembly's sources that mention some names.</summary>
    internal sealed class Readings
    {
        private const int MaxVariants = 6;

        private readonly CSharpCompilation _compilation;
        private readonly IReadOnlyCollection<string> _names;
        private readonly Func<string, string, string[]> _symbolSets;
        private readonly CancellationToken _token;

        /// <summary>
        /// <c>symbolSets</c> returns, for a text and the symbols of its build, the sets that reach
        /// its branches; symbols are separated by blanks.
        /// </summary>
        public Readings(
            CSharpCompilation compilation, IReadOnlyCollection<string> names,
            Func<string, string, string[]> symbolSets, CancellationToken token) =>
            (_compilation, _names, _symbolSets, _token) = (compilation, names, symbolSets, token);

        /// <summary>Returns the readings in which some tree can name something, the build's first.</summary>
        public IReadOnlyList<Reading> All()
        {
            var words = _names.Select(Words.Of).ToArray();
            var trees = _compilation.SyntaxTrees
                .Where(tree => DeclaredText.In(tree, _token).Words.MentionAny(words)).ToList();
            var found = trees.Select(tree => new Reading(_compilation, tree, true)).ToList();
            var mentions = trees.ToDictionary(tree => tree, tree => MentionsIn(tree).ToList());
            var documented = trees.Where(tree =>
                mentions[tree].Any(each => each.Kind == MentionKind.Documentation)).ToList();
            if (documented.Count > 0) found.AddRange(Documented(documented));
            var inactive = trees.Where(tree => mentions[tree].Any(each => each.Kind == MentionKind.Inactive)).ToList();
            found.AddRange(Variants(inactive));
            return found;
        }

        private IEnumerable<Mention> MentionsIn(SyntaxTree tree) =>
            _names.SelectMany(name => Mentions.Of(name, tree, _token));

        private IEnumerable<Reading> Documented(List<SyntaxTree> trees)
        {
            var compilation = _compilation;
            var read = new List<SyntaxTree>();
            foreach (var tree in trees)
            {
                var options = ((CSharpParseOptions)tree.Options).WithDocumentationMode(DocumentationMode.Parse);
                var other = Host.Parse(tree.GetText(_token), options, tree.FilePath, _token);
                compilation = compilation.ReplaceSyntaxTree(tree, other);
                read.Add(other);
            }
            return read.Select(tree => new Reading(compilation, tree, true));
        }

        private IEnumerable<Reading> Variants(List<SyntaxTree> inactive)
        {
            var bySet = new Dictionary<string, HashSet<SyntaxTree>>(StringComparer.Ordinal);
            foreach (var tree in inactive)
            {
                var own = string.Join(" ", tree.Options.PreprocessorSymbolNames);
                foreach (var set in _symbolSets(tree.GetText(_token).ToString(), own))
                {
                    if (!bySet.TryGetValue(set, out var those)) bySet[set] = those = new HashSet<SyntaxTree>();
                    those.Add(tree);
                }
            }
            foreach (var pair in bySet.OrderByDescending(each => each.Value.Count).Take(MaxVariants))
                foreach (var reading in Variant(pair.Key, pair.Value)) yield return reading;
        }

        private IEnumerable<Reading> Variant(string set, HashSet<SyntaxTree> wanted)
        {
            var symbols = set.Split(' ', StringSplitOptions.RemoveEmptyEntries);
            var compilation = _compilation;
            var read = new List<SyntaxTree>();
            var changed = new Lazy<ulong[]>(() => symbols.Concat(wanted.First().Options.PreprocessorSymbolNames)
                .GroupBy(each => each).Where(each => each.Count() == 1).Select(each => Words.Of(each.Key)).ToArray());
            foreach (var tree in _compilation.SyntaxTrees)
            {
                var root = tree.GetRoot(_token);
                if (!root.ContainsDirectives || !DeclaredText.In(tree, _token).Words.MentionAny(changed.Value)) continue;
                var options = ((CSharpParseOptions)tree.Options).WithPreprocessorSymbols(symbols)
                    .WithDocumentationMode(DocumentationMode.Parse);
                var other = Host.Parse(tree.GetText(_token), options, tree.FilePath, _token);
                compilation = compilation.ReplaceSyntaxTree(tree, other);
                if (wanted.Contains(tree)) read.Add(other);
            }
            return read.Select(tree => new Reading(compilation, tree, false)).ToList();
        }
    }
}
