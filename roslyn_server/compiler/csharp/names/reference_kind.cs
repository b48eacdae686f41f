// Say how a place uses the symbol that it names.
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace RoslynServer
{
    internal static class ReferenceKind
    {
        /// <summary>Returns the kind, for a symbol of the place.</summary>
        public static string Of(BoundName place, ISymbol symbol)
        {
            var node = place.Token.Parent;
            if (place.Binding.IsDeclaration)
                return symbol.IsOverride || Explicit(symbol) ? "override" : "declaration";
            if (node.FirstAncestorOrSelf<DocumentationCommentTriviaSyntax>() != null) return "documentation";
            if (node.FirstAncestorOrSelf<UsingDirectiveSyntax>() != null) return "using";
            if (IsInNameof(node)) return "nameof";
            var whole = node is SimpleNameSyntax name ? Binding.Whole(name) : node;
            if (whole.Parent is AttributeSyntax) return "attribute";
            if (whole.Parent is ObjectCreationExpressionSyntax creation && creation.Type == whole) return "call";
            return symbol switch
            {
                ITypeSymbol _ => "type",
                INamespaceSymbol _ => "other",
                IAliasSymbol _ => "type",
                IMethodSymbol _ => IsCalled(whole) ? "call" : "read",
                ILabelSymbol _ => "other",
                _ => Access(node),
            };
        }

        private static bool Explicit(ISymbol symbol) => symbol switch
        {
            IMethodSymbol method => method.ExplicitInterfaceImplementations.Any(),
            IPropertySymbol property => property.ExplicitInterfaceImplementations.Any(),
            IEventSymbol @event => @event.ExplicitInterfaceImplementations.Any(),
            _ => false,
        };

        /// <summary>Returns whether a node stands in the argument of <c>nameof</c>.</summary>
        public static bool IsInNameof(SyntaxNode node) => node.Ancestors().OfType<InvocationExpressionSyntax>()
            .Any(each => each.Expression is IdentifierNameSyntax { Identifier: { ValueText: "nameof" } });

        private static bool IsCalled(SyntaxNode node) => Expression(node).Parent is InvocationExpressionSyntax call
            && call.Expression == Expression(node);

        // The access of which the node names the member.
        private static SyntaxNode Expression(SyntaxNode node) => node.Parent switch
        {
            MemberAccessExpressionSyntax access when access.Name == node => access,
            MemberBindingExpressionSyntax binding => binding,
            _ => node,
        };

        private static string Access(SyntaxNode node)
        {
            var whole = Expression(node);
            while (whole.Parent is ParenthesizedExpressionSyntax) whole = whole.Parent;
            switch (whole.Parent)
            {
                case AssignmentExpressionSyntax set when set.Left == whole:
                    return set.IsKind(SyntaxKind.SimpleAssignmentExpression) ? "write" : "readwrite";
                case PrefixUnaryExpressionSyntax unary
                    when unary.IsKind(SyntaxKind.PreIncrementExpression) || unary.IsKind(SyntaxKind.PreDecrementExpression):
                case PostfixUnaryExpressionSyntax step
                    when step.IsKind(SyntaxKind.PostIncrementExpression) || step.IsKind(SyntaxKind.PostDecrementExpression):
                    return "readwrite";
                case ArgumentSyntax { RefKindKeyword: { RawKind: (int)SyntaxKind.OutKeyword } }: return "write";
                case ArgumentSyntax { RefKindKeyword: { RawKind: (int)SyntaxKind.RefKeyword } }: return "readwrite";
                case ArgumentSyntax { Parent: TupleExpressionSyntax { Parent: AssignmentExpressionSyntax all } tuple }
                    when all.Left == tuple: return "write";
                case NameEqualsSyntax { Parent: AttributeArgumentSyntax _ }: return "write";
                case NameColonSyntax _: return "other";
                default: return "read";
            }
        }
    }
}
