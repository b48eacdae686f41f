using System;
using System.Linq;
using System.Text;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;

/// <summary>
/// Makes the other half of each partial class: with <c>Made()</c>, which returns how many fields the
/// class has. What the project gives as additional files become constants of <c>Given</c>.
/// </summary>
[Generator]
public sealed class HalfMaker : ISourceGenerator
{
    private static readonly DiagnosticDescriptor Unwanted = new DiagnosticDescriptor(
        "MAKE1", "Unwanted", "Nobody wants {0}", "Making", DiagnosticSeverity.Error, true);

    public void Initialize(GeneratorInitializationContext context) { }

    public void Execute(GeneratorExecutionContext context)
    {
        Console.WriteLine("Content-Length: 2"); // as such libraries do that somebody debugs
        foreach (var tree in context.Compilation.SyntaxTrees)
            foreach (var type in tree.GetRoot().DescendantNodes().OfType<ClassDeclarationSyntax>())
            {
                var name = type.Identifier.Text;
                if (name == "Throws") throw new InvalidOperationException("no half\nof that");
                while (name == "Endless") Thread.Sleep(10);
                if (name == "Unwanted")
                    context.ReportDiagnostic(Diagnostic.Create(Unwanted, type.Identifier.GetLocation(), name));
                if (!type.Modifiers.Any(each => each.Text == "partial")) continue;
                var fields = type.Members.OfType<FieldDeclarationSyntax>().Count();
                context.AddSource(name + ".g.cs", SourceText.From(
                    $"public partial class {name} {{ public {(fields > 2 ? "long" : "int")} Made() => {fields}; }}",
                    Encoding.UTF8));
            }
        foreach (var file in context.AdditionalFiles)
            context.AddSource("Given.g.cs", SourceText.From(
                $"public static class Given {{ public const int {file.GetText()} = 1; }}", Encoding.UTF8));
    }
}

/// <summary>Makes an attribute, before anything else.</summary>
[Generator]
public sealed class MarkMaker : IIncrementalGenerator
{
    public void Initialize(IncrementalGeneratorInitializationContext context) =>
        context.RegisterPostInitializationOutput(output => output.AddSource(
            "Mark.g.cs", SourceText.From("public sealed class MarkAttribute : System.Attribute { }", Encoding.UTF8)));
}
