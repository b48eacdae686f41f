// Find the trees of an assembly that a change of declarations affects.
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;

namespace RoslynServer
{
    internal static class ConcernedTrees
    {
        /// <summary>
        /// Returns the unchanged trees that the change affects; those first that mention a changed
        /// name. Also returns the change, extended by its consequences.
        /// </summary>
        public static List<SyntaxTree> Of(
            IReadOnlyCollection<SyntaxTree> all, ISet<SyntaxTree> unchanged, ref DeclarationChange change,
            CancellationToken token)
        {
            var concerned = new List<SyntaxTree>();
            if (change.IsNone) return concerned;
            var texts = new List<DeclaredText>();
            foreach (var tree in all)
            {
                token.ThrowIfCancellationRequested();
                texts.Add(DeclaredText.In(tree, token));
            }
            var whole = change = change.Within(texts);
            var those = all.Where(unchanged.Contains)
                .Select(tree => (Tree: tree, Text: DeclaredText.In(tree, token)))
                .Where(each => whole.Concerns(each.Text)).ToList();
            concerned.AddRange(those.Where(each => whole.IsMentioned(each.Text.Words)).Select(each => each.Tree));
            concerned.AddRange(those.Where(each => !whole.IsMentioned(each.Text.Words)).Select(each => each.Tree));
            return concerned;
        }
    }
}
