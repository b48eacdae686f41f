using System.Collections.Immutable;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Diagnostics;

/// <summary>Opinions of each severity, on names, statements, and what additional files list.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class Critic : DiagnosticAnalyzer
{
    private static readonly DiagnosticDescriptor Forbidden = Of("CRIT1", DiagnosticSeverity.Error);
    private static readonly DiagnosticDescriptor LowerCase = Of("CRIT2", DiagnosticSeverity.Warning);
    private static readonly DiagnosticDescriptor Jump = Of("CRIT3", DiagnosticSeverity.Info);
    private static readonly DiagnosticDescriptor Listed = Of("CRIT4", DiagnosticSeverity.Error);
    private static readonly DiagnosticDescriptor Alone = Of("CRIT5", DiagnosticSeverity.Error, isEnabled: false);

    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } =
        ImmutableArray.Create(Forbidden, LowerCase, Jump, Listed, Alone);

    public override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.EnableConcurrentExecution();
        context.RegisterSymbolAction(
            each => Tell(each, Forbidden, each.Symbol.Name == "forbidden"), SymbolKind.Field);
        context.RegisterSymbolAction(
            each => Tell(each, LowerCase, char.IsLower(each.Symbol.Name[0])), SymbolKind.Method);
        context.RegisterSymbolAction(
            each => Tell(each, Alone, each.Symbol.Name == "Nobody"), SymbolKind.NamedType);
        context.RegisterSyntaxNodeAction(
            each => each.ReportDiagnostic(Diagnostic.Create(Jump, each.Node.GetLocation(), "goto")),
            SyntaxKind.GotoStatement);
        context.RegisterOperationAction(_ => { }, OperationKind.Literal);
        context.RegisterCompilationStartAction(start =>
        {
            var listed = start.Options.AdditionalFiles.SelectMany(each => each.GetText()!.Lines)
                .Select(each => each.ToString().Trim()).ToImmutableHashSet();
            start.RegisterSymbolAction(
                each => Tell(each, Listed, listed.Contains(each.Symbol.Name)), SymbolKind.NamedType);
        });
        context.RegisterSyntaxNodeAction(each =>
        {
            var name = ((ClassDeclarationSyntax)each.Node).Identifier.Text;
            if (name == "Throws") throw new System.InvalidOperationException("no opinion\non that");
            while (name == "Endless") Thread.Sleep(10);
        }, SyntaxKind.ClassDeclaration);
    }

    private static void Tell(SymbolAnalysisContext context, DiagnosticDescriptor what, bool isSo)
    {
        if (isSo) context.ReportDiagnostic(Diagnostic.Create(what, context.Symbol.Locations[0], context.Symbol.Name));
    }

    private static DiagnosticDescriptor Of(string id, DiagnosticSeverity severity, bool isEnabled = true) =>
        new DiagnosticDescriptor(id, id, "No {0}", "Taste", severity, isEnabled);
}

/// <summary>Fields named so are written by somebody else.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class Serialization : DiagnosticSuppressor
{
    private static readonly SuppressionDescriptor Unassigned =
        new SuppressionDescriptor("CRIT9", "CS0649", "It is serialized");

    public override ImmutableArray<SuppressionDescriptor> SupportedSuppressions { get; } =
        ImmutableArray.Create(Unassigned);

    public override void ReportSuppressions(SuppressionAnalysisContext context)
    {
        foreach (var each in context.ReportedDiagnostics)
            if (each.GetMessage().Contains("serialized"))
                context.ReportSuppression(Suppression.Create(Unassigned, each));
    }
}
