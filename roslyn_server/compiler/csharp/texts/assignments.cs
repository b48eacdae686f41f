// Decide whether a variable that seems unassigned in a text bound alone may be assigned with
// references.
//
// For a call that can't be bound, its assignments are unknown; for a condition with unknown
// operands, which branch assigns. A struct without fields needs no assignment, and other structs
// may be assigned field by field. So the error counts only if every assignment is a separate
// statement, or in a known call.
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace RoslynServer
{
    internal static class Assignments
    {
        /// <summary>
        /// Whether a local that is used may have a value, or its use may be excluded.
        /// </summary>
        public static bool MayBeElsewhere(
            SyntaxNode use, SyntaxNode function, SemanticModel model, CancellationToken token)
        {
            if (!(use is IdentifierNameSyntax name) || MayBeLeftOut(name, function, model, token)) return true;
            return !(model.GetSymbolInfo(name, token).Symbol is ILocalSymbol local)
                || !(local.DeclaringSyntaxReferences.FirstOrDefault()?.GetSyntax(token) is VariableDeclaratorSyntax
                    { Parent: VariableDeclarationSyntax { Type: var type } } declared)
                || Flow.FunctionAround(declared) != function || !NeedsValue(type, model, token)
                || MayAssign(local.Name, function, model, token);
        }

        /// <summary>Whether each out parameter of a function may have a value.</summary>
        public static bool MayBeOfParameters(SyntaxNode function, SemanticModel model, CancellationToken token)
        {
            var parameters = function.ChildNodes().OfType<ParameterListSyntax>().SelectMany(each => each.Parameters)
                .Where(each => each.Modifiers.Any(SyntaxKind.OutKeyword));
            return parameters.Any(each => each.Type == null || !NeedsValue(each.Type, model, token)
                || MayAssign(each.Identifier.ValueText, function, model, token));
        }

        /// <summary>Whether a struct's constructor may assign more fields than it seems.</summary>
        public static bool MayBeOfFields(
            ConstructorDeclarationSyntax made, SemanticModel model, CancellationToken token) =>
            made.DescendantNodes().Any(each => each switch
            {
                ConstructorInitializerSyntax _ => true, // another constructor, which assigns all
                AssignmentExpressionSyntax { Left: var left } => !(each.Parent is InitializerExpressionSyntax)
                    && (left is TupleExpressionSyntax || left is ThisExpressionSyntax
                        || !IsEffective(each, made)),
                ArgumentSyntax argument => !IsRead(argument) && !IsCallKnown(argument, made, model, token),
                RefExpressionSyntax _ => true,
                _ => each.IsKind(SyntaxKind.AddressOfExpression),
            });

        // A call without a result may be removed by symbols, with all its arguments.
        private static bool MayBeLeftOut(
            SyntaxNode use, SyntaxNode function, SemanticModel model, CancellationToken token) =>
            use.Ancestors().TakeWhile(each => each != function).OfType<InvocationExpressionSyntax>()
                .Any(call => IsWithoutResult(call) && model.GetSymbolInfo(call, token).Symbol == null);

        private static bool IsWithoutResult(ExpressionSyntax call)
        {
            SyntaxNode around = call.Parent;
            while (around is ConditionalAccessExpressionSyntax) around = around.Parent;
            return around is ExpressionStatementSyntax || around is ArrowExpressionClauseSyntax
                || around is AnonymousFunctionExpressionSyntax || around is ForStatementSyntax;
        }

        // All types but structs, whose fields are unknown here; and a name from .NET may be that of
        // a struct.
        private static bool NeedsValue(TypeSyntax type, SemanticModel model, CancellationToken token) =>
            type is PredefinedTypeSyntax || type is NullableTypeSyntax || type is ArrayTypeSyntax
            || type is PointerTypeSyntax
            || !type.IsVar && model.GetTypeInfo(type, token).Type is { DeclaringSyntaxReferences: { IsEmpty: false } } known
            && (known.TypeKind == TypeKind.Class || known.TypeKind == TypeKind.Interface
                || known.TypeKind == TypeKind.Delegate || known.TypeKind == TypeKind.Enum
                || known.TypeKind == TypeKind.TypeParameter);

        private static bool MayAssign(
            string variable, SyntaxNode function, SemanticModel model, CancellationToken token) =>
            function.DescendantNodes().OfType<IdentifierNameSyntax>()
                .Where(each => each.Identifier.ValueText == variable)
                .Any(name => name.Parent switch
                {
                    AssignmentExpressionSyntax assignment => assignment.Left == name
                        && !IsEffective(assignment, function),
                    ArgumentSyntax { Parent: TupleExpressionSyntax _ } => true,
                    ArgumentSyntax argument => !IsRead(argument) && !IsCallKnown(argument, function, model, token),
                    RefExpressionSyntax _ => true,
                    PrefixUnaryExpressionSyntax of => of.IsKind(SyntaxKind.AddressOfExpression),
                    _ => false,
                });

        private static bool IsRead(ArgumentSyntax argument) =>
            !argument.RefKindKeyword.IsKind(SyntaxKind.OutKeyword)
            && !argument.RefKindKeyword.IsKind(SyntaxKind.RefKeyword);

        private static bool IsCallKnown(
            ArgumentSyntax argument, SyntaxNode function, SemanticModel model, CancellationToken token) =>
            argument.Parent?.Parent is ExpressionSyntax call && model.GetSymbolInfo(call, token).Symbol != null
            && IsEffective(call, function);

        // Executed with its statement, whatever the conditions are.
        private static bool IsEffective(SyntaxNode done, SyntaxNode function)
        {
            if (Flow.FunctionAround(done) != function) return false;
            var around = done.Parent;
            while (around is ParenthesizedExpressionSyntax || around is AssignmentExpressionSyntax
                || around is EqualsValueClauseSyntax || around is VariableDeclaratorSyntax
                || around is VariableDeclarationSyntax || around is PrefixUnaryExpressionSyntax
                || around is BinaryExpressionSyntax both && !IsShort(both)) around = around.Parent;
            return around is StatementSyntax || around is ArrowExpressionClauseSyntax;
        }

        private static bool IsShort(BinaryExpressionSyntax both) => both.IsKind(SyntaxKind.LogicalAndExpression)
            || both.IsKind(SyntaxKind.LogicalOrExpression) || both.IsKind(SyntaxKind.CoalesceExpression);
    }
}
