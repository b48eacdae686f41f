// What real Roslyn says of an edited text: the errors that the original text had not.
//
// Compiled in memory by the Roslyn that it asks, when the benchmark starts. One call judges all
// edits of one file, so that crossing from Python costs nothing.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;
using RoslynServer;

namespace Agreement;

public static class RoslynOracle
{
    private static readonly MetadataReference[] Runtime =
        ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES"))
        .Split(System.IO.Path.PathSeparator)
        .Where(path => System.IO.Path.GetFileName(path) is
            "System.Private.CoreLib.dll" or "System.Runtime.dll")
        .Select(path => (MetadataReference)MetadataReference.CreateFromFile(path)).ToArray();

    private static CSharpParseOptions Options(string languageVersion, string[] symbols)
    {
        if (!LanguageVersionFacts.TryParse(languageVersion, out var version))
            throw new ArgumentException(languageVersion);
        return new CSharpParseOptions(version, DocumentationMode.None, SourceCodeKind.Regular, symbols);
    }

    // For each edited text: its new errors ("id position message"), one a line, under the first
    // symbol set that shows any; empty when no set does. An error is new when the edited text has
    // more of its id than the original. With `ids`, the texts are bound as well, each alone, and
    // of all that the compiler says these errors count.
    public static string[] NewErrors(
        string original, string[] edited, string[][] symbolSets, string languageVersion, string[] ids)
    {
        var found = new string[edited.Length];
        Array.Fill(found, "");
        var counted = ids?.ToHashSet();
        foreach (var symbols in symbolSets)
        {
            var options = Options(languageVersion, symbols);
            var before = Count(Errors(original, options, counted));
            for (var index = 0; index < edited.Length; index++)
            {
                if (found[index].Length > 0) continue;
                var errors = Errors(edited[index], options, counted);
                if (errors.Count == 0) continue;
                var more = Count(errors).Where(
                    pair => pair.Value > before.GetValueOrDefault(pair.Key)).Select(pair => pair.Key);
                var fresh = more.ToHashSet();
                found[index] = string.Join("\n", errors.Where(error => fresh.Contains(error.Id)).Select(
                    error => $"{error.Id} {error.Start} {error.Message}"));
            }
        }
        return found;
    }

    // How long one full parse takes, in milliseconds, once for each repetition.
    public static double[] ParseTimes(string text, string[] symbols, string languageVersion, int repetitions)
    {
        var options = Options(languageVersion, symbols);
        var times = new double[repetitions];
        for (var turn = 0; turn < repetitions; turn++)
        {
            var watch = Stopwatch.StartNew();
            CSharpSyntaxTree.ParseText(SourceText.From(text), options).GetDiagnostics().Any();
            times[turn] = watch.Elapsed.TotalMilliseconds;
        }
        return times;
    }

    private record struct Error(string Id, int Start, string Message);

    private static List<Error> Errors(string text, CSharpParseOptions options, HashSet<string> counted)
    {
        var tree = CSharpSyntaxTree.ParseText(SourceText.From(text), options);
        var diagnostics = tree.GetDiagnostics();
        if (counted == null) return Told(diagnostics).ToList();
        var library = new CSharpCompilationOptions(
            OutputKind.DynamicallyLinkedLibrary, allowUnsafe: true);
        var compilation = CSharpCompilation.Create("edited", new[] { tree }, Runtime, library);
        return Told(compilation.GetDiagnostics()).Where(each => counted.Contains(each.Id))
            .Concat(UnfitExpressions(tree.GetRoot(), options.LanguageVersion)).ToList();
    }

    private static IEnumerable<Error> Told(IEnumerable<Diagnostic> diagnostics) =>
        from each in diagnostics
        where each.Severity == DiagnosticSeverity.Error
        select new Error(each.Id, each.Location.SourceSpan.Start, Messages.OneLine(each));

