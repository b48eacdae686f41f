// Whether what the compiler says of a text's flow, bound alone, would hold with references too.
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace RoslynServer
{
    internal static class Flow
    {
        /// <summary>
        /// Whether a condition in the function around may be a constant that is declared elsewhere, so
        /// that other statements are reached; or its result, if that counts, an unknown task.
        /// </summary>
        public static bool MayDiffer(
            SyntaxNode node, bool returns, SemanticModel model, CancellationToken token)
        {
            var function = FunctionAround(node);
            if (function == null || returns && MayBeAsync(node)) return true;
            return function.DescendantNodes().Any(each =>
                Condition(each) is { } condition && MayBeConstant(condition, model, token));
        }

        /// <summary>Whether it is within a function that needs no value to return, perhaps.</summary>
        public static bool MayBeAsync(SyntaxNode node) => !(FunctionAround(node) switch
        {
            MethodDeclarationSyntax method => !method.Modifiers.Any(SyntaxKind.AsyncKeyword),
            LocalFunctionStatementSyntax local => !local.Modifiers.Any(SyntaxKind.AsyncKeyword),
            AnonymousFunctionExpressionSyntax _ => false, // its type may be another
            null => false,
            _ => true,
        });

        private static SyntaxNode FunctionAround(SyntaxNode node) => node.AncestorsAndSelf().FirstOrDefault(
            each => each is BaseMethodDeclarationSyntax || each is AccessorDeclarationSyntax
                || each is LocalFunctionStatementSyntax || each is AnonymousFunctionExpressionSyntax
                || each is BasePropertyDeclarationSyntax);

        private static ExpressionSyntax Condition(SyntaxNode node) => node switch
        {
            IfStatementSyntax each => each.Condition,
            WhileStatementSyntax each => each.Condition,
            DoStatementSyntax each => each.Condition,
            ForStatementSyntax each => each.Condition,
            ConditionalExpressionSyntax each => each.Condition,
            BinaryExpressionSyntax each when each.IsKind(SyntaxKind.LogicalAndExpression)
                || each.IsKind(SyntaxKind.LogicalOrExpression) => each,
            SwitchStatementSyntax each => each.Expression,
            _ => null,
        };

        // Whatever has a call, an assignment or a local in it is none.
        private static bool MayBeConstant(
            ExpressionSyntax condition, SemanticModel model, CancellationToken token)
        {
            foreach (var each in condition.DescendantNodesAndSelf())
            {
                if (each is InvocationExpressionSyntax || each is AssignmentExpressionSyntax
                    || each is ElementAccessExpressionSyntax || each is ObjectCreationExpressionSyntax)
                    return false;
                if (each is IdentifierNameSyntax name && model.GetSymbolInfo(name, token).Symbol
                    is ILocalSymbol { IsConst: false } or IParameterSymbol) return false;
            }
            return condition.DescendantNodesAndSelf().OfType<IdentifierNameSyntax>()
                .Any(name => model.GetSymbolInfo(name, token).Symbol == null);
        }
    }
}
