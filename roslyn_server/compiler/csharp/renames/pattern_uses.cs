// Find the members that C# calls by their names, where no text spells them.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Operations;

namespace RoslynServer
{
    /// <summary>A place that calls members by a pattern, such as <c>foreach</c>.</summary>
    internal readonly struct PatternUse
    {
        public PatternUse(SyntaxNode node, params ISymbol[] symbols) => (Node, Symbols) = (node, symbols);

        public SyntaxNode Node { get; }

        public IReadOnlyList<ISymbol> Symbols { get; }

        public string Shown => Symbols.FirstOrDefault(each => each != null) is { } symbol
            ? $"'{symbol.ToDisplayString()}'" : "nothing";
    }

    internal static class PatternUses
    {
        private static readonly HashSet<string> Names = new HashSet<string>(StringComparer.Ordinal)
        {
            "GetEnumerator", "GetAsyncEnumerator", "MoveNext", "MoveNextAsync", "Current", "Dispose", "DisposeAsync",
            "Deconstruct", "Add", "GetAwaiter", "IsCompleted", "GetResult",
            "Select", "SelectMany", "Where", "Join", "GroupJoin", "OrderBy", "OrderByDescending", "ThenBy",
            "ThenByDescending", "GroupBy", "Cast",
        };

        /// <summary>Returns whether C# calls members of one of these names by a pattern.</summary>
        public static bool HaveAny(IEnumerable<string> names) => names.Any(Names.Contains);

        /// <summary>Returns whether C# may call a member by a pattern, without its name.</summary>
        public static bool MayCall(ISymbol member) => (member is IMethodSymbol || member is IPropertySymbol)
            && (Names.Contains(member.Name) || member.Name == "Slice" || (member.Name is "Length" or "Count")
                && member.ContainingType.GetMembers().OfType<IPropertySymbol>().Any(each => each.IsIndexer));

        /// <summary>Returns the uses in a text, in its order.</summary>
        public static IReadOnlyList<PatternUse> In(CSharpCompilation compilation, SyntaxTree tree, CancellationToken token)
        {
            if (Nesting.IsTooDeep(tree, token, out _)) return Array.Empty<PatternUse>();
            var model = compilation.GetSemanticModel(tree);
            return tree.GetRoot(token).DescendantNodes().SelectMany(each => Of(each, model, token)).ToList();
        }

        private static IEnumerable<PatternUse> Of(SyntaxNode node, SemanticModel model, CancellationToken token)
        {
            switch (node)
            {
                case CommonForEachStatementSyntax each:
                    var loop = model.GetForEachStatementInfo(each);
                    yield return new PatternUse(
                        each, loop.GetEnumeratorMethod, loop.MoveNextMethod, loop.CurrentProperty, loop.DisposeMethod);
                    if (each is ForEachVariableStatementSyntax variables)
                        yield return new PatternUse(each, Methods(model.GetDeconstructionInfo(variables)).ToArray());
                    break;
                case AssignmentExpressionSyntax set when set.Left is TupleExpressionSyntax or DeclarationExpressionSyntax:
                    yield return new PatternUse(set, Methods(model.GetDeconstructionInfo(set)).ToArray());
                    break;
                case RecursivePatternSyntax { PositionalPatternClause: { } } pattern:
                    var operation = model.GetOperation(pattern, token) as IRecursivePatternOperation;
                    yield return new PatternUse(pattern, operation?.DeconstructSymbol);
                    break;
                case AwaitExpressionSyntax await:
                    var awaited = model.GetAwaitExpressionInfo(await);
                    yield return new PatternUse(
                        await, awaited.GetAwaiterMethod, awaited.IsCompletedProperty, awaited.GetResultMethod);
                    break;
                case InitializerExpressionSyntax list when list.IsKind(SyntaxKind.CollectionInitializerExpression):
                    foreach (var each in list.Expressions)
                        yield return new PatternUse(each, model.GetCollectionInitializerSymbolInfo(each, token).Symbol);
                    break;
                case QueryClauseSyntax clause:
                    var query = model.GetQueryClauseInfo(clause, token);
                    yield return new PatternUse(clause, query.OperationInfo.Symbol, query.CastInfo.Symbol);
                    break;
                case OrderingSyntax ordering:
                    yield return new PatternUse(ordering, model.GetSymbolInfo(ordering, token).Symbol);
                    break;
                case SelectOrGroupClauseSyntax result:
                    yield return new PatternUse(result, model.GetSymbolInfo(result, token).Symbol);
                    break;
            }
        }

        private static IEnumerable<ISymbol> Methods(DeconstructionInfo info) =>
            info.Nested.SelectMany(Methods).Prepend(info.Method);
    }
}
