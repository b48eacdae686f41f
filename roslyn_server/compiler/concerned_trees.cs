// Which trees of an assembly a change of declarations concerns.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace RoslynServer
{
    internal static class ConcernedTrees
    {
        /// <summary>
        /// Those of the trees that mention a changed name, or have heirs of a type whose members
        /// they must have; then the others, if something changed that works without being named.
        /// </summary>
        public static List<SyntaxTree> Of(
            CSharpCompilation compilation, IEnumerable<SyntaxTree> trees, DeclarationChange change,
            CancellationToken token)
        {
            var concerned = new List<SyntaxTree>();
            if (change.IsNone) return concerned;
            var heirs = Heirs(compilation, change, token);
            var rest = new List<SyntaxTree>();
            foreach (var tree in trees)
            {
                token.ThrowIfCancellationRequested();
                var text = tree.GetText(token).ToString();
                var isConcerned = heirs.Contains(tree) || change.Names.Any(name => Mentions(text, name));
                (isConcerned ? concerned : rest).Add(tree);
            }
            if (change.ConcernsAll) concerned.AddRange(rest);
            return concerned;
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

        private static HashSet<SyntaxTree> Heirs(
            CSharpCompilation compilation, DeclarationChange change, CancellationToken token)
        {
            var heirs = new HashSet<SyntaxTree>();
            if (change.InheritedTypes.Count == 0) return heirs;
            var names = new HashSet<string>(change.InheritedTypes, StringComparer.Ordinal);
            var left = new Stack<INamespaceOrTypeSymbol>();
            left.Push(compilation.Assembly.GlobalNamespace);
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
    }
}
