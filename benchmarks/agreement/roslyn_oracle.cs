// What real Roslyn says of an edited text: the errors that the original text had not.
//
// Compiled in memory by the Roslyn that it asks, when the benchmark starts. One call judges all
// edits of one file, so that crossing from Python costs nothing.
using System;
using System.Collections.Generic;
using System.Collections.Immutable;
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

    // Errors of the binder that follow from the text alone, whatever else is referenced.
    private static readonly ImmutableHashSet<string> BindingErrorsOfForm = ImmutableHashSet.Create(
        "CS0106", "CS0116", "CS0131", "CS0132", "CS0139", "CS0145", "CS0201", "CS0267", "CS0270",
        "CS0275", "CS0432", "CS0500", "CS0501", "CS0514", "CS0525", "CS0526", "CS0531", "CS0548",
        "CS0573", "CS0574", "CS0708", "CS0710", "CS0751", "CS0753", "CS0840", "CS1004", "CS1023",
        "CS1059", "CS1107", "CS1527", "CS1547", "CS1611", "CS1612", "CS1671", "CS1751", "CS1992",
        "CS4033", "CS7014", "CS8050", "CS8057", "CS8112", "CS8180", "CS8370", "CS8400", "CS8652",
        "CS8703", "CS8706", "CS8773", "CS8802", "CS8805", "CS8967");

    private static CSharpParseOptions Options(string languageVersion, string[] symbols)
    {
        if (!LanguageVersionFacts.TryParse(languageVersion, out var version))
            throw new ArgumentException(languageVersion);
        return new CSharpParseOptions(version, DocumentationMode.None, SourceCodeKind.Regular, symbols);
    }

    // For each edited text: its new errors ("id position message"), one a line, under the first
    // symbol set that shows any; empty when no set does. An error is new when the edited text has
    // more of its id than the original.
    public static string[] NewErrors(
        string original, string[] edited, string[][] symbolSets, string languageVersion, bool bind)
    {
        var found = new string[edited.Length];
        Array.Fill(found, "");
        foreach (var symbols in symbolSets)
        {
            var options = Options(languageVersion, symbols);
            var before = Count(Errors(original, options, bind));
            for (var index = 0; index < edited.Length; index++)
            {
                if (found[index].Length > 0) continue;
                var errors = Errors(edited[index], options, bind);
                if (errors.Count == 0) continue;
                var more = Count(errors).Where(
                    pair => pair.Value > before.GetValueOrDefault(pair.Key)).Select(pair => pair.Key);
                var ids = more.ToHashSet();
                found[index] = string.Join("\n", errors.Where(error => ids.Contains(error.Id)).Select(
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

    private static List<Error> Errors(string text, CSharpParseOptions options, bool bind)
    {
        var tree = CSharpSyntaxTree.ParseText(SourceText.From(text), options);
        var diagnostics = tree.GetDiagnostics();
        if (!bind) return Told(diagnostics).ToList();
        var library = new CSharpCompilationOptions(
            OutputKind.DynamicallyLinkedLibrary, allowUnsafe: true);
        var compilation = CSharpCompilation.Create("edited", new[] { tree }, Runtime, library);
        return Told(compilation.GetDiagnostics()).Where(each => BindingErrorsOfForm.Contains(each.Id))
            .Concat(UnfitExpressions(tree.GetRoot(), options.LanguageVersion)).ToList();
    }

    private static IEnumerable<Error> Told(IEnumerable<Diagnostic> diagnostics) =>
        from each in diagnostics
        where each.Severity == DiagnosticSeverity.Error
        select new Error(each.Id, each.Location.SourceSpan.Start, Messages.OneLine(each));

    // More such errors, which the binder keeps to itself where names are unknown: attributes of
    // statements, assignments to what can't be assigned to, expressions that are no statement,
    // values taken for pointers, types left out, ranges as labels; and newer syntax in the body of a
    // lambda, which isn't bound.
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

    private static ExpressionSyntax Bare(ExpressionSyntax expression) =>
        expression is ParenthesizedExpressionSyntax { Expression: var inner } ? Bare(inner) : expression;

    private static Dictionary<string, int> Count(List<Error> errors) =>
        errors.GroupBy(error => error.Id).ToDictionary(group => group.Key, group => group.Count());
}
