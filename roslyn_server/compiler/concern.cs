// What one changed text makes wrong in the other texts of its assembly.
//
// Binding all of them takes seconds. So only those are judged that the change concerns: they mention
// a name whose declaration changed. There is a bound, and what lies beyond it is told.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Text;

namespace RoslynServer
{
    /// <summary>What was found about one text, and what was not looked at.</summary>
    public sealed class Meaning
    {
        internal readonly Findings Own;
        internal readonly Dictionary<string, Findings> Elsewhere = new Dictionary<string, Findings>();
        internal DeclarationChange Change;

        internal Meaning(string text) => Own = new Findings(text);

        /// <summary>Its diagnostics.</summary>
        public string[] Rows() => Own.Rows();

        /// <summary>The other sources that have errors because of it.</summary>
        public string[] OtherPaths() => Elsewhere.Keys.ToArray();

        /// <summary>Those errors of one of them.</summary>
        public string[] OtherRows(string path) => Elsewhere[path].Rows();

        /// <summary>Whether it differs from the text on disk where no symbol compiles it.</summary>
        public bool ChangesInactiveCode { get; internal set; }

        /// <summary>How many sources are concerned and were not judged.</summary>
        public int NotJudged { get; internal set; }

        /// <summary>How many mention a changed name in code that no symbol compiles.</summary>
        public int InactiveMentions { get; internal set; }

        /// <summary>The names whose declarations changed; none, where it stayed in bodies.</summary>
        public string[] ChangedNames() =>
            Change?.Names.OrderBy(each => each, StringComparer.Ordinal).ToArray() ?? Array.Empty<string>();

        /// <summary>Whether something changed that is used without being named.</summary>
        public bool ConcernsAll => Change?.ConcernsAll ?? false;
    }

    /// <summary>The judgement of other texts; made for one change.</summary>
    internal sealed class Concern
    {
        private const int MaxJudged = 64;
        private const int MaxJudgedCharacters = 1_000_000;

        private readonly CSharpCompilation _now;
        private readonly SyntaxTree _before;
        private readonly SyntaxTree _after;

        /// <summary>A null tree stands for a text that wasn't there.</summary>
        public Concern(CSharpCompilation now, SyntaxTree before, SyntaxTree after)
        {
            _now = now;
            _before = before;
            _after = after;
        }

        public void Judge(IEnumerable<SyntaxTree> others, Meaning meaning, CancellationToken token)
        {
            if (_before == _after) return;
            var change = meaning.Change = DeclarationChange.Between(_before, _after, token);
            if (change.IsNone) return;
            var heirs = Heirs(change, token);
            var characters = 0;
            var judged = 0;
            foreach (var tree in Concerned(others, change, heirs, meaning, token))
            {
                characters += tree.Length;
                if (judged == MaxJudged || characters > MaxJudgedCharacters)
                {
                    meaning.NotJudged++;
                    continue;
                }
                judged++;
                if (Nesting.FindTooDeep(tree, new Findings(""), token)) continue;
                var errors = Errors(_now, tree, token);
                if (errors.Count == 0) continue;
                var known = Errors(Earlier(), tree, token)
                    .Select(each => (each.Id, each.Location.SourceSpan)).ToHashSet();
                errors.RemoveAll(each => known.Contains((each.Id, each.Location.SourceSpan)));
                if (errors.Count == 0) continue;
                var found = meaning.Elsewhere[tree.FilePath] = new Findings(tree.GetText(token).ToString());
                foreach (var each in errors) found.Add(each);
            }
        }

        // Those that mention a name come first: they are the likeliest.
        private static IEnumerable<SyntaxTree> Concerned(
            IEnumerable<SyntaxTree> others, DeclarationChange change, HashSet<SyntaxTree> heirs,
            Meaning meaning, CancellationToken token)
        {
            var last = new List<SyntaxTree>();
            foreach (var tree in others)
            {
                token.ThrowIfCancellationRequested();
                var text = tree.GetText(token).ToString();
                var mentioned = change.Names.Where(name => Mentions(text, name)).ToArray();
                if (mentioned.Length > 0 && InactiveCode.Of(tree, token) is { Length: > 0 } inactive
                    && mentioned.Any(name => Mentions(inactive, name))) meaning.InactiveMentions++;
                if (mentioned.Length > 0 || heirs.Contains(tree)) yield return tree;
                else if (change.ConcernsAll) last.Add(tree);
            }
            foreach (var tree in last) yield return tree;
        }

        // Comments count too, which only makes for more to judge. Names spelt with \u escapes don't.
        private static bool Mentions(string text, string name)
        {
            for (var at = text.IndexOf(name, StringComparison.Ordinal); at >= 0;
                at = text.IndexOf(name, at + 1, StringComparison.Ordinal))
            {
                var end = at + name.Length;
                var isWord = (at == 0 || !SyntaxFacts.IsIdentifierPartCharacter(text[at - 1]))
                    && (end == text.Length || !SyntaxFacts.IsIdentifierPartCharacter(text[end]));
                if (isWord) return true;
            }
            return false;
        }

        private HashSet<SyntaxTree> Heirs(DeclarationChange change, CancellationToken token)
        {
            var heirs = new HashSet<SyntaxTree>();
            if (change.InheritedTypes.Count == 0) return heirs;
            var names = new HashSet<string>(change.InheritedTypes, StringComparer.Ordinal);
            var left = new Stack<INamespaceOrTypeSymbol>();
            left.Push(_now.Assembly.GlobalNamespace);
            while (left.Count > 0)
            {
                token.ThrowIfCancellationRequested();
                var symbol = left.Pop();
                foreach (var each in symbol.GetMembers().OfType<INamespaceOrTypeSymbol>()) left.Push(each);
                if (symbol is INamedTypeSymbol type && IsHeir(type, names))
                    heirs.UnionWith(type.DeclaringSyntaxReferences.Select(each => each.SyntaxTree));
            }
            return heirs;
        }

        private static bool IsHeir(INamedTypeSymbol type, HashSet<string> names)
        {
            for (var each = type.BaseType; each != null; each = each.BaseType)
                if (names.Contains(each.Name)) return true;
            return type.AllInterfaces.Any(each => names.Contains(each.Name));
        }

        private CSharpCompilation _earlier;

        private CSharpCompilation Earlier() => _earlier ??= _before == null
            ? _now.RemoveSyntaxTrees(_after) : _now.ReplaceSyntaxTree(_after, _before);

        private static List<Diagnostic> Errors(
            CSharpCompilation compilation, SyntaxTree tree, CancellationToken token) =>
            compilation.GetSemanticModel(tree).GetDiagnostics(null, token)
                .Where(each => each.Severity == DiagnosticSeverity.Error && !each.IsSuppressed).ToList();
    }

    /// <summary>Code that the symbols leave out.</summary>
    internal static class InactiveCode
    {
        public static string Of(SyntaxTree tree, CancellationToken token)
        {
            if (tree == null || !tree.GetRoot(token).ContainsDirectives) return "";
            return string.Concat(tree.GetRoot(token).DescendantTrivia()
                .Where(each => each.IsKind(SyntaxKind.DisabledTextTrivia)).Select(each => each.ToFullString()));
        }
    }
}
