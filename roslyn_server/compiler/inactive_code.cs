// Code that the symbols leave out.
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

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

        /// <summary>
        /// Under which conditions there is more code, each once and as C# has them: of an <c>#else</c>, that none
        /// of those before it holds.
        /// </summary>
        public static IReadOnlyList<string> Conditions(SyntaxTree tree)
        {
            var found = new List<string>();
            var chains = new Stack<List<string>>();
            for (var at = tree.GetRoot().GetFirstDirective(); at != null; at = at.GetNextDirective())
            {
                if (at is IfDirectiveTriviaSyntax) chains.Push(new List<string>());
                if (at is EndIfDirectiveTriviaSyntax && chains.Count > 0) chains.Pop();
                if (!(at is BranchingDirectiveTriviaSyntax branch) || chains.Count == 0) continue;
                var own = (at as ConditionalDirectiveTriviaSyntax)?.Condition.ToString();
                var before = chains.Peek();
                if (branch.IsActive && !branch.BranchTaken && own != "false")
                    found.Add(string.Join(" && ", own == null ? before : before.Append(Operand(own, before.Count))));
                if (own != null) before.Add(Not(own));
            }
            return found.Distinct().ToArray();
        }

        private static string Not(string condition) =>
            SyntaxFacts.IsValidIdentifier(condition) ? "!" + condition
                : condition.StartsWith('!') && SyntaxFacts.IsValidIdentifier(condition.Substring(1))
                    ? condition.Substring(1)
                : $"!({condition})";

        private static string Operand(string condition, int others) =>
            others > 0 && condition.Contains("||") ? $"({condition})" : condition;
    }
}
