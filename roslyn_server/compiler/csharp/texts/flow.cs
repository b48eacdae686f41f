// Decide whether a flow error of a text bound alone would also be reported with references.
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace RoslynServer
{
    internal static class Flow
    {
        private const string NoReturn = "CS0161";
        private const string Unassigned = "CS0165";
        private const string UnassignedOut = "CS0177";

        /// <summary>
        /// Whether the flow may differ with references: a condition may be a constant from
        /// elsewhere, a switch may cover all cases, a variable may be assigned elsewhere, or the
        /// result may be an unknown task.
        /// </summary>
        public static bool MayDiffer(SyntaxNode node, string id, SemanticModel model, CancellationToken token)
        {
            var function = FunctionAround(node);
            if (function == null || id == NoReturn && MayBeAsync(node)) return true;
            if (MayReachOther(function, model, token)) return true;
            return id switch
            {
                Unassigned => Assignments.MayBeElsewhere(node, function, model, token),
                UnassignedOut => Assignments.MayBeOfParameters(function, model, token),
                _ => false,
            };
        }

        /// <summary>
        /// Whether a struct's constructor may assign a field that it seems to omit.
        /// </summary>
        public static bool MayAssignFields(SyntaxNode node, SemanticModel model, CancellationToken token) =>
            !(FunctionAround(node) is ConstructorDeclarationSyntax made) || MayReachOther(made, model, token)
            || Assignments.MayBeOfFields(made, model, token);

        /// <summary>Whether the function around may need no return value.</summary>
        public static bool MayBeAsync(SyntaxNode node) => !(FunctionAround(node) switch
        {
            MethodDeclarationSyntax method => !method.Modifiers.Any(SyntaxKind.AsyncKeyword),
            LocalFunctionStatementSyntax local => !local.Modifiers.Any(SyntaxKind.AsyncKeyword),
            AnonymousFunctionExpressionSyntax _ => false, // its type may be another
            null => false,
            _ => true,
        });

        /// <summary>Returns the innermost function that contains a node, or is that node.</summary>
        public static SyntaxNode FunctionAround(SyntaxNode node) => node.AncestorsAndSelf().FirstOrDefault(
            each => each is BaseMethodDeclarationSyntax || each is AccessorDeclarationSyntax
                || each is LocalFunctionStatementSyntax || each is AnonymousFunctionExpressionSyntax
                || each is BasePropertyDeclarationSyntax);

        private static bool MayReachOther(SyntaxNode function, SemanticModel model, CancellationToken token)
        {
            // Excluded code may return, assign or jump, too.
            if (function.DescendantTrivia(descendIntoTrivia: false).Any(SyntaxKind.DisabledTextTrivia)) return true;
            foreach (var each in function.DescendantNodes())
            {
                if (each is YieldStatementSyntax) return true;
                if (each is SwitchStatementSyntax cases && MayHaveAllCases(cases, model, token)) return true;
                if (Conditions(each).SelectMany(Parts).Any(part => MayBeConstant(part, model, token))) return true;
            }
            return false;
        }

        private static bool Any(this IEnumerable<SyntaxTrivia> trivia, SyntaxKind kind) =>
            trivia.Any(each => each.IsKind(kind));

        // Without a default, the compiler recognises patterns and booleans that cover all cases if
        // it knows the type.
        private static bool MayHaveAllCases(SwitchStatementSyntax cases, SemanticModel model, CancellationToken token)
        {
            var labels = cases.Sections.SelectMany(each => each.Labels).ToList();
            if (labels.Any(each => each is DefaultSwitchLabelSyntax)) return false;
            if (labels.Any(each => each is CasePatternSwitchLabelSyntax)) return true;
            return !(model.GetTypeInfo(cases.Expression, token).Type is { TypeKind: not TypeKind.Error })
                && !labels.OfType<CaseSwitchLabelSyntax>().Any(each => each.Value is MemberAccessExpressionSyntax
                    || each.Value.IsKind(SyntaxKind.NumericLiteralExpression)
                    || each.Value.IsKind(SyntaxKind.StringLiteralExpression)
                    || each.Value.IsKind(SyntaxKind.CharacterLiteralExpression));
        }

        private static ExpressionSyntax[] Conditions(SyntaxNode node) => node switch
        {
            IfStatementSyntax each => new[] { each.Condition },
            WhileStatementSyntax each => new[] { each.Condition },
            DoStatementSyntax each => new[] { each.Condition },
            ForStatementSyntax { Condition: { } condition } => new[] { condition },
            ConditionalExpressionSyntax each => new[] { each.Condition },
            BinaryExpressionSyntax each when each.IsKind(SyntaxKind.LogicalAndExpression)
                || each.IsKind(SyntaxKind.LogicalOrExpression) || each.IsKind(SyntaxKind.CoalesceExpression) =>
                new[] { each.Left, each.Right },
            SwitchStatementSyntax each => new[] { each.Expression },
            SwitchExpressionSyntax each => new[] { each.GoverningExpression },
            WhenClauseSyntax each => new[] { each.Condition },
            CatchFilterClauseSyntax each => new[] { each.FilterExpression },
            _ => System.Array.Empty<ExpressionSyntax>(),
        };

        // One constant part decides for others, as in `Never && Find(out found)`.
        private static IEnumerable<ExpressionSyntax> Parts(ExpressionSyntax condition)
        {
            switch (condition)
            {
                case ParenthesizedExpressionSyntax each: return Parts(each.Expression);
                case PrefixUnaryExpressionSyntax each: return Parts(each.Operand);
                case ConditionalExpressionSyntax each: return Parts(each.WhenTrue).Concat(Parts(each.WhenFalse));
                case BinaryExpressionSyntax each when each.IsKind(SyntaxKind.LogicalAndExpression)
                    || each.IsKind(SyntaxKind.LogicalOrExpression):
                    return Parts(each.Left).Concat(Parts(each.Right));
                default: return new[] { condition };
            }
        }

        // An expression with a call, an assignment or a local is no constant.
        private static bool MayBeConstant(
            ExpressionSyntax condition, SemanticModel model, CancellationToken token)
        {
            foreach (var each in condition.DescendantNodesAndSelf())
            {
                if (each is InvocationExpressionSyntax || each is AssignmentExpressionSyntax
                    || each is ElementAccessExpressionSyntax || each is BaseObjectCreationExpressionSyntax
                    || each is AwaitExpressionSyntax || each is ThisExpressionSyntax)
                    return false;
                if (each is IdentifierNameSyntax name && IsVariable(model.GetSymbolInfo(name, token).Symbol, name))
                    return false;
            }
            return condition.DescendantNodesAndSelf().OfType<IdentifierNameSyntax>()
                .Any(name => model.GetSymbolInfo(name, token).Symbol == null);
        }

        // A name that is also the name of its type may mean the type.
        private static bool IsVariable(ISymbol symbol, SimpleNameSyntax name) => symbol switch
        {
            ILocalSymbol { IsConst: false } local => local.Type.Name != local.Name,
            IParameterSymbol parameter => parameter.Type.Name != parameter.Name,
            IFieldSymbol { IsConst: false } field => field.Type.Name != field.Name && IsOfTypeAround(field, name),
            IPropertySymbol property => property.Type.Name != property.Name && IsOfTypeAround(property, name),
            _ => false,
        };

        private static bool IsOfTypeAround(ISymbol member, SimpleNameSyntax name) =>
            name.FirstAncestorOrSelf<TypeDeclarationSyntax>() is { } around
            && member.DeclaringSyntaxReferences.Any(each => around.Span.Contains(each.Span));
    }
}