    // More such errors, which the binder keeps to itself where names are unknown: attributes of
    // statements, assignments to what can't be assigned to, expressions that are no statement,
    // values taken for pointers, types left out, ranges as labels; and what stands in the body of a
    // lambda, which isn't bound: newer syntax, awaits, `this` and `base` where there is no object.
    private static IEnumerable<Error> UnfitExpressions(
        SyntaxNode root, LanguageVersion languageVersion)
    {
        foreach (var node in root.DescendantNodes())
        {
            if (node is StatementSyntax { AttributeLists.Count: > 0 } and not LocalFunctionStatementSyntax)
                yield return new Error("CS7014", node.SpanStart, "attributes are not valid here");
            if (node is AssignmentExpressionSyntax { Left: var left } && Bare(left) is
                RangeExpressionSyntax or BinaryExpressionSyntax or LiteralExpressionSyntax
                or AssignmentExpressionSyntax or ObjectCreationExpressionSyntax or CastExpressionSyntax
                or ConditionalAccessExpressionSyntax or TypeOfExpressionSyntax or CheckedExpressionSyntax
                or PostfixUnaryExpressionSyntax or BaseExpressionSyntax
                or PrefixUnaryExpressionSyntax { RawKind: not (int)SyntaxKind.PointerIndirectionExpression }
                or ConditionalExpressionSyntax { WhenTrue: not RefExpressionSyntax }
                or InvocationExpressionSyntax { Expression: IdentifierNameSyntax { Identifier.Text: "var" } })
                yield return new Error("CS0131", left.SpanStart, "can't be assigned to");
            if (node is PrefixUnaryExpressionSyntax { RawKind: (int)SyntaxKind.PointerIndirectionExpression }
                and { Operand: TypeOfExpressionSyntax or LiteralExpressionSyntax or ObjectCreationExpressionSyntax
                    or CastExpressionSyntax { Type: not PointerTypeSyntax } })
                yield return new Error("CS0193", node.SpanStart, "is no pointer");
            if (node is OmittedTypeArgumentSyntax && !node.Ancestors().Any(each => each is TypeOfExpressionSyntax))
                yield return new Error("CS7003", node.SpanStart, "needs types");
            if (node is (BreakStatementSyntax or ContinueStatementSyntax) && LeavesNothing(node))
                yield return new Error("CS0139", node.SpanStart, "no enclosing loop");
            if (node is PostfixUnaryExpressionSyntax { Operand: PostfixUnaryExpressionSyntax {
                    RawKind: not (int)SyntaxKind.SuppressNullableWarningExpression } }
                and not { RawKind: (int)SyntaxKind.SuppressNullableWarningExpression })
                yield return new Error("CS1059", node.SpanStart, "is no variable");
            if (node is (LocalDeclarationStatementSyntax or LocalFunctionStatementSyntax)
                && node.Parent is not (BlockSyntax or SwitchSectionSyntax or GlobalStatementSyntax
                    or LabeledStatementSyntax))
                yield return new Error("CS1023", node.SpanStart, "needs braces around it");
            if (node is ThisExpressionSyntax
                && node.FirstAncestorOrSelf<MemberDeclarationSyntax>() is { } member
                && member.Modifiers.Any(SyntaxKind.StaticKeyword))
                yield return new Error("CS0026", node.SpanStart, "is not valid in a static member");
            if (node is (ThisExpressionSyntax or BaseExpressionSyntax) && IsOfField(node))
                yield return new Error("CS0027", node.SpanStart, "is not available in an initializer");
            if (node is BaseExpressionSyntax
                && node.FirstAncestorOrSelf<MemberDeclarationSyntax>() is BaseMethodDeclarationSyntax method
                && method.Modifiers.Any(SyntaxKind.StaticKeyword))
                yield return new Error("CS1511", node.SpanStart, "is not available in a static member");
            if (node is AwaitExpressionSyntax && FunctionAround(node) is
                AnonymousFunctionExpressionSyntax { AsyncKeyword.RawKind: 0 })
                yield return new Error("CS4034", node.SpanStart, "needs an async lambda");
            if (PointerSign(node) is { } sign && !node.AncestorsAndSelf().Any(IsUnsafe))
                yield return new Error("CS0214", sign.SpanStart, "pointers need unsafe");
            if (node is CaseSwitchLabelSyntax { Value: RangeExpressionSyntax })
                yield return new Error("CS0150", node.SpanStart, "is no constant");
            if (node is ParenthesizedLambdaExpressionSyntax { ReturnType: not null }
                && languageVersion < LanguageVersion.CSharp10)
                yield return new Error("CS8773", node.SpanStart, "lambda return type needs C# 10");
            if (node is AttributeListSyntax { Parent: LambdaExpressionSyntax
                    or ParameterSyntax { Parent: LambdaExpressionSyntax or ParameterListSyntax {
                        Parent: LambdaExpressionSyntax } } }
                && languageVersion < LanguageVersion.CSharp10)
                yield return new Error("CS8773", node.SpanStart, "lambda attributes need C# 10");
            if (node.Kind().ToString() == "ListPattern" && languageVersion <= LanguageVersion.CSharp10)
                yield return new Error("CS8773", node.SpanStart, "list pattern needs C# 11");
            if (node is AssignmentExpressionSyntax { Left: TupleExpressionSyntax { Arguments: var parts } }
                && languageVersion < LanguageVersion.CSharp10
                && parts.Any(part => part.Expression is DeclarationExpressionSyntax)
                && !parts.All(part => part.Expression is DeclarationExpressionSyntax
                    or IdentifierNameSyntax { Identifier.Text: "_" }))
                yield return new Error("CS8773", node.SpanStart, "mixed deconstruction needs C# 10");
            if (node is ExpressionStatementSyntax { Expression: { IsMissing: false } expression } && expression is not
                (AssignmentExpressionSyntax or InvocationExpressionSyntax or AwaitExpressionSyntax
                or ObjectCreationExpressionSyntax or ConditionalAccessExpressionSyntax { WhenNotNull:
                    InvocationExpressionSyntax or ConditionalAccessExpressionSyntax or AssignmentExpressionSyntax }
                or PrefixUnaryExpressionSyntax { RawKind:
                    (int)SyntaxKind.PreIncrementExpression or (int)SyntaxKind.PreDecrementExpression }
                or PostfixUnaryExpressionSyntax { RawKind:
                    (int)SyntaxKind.PostIncrementExpression or (int)SyntaxKind.PostDecrementExpression }))
                yield return new Error("CS0201", node.SpanStart, "is no statement");
        }
    }

