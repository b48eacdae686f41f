// Find variables that compilers from Roslyn 4 on see as assigned, and older ones don't.
using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace RoslynServer
{
    /// <summary>
    /// Newer compilers follow the values of <c>?.</c>, <c>??</c>, <c>? :</c> and comparisons with
    /// <c>true</c>, in any language version. Judged from the text alone, so it may name too many.
    /// </summary>
    internal static class NewerFlow
    {
        /// <summary>
        /// Returns lines (from 1) and names of variables that are assigned there and read
        /// afterwards.
        /// </summary>
        public static IReadOnlyList<(int Line, string Name)> In(SyntaxTree tree)
        {
            var found = new List<(int, string)>();
            foreach (var node in tree.GetRoot().DescendantNodes())
                foreach (var name in Given(node).Where(each => IsReadAfter(node, each)))
                    found.Add((tree.GetLineSpan(node.Span).StartLinePosition.Line + 1, name));
            return found.Distinct().ToArray();
        }

        // Names that are assigned only on some paths through an expression.
        private static IEnumerable<string> Given(SyntaxNode node)
        {
            switch (node)
            {
                case ConditionalAccessExpressionSyntax access:
                    return Assigned(access.WhenNotNull);
                case ConditionalExpressionSyntax choice:
                    var (first, second) = (Assigned(choice.WhenTrue).ToList(), Assigned(choice.WhenFalse).ToList());
                    return first.Union(second).Except(first.Intersect(second))
                        .Union(Assigned(choice.Condition).Where(each => IsOnSomeWays(choice.Condition, each)));
                case BinaryExpressionSyntax { RawKind: (int)SyntaxKind.CoalesceExpression } either:
                    return Assigned(either.Left).Union(Assigned(either.Right));
                case BinaryExpressionSyntax { RawKind: (int)SyntaxKind.EqualsExpression } or
                    BinaryExpressionSyntax { RawKind: (int)SyntaxKind.NotEqualsExpression }:
                    return Assigned(node).Where(each => IsOnSomeWays(node, each));
                default:
                    return Enumerable.Empty<string>();
            }
        }

        private static IEnumerable<string> Assigned(SyntaxNode within) => within.DescendantNodesAndSelf()
            .Select(NameOf).Where(each => each != null);

        private static string NameOf(SyntaxNode node) => node switch
        {
            SingleVariableDesignationSyntax designation => designation.Identifier.ValueText,
            ArgumentSyntax { RefKindKeyword: { RawKind: (int)SyntaxKind.OutKeyword } } argument =>
                (argument.Expression as IdentifierNameSyntax)?.Identifier.ValueText,
            AssignmentExpressionSyntax { RawKind: (int)SyntaxKind.SimpleAssignmentExpression } assignment =>
                (assignment.Left as IdentifierNameSyntax)?.Identifier.ValueText,
            _ => null,
        };

        // Whether the value comes from a pattern, or after && or ||: an `out` elsewhere always
        // assigns.
        private static bool IsOnSomeWays(SyntaxNode within, string name) => within.DescendantNodes()
            .Where(each => NameOf(each) == name).Any(each => each.Ancestors().TakeWhile(above => above != within)
                .Prepend(each).Any(above => above is PatternSyntax || above.Parent is BinaryExpressionSyntax parent
                    && parent.Right == above && (parent.IsKind(SyntaxKind.LogicalAndExpression)
                        || parent.IsKind(SyntaxKind.LogicalOrExpression))));

        private static bool IsReadAfter(SyntaxNode node, string name)
        {
            var member = node.Ancestors().FirstOrDefault(each => each is MemberDeclarationSyntax);
            if (member == null) return false;
            var declared = false;
            var isRead = false;
            foreach (var each in member.DescendantNodes())
            {
                if (each is ParameterSyntax parameter && parameter.Identifier.ValueText == name) return false;
                declared |= each is SingleVariableDesignationSyntax own && own.Identifier.ValueText == name;
                if (each is VariableDeclaratorSyntax local && local.Identifier.ValueText == name)
                {
                    if (local.Initializer != null) return false;
                    declared = true;
                }
                isRead |= each is IdentifierNameSyntax other && other.Identifier.ValueText == name
                    && other.SpanStart >= node.Span.End && NameOf(other.Parent) != name;
            }
            return declared && isRead;
        }
    }
}
