// Values and places whose types are keywords, so that their meaning depends on no name.
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace RoslynServer
{
    /// <summary>
    /// In a text alone, no name is certain: a nearer type elsewhere may have the same name. Certain
    /// are `int`, `string` and the like, literals, and locals and parameters that are declared with
    /// them.
    /// </summary>
    internal static class PredefinedTypes
    {
        /// <summary>Whether a value and its target, or its operands, have such types.</summary>
        public static bool AreAll(SyntaxNode node, SemanticModel model, CancellationToken token)
        {
            while (node is ArgumentSyntax || node is EqualsValueClauseSyntax || node is ArrowExpressionClauseSyntax)
                node = node.ChildNodes().First();
            if (!(node is ExpressionSyntax value) || !Is(value, model, token)) return false;
            // Operators and casts show the intended type themselves.
            return IsMeantFor(value, model, token) || value is BinaryExpressionSyntax
                || value is PrefixUnaryExpressionSyntax || value is CastExpressionSyntax;
        }

        private static bool IsMeantFor(ExpressionSyntax value, SemanticModel model, CancellationToken token)
        {
            SyntaxNode inner = value;
            while (inner.Parent is ParenthesizedExpressionSyntax) inner = inner.Parent;
            switch (inner.Parent)
            {
                case EqualsValueClauseSyntax { Parent: VariableDeclaratorSyntax { Parent: VariableDeclarationSyntax of } }:
                    return IsValue(of.Type);
                case EqualsValueClauseSyntax { Parent: PropertyDeclarationSyntax property }:
                    return IsValue(property.Type);
                case AssignmentExpressionSyntax assignment:
                    return assignment.Right == inner && assignment.IsKind(SyntaxKind.SimpleAssignmentExpression)
                        && Is(assignment.Left, model, token);
                case IfStatementSyntax _:
                case WhileStatementSyntax _:
                case DoStatementSyntax _:
                    return true;
                case ReturnStatementSyntax _:
                case ArrowExpressionClauseSyntax _:
                    return Returned(inner) is { } returned && IsValue(returned);
                default:
                    return false;
            }
        }

        /// <summary>
        /// Returns the return type of the function around; null if it isn't written, or isn't the
        /// type of the returned value.
        /// </summary>
        public static TypeSyntax Returned(SyntaxNode node)
        {
            foreach (var each in node.Ancestors())
                switch (each)
                {
                    case AnonymousFunctionExpressionSyntax _:
                        return null;
                    case MethodDeclarationSyntax method:
                        return method.Modifiers.Any(SyntaxKind.AsyncKeyword) ? null : method.ReturnType;
                    case LocalFunctionStatementSyntax function:
                        return function.Modifiers.Any(SyntaxKind.AsyncKeyword) ? null : function.ReturnType;
                    case AccessorDeclarationSyntax accessor when !accessor.IsKind(SyntaxKind.GetAccessorDeclaration):
                        return null;
                    case PropertyDeclarationSyntax property:
                        return property.Type;
                    case MemberDeclarationSyntax _:
                        return null;
                }
            return null;
        }

        private static bool Is(ExpressionSyntax value, SemanticModel model, CancellationToken token)
        {
            switch (value)
            {
                case ParenthesizedExpressionSyntax inner:
                    return Is(inner.Expression, model, token);
                case LiteralExpressionSyntax literal:
                    return !literal.IsKind(SyntaxKind.DefaultLiteralExpression);
                case InterpolatedStringExpressionSyntax _:
                    return true;
                case PrefixUnaryExpressionSyntax unary:
                    return Is(unary.Operand, model, token);
                case CastExpressionSyntax cast:
                    return IsValue(cast.Type) && Is(cast.Expression, model, token);
                case BinaryExpressionSyntax binary:
                    return !binary.IsKind(SyntaxKind.AsExpression) && !binary.IsKind(SyntaxKind.IsExpression)
                        && Is(binary.Left, model, token) && Is(binary.Right, model, token);
                case IdentifierNameSyntax name:
                    return model.GetSymbolInfo(name, token).Symbol is { } symbol && IsDeclaredSo(symbol, token);
                default:
                    return false;
            }
        }

        private static bool IsDeclaredSo(ISymbol symbol, CancellationToken token)
        {
            if (!(symbol is ILocalSymbol || symbol is IParameterSymbol)) return false;
            return symbol.DeclaringSyntaxReferences.FirstOrDefault()?.GetSyntax(token) switch
            {
                ParameterSyntax parameter => IsValue(parameter.Type),
                VariableDeclaratorSyntax { Parent: VariableDeclarationSyntax of } => IsValue(of.Type),
                SingleVariableDesignationSyntax { Parent: DeclarationExpressionSyntax of } => IsValue(of.Type),
                SingleVariableDesignationSyntax { Parent: DeclarationPatternSyntax of } => IsValue(of.Type),
                ForEachStatementSyntax of => IsValue(of.Type),
                _ => false,
            };
        }

        private static bool IsValue(TypeSyntax type) =>
            type is PredefinedTypeSyntax named && !named.Keyword.IsKind(SyntaxKind.VoidKeyword);
    }
}
