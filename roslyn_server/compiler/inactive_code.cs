// Code that the symbols leave out.
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace RoslynServer
{
    internal static class InactiveCode
    {
        public static string Of(SyntaxTree tree, CancellationToken token)
        {
            if (tree == null || !tree.GetRoot(token).ContainsDirectives) return "";
            return string.Concat(tree.GetRoot(token).DescendantTrivia(each => each.ContainsDirectives)
                .Where(each => each.IsKind(SyntaxKind.DisabledTextTrivia)).Select(each => each.ToFullString()));
        }
    }
}
