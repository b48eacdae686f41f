// Names of types that a text spells without their namespace.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;

namespace RoslynServer
{
    /// <summary>Finds the namespaces that have a type of an unknown name.</summary>
    internal sealed class MissingUsings
    {
        private static readonly HashSet<string> Codes = new HashSet<string> { "CS0246", "CS0103" };

        private readonly CSharpCompilation _compilation;
        private readonly SyntaxTree _tree;
        private readonly CompilationUnitSyntax _root;
        private readonly CancellationToken _token;

        public MissingUsings(CSharpCompilation compilation, SyntaxTree tree, CancellationToken token)
        {
            (_compilation, _tree, _token) = (compilation, tree, token);
            _root = (CompilationUnitSyntax)tree.GetRoot(token);
        }

        /// <summary>Returns a fix for each unknown name, with a <c>using</c> for each namespace.</summary>
        public IEnumerable<CodeFix> For(IEnumerable<FoundError> errors)
        {
            var known = new HashSet<(string, int)>();
            foreach (var error in errors.Where(each => Codes.Contains(each.Id)))
            {
                if (!(Unknown(error) is { } name)) continue;
                if (!known.Add((name.Identifier.ValueText, Arity(name)))) continue;
                var spaces = Types(name).Where(IsUsable).Select(each => each.ContainingNamespace.ToDisplayString())
                    .Distinct().OrderBy(each => each, StringComparer.Ordinal).ToList();
                if (spaces.Count == 0) continue;
                yield return new CodeFix(
                    error.Id, spaces.Select(each => ($"using {each}", Using(name, each))).ToList());
            }
        }

        // The unknown name, if it stands where a type can be meant.
        private SimpleNameSyntax Unknown(FoundError error)
        {
            var name = _root.FindToken(error.Span.Start).Parent as SimpleNameSyntax;
            if (name == null || name.Identifier.ValueText.Length == 0) return null;
            var isType = error.Id == "CS0246" || name.Parent is MemberAccessExpressionSyntax access && access.Expression == name;
            return isType ? name : null;
        }

        private static int Arity(SimpleNameSyntax name) => name is GenericNameSyntax generic ? generic.Arity : 0;

        private IEnumerable<INamedTypeSymbol> Types(SimpleNameSyntax name)
        {
            var text = name.Identifier.ValueText;
            var isAttribute = name.Parent is AttributeSyntax;
            // Unlike the namespaces of the compilation, those of a library are read once.
            var assemblies = _compilation.SourceModule.ReferencedAssemblySymbols.Append(_compilation.Assembly)
                .Where(each => each.TypeNames.Contains(text) || isAttribute && each.TypeNames.Contains(text + "Attribute"));
            var left = new Stack<INamespaceSymbol>(assemblies.SelectMany(each => each.GlobalNamespace.GetNamespaceMembers()));
            while (left.Count > 0)
            {
                _token.ThrowIfCancellationRequested();
                var space = left.Pop();
                foreach (var each in space.GetNamespaceMembers()) left.Push(each);
                foreach (var each in space.GetTypeMembers(text, Arity(name)))
                    if (!isAttribute || IsAttribute(each)) yield return each;
                if (isAttribute)
                    foreach (var each in space.GetTypeMembers(text + "Attribute", 0).Where(IsAttribute)) yield return each;
            }
        }

        private bool IsUsable(INamedTypeSymbol type) =>
            _compilation.IsSymbolAccessibleWithin(type, _compilation.Assembly);

        private static bool IsAttribute(INamedTypeSymbol type)
        {
            for (var each = type.BaseType; each != null; each = each.BaseType)
                if (each.Name == "Attribute" && each.ContainingNamespace?.ToDisplayString() == "System") return true;
            return false;
        }

        // After the last using outside of #if, those of the namespace around the name if the file has
        // no others; else before the first code.
        private TextEdit Using(SyntaxNode name, string space)
        {
            var around = name.Ancestors().OfType<NamespaceDeclarationSyntax>().Select(each => each.Usings);
            foreach (var usings in around.Append(_root.Usings).Reverse())
            {
                if (!(Last(usings) is { } last)) continue;
                var text = _tree.GetText(_token);
                var line = text.Lines.GetLineFromPosition(last.Span.End);
                var first = text.Lines.GetLineFromPosition(last.SpanStart);
                var indent = text.ToString(TextSpan.FromBounds(first.Start, last.SpanStart));
                return Insert(line.End, $"\n{(indent.Trim().Length == 0 ? indent : "")}using {space};");
            }
            return Insert(BeforeCode(), $"using {space};\n");
        }

        private static UsingDirectiveSyntax Last(SyntaxList<UsingDirectiveSyntax> usings)
        {
            UsingDirectiveSyntax last = null;
            var depth = 0;
            foreach (var each in usings)
            {
                foreach (var trivia in each.GetLeadingTrivia())
                    depth += trivia.IsKind(SyntaxKind.IfDirectiveTrivia) ? 1
                        : trivia.IsKind(SyntaxKind.EndIfDirectiveTrivia) ? -1 : 0;
                if (depth == 0) last = each;
            }
            return last;
        }

        // The beginning of the first line after a comment at the top that stands alone, #define and
        // extern alias.
        private int BeforeCode()
        {
            if (_root.Externs.Count > 0) return _root.Externs.Last().FullSpan.End;
            var text = _tree.GetText(_token);
            var at = 0;
            foreach (var line in text.Lines)
            {
                var content = text.ToString(line.Span).Trim();
                var isComment = content.StartsWith("//") && !content.StartsWith("///");
                if (content.Length == 0 || content.StartsWith("#define") || content.StartsWith("#undef"))
                    at = line.EndIncludingLineBreak;
                else if (!isComment) break;
            }
            return at;
        }

        private TextEdit Insert(int at, string text) => new TextEdit(_tree, new TextSpan(at, 0), text, "using");
    }
}