    private static bool LeavesNothing(SyntaxNode jump) => jump.Ancestors().FirstOrDefault(each =>
        each is WhileStatementSyntax or DoStatementSyntax or ForStatementSyntax
            or CommonForEachStatementSyntax or AnonymousFunctionExpressionSyntax
            or LocalFunctionStatementSyntax or MemberDeclarationSyntax
        || each is SwitchStatementSyntax && jump is BreakStatementSyntax)
        is AnonymousFunctionExpressionSyntax or LocalFunctionStatementSyntax
            or MemberDeclarationSyntax and not GlobalStatementSyntax;

    private static bool IsOfField(SyntaxNode node) =>
        node.FirstAncestorOrSelf<MemberDeclarationSyntax>() is BaseFieldDeclarationSyntax
        && !node.Ancestors().Any(each => each is AttributeSyntax);

    private static SyntaxNode FunctionAround(SyntaxNode node) => node.Ancestors().FirstOrDefault(
        each => each is AnonymousFunctionExpressionSyntax or LocalFunctionStatementSyntax
            or MemberDeclarationSyntax);

    private static SyntaxToken? PointerSign(SyntaxNode node) => node switch
    {
        PrefixUnaryExpressionSyntax { RawKind: (int)SyntaxKind.PointerIndirectionExpression } prefix
            => prefix.OperatorToken,
        MemberAccessExpressionSyntax { RawKind: (int)SyntaxKind.PointerMemberAccessExpression } member
            => member.OperatorToken,
        _ => null,
    };

    private static bool IsUnsafe(SyntaxNode node) => node is UnsafeStatementSyntax
        || node is MemberDeclarationSyntax member && member.Modifiers.Any(SyntaxKind.UnsafeKeyword)
        || node is LocalFunctionStatementSyntax local && local.Modifiers.Any(SyntaxKind.UnsafeKeyword);

    private static ExpressionSyntax Bare(ExpressionSyntax expression) =>
        expression is ParenthesizedExpressionSyntax { Expression: var inner } ? Bare(inner) : expression;

    private static Dictionary<string, int> Count(List<Error> errors) =>
        errors.GroupBy(error => error.Id).ToDictionary(group => group.Key, group => group.Count());
}
