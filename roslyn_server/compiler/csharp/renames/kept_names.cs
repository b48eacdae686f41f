// Attributes that let Unity find what it serialized under the name before.
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
    /// <summary>The edits that add or remove such attributes, for one rename.</summary>
    internal sealed class KeptNames
    {
        private const string Serialization = "UnityEngine.Serialization";
        private const string Updating = "UnityEngine.Scripting.APIUpdating";
        private const string Formerly = "FormerlySerializedAs";
        private const string Moved = "MovedFrom";

        private readonly ReferenceSearch _search;
        private readonly SymbolFacts _facts;
        private readonly string _newName;
        private readonly CancellationToken _token;
        private readonly List<TextEdit> _edits = new List<TextEdit>();
        private readonly List<INamedTypeSymbol> _moved = new List<INamedTypeSymbol>();

        public KeptNames(ReferenceSearch search, SymbolFacts facts, string newName, CancellationToken token) =>
            (_search, _facts, _newName, _token) = (search, facts, newName, token);

        /// <summary>The types that are found under their old names, once the edits are made.</summary>
        public IReadOnlyList<INamedTypeSymbol> MovedTypes => _moved;

        /// <summary>Whether a field's values are found under its old key, once the edits are made.</summary>
        public bool KeepsKey { get; private set; }

        /// <summary>Returns the edits; none if the name isn't serialized.</summary>
        public IReadOnlyList<TextEdit> Edits()
        {
            KeepsKey = _facts.Serialized.Count > 0;
            foreach (var (symbol, field) in _facts.Serialized) KeepsKey &= KeepField(symbol, field.Key);
            foreach (var type in _facts.Managed) KeepType(type);
            return _edits;
        }

        // Returns whether the field's values are found under its old key then.
        private bool KeepField(ISymbol symbol, string key)
        {
            var node = symbol.DeclaringSyntaxReferences.Select(each => each.GetSyntax(_token)).FirstOrDefault();
            var isProperty = node is PropertyDeclarationSyntax;
            var declaration = node.FirstAncestorOrSelf<MemberDeclarationSyntax>();
            var newKey = isProperty ? $"<{_newName}>k__BackingField" : _newName;
            var isKept = Named(declaration, Formerly, each => Argument(each, 0) == key) != null;
            var removed = Named(declaration, Formerly, each => Argument(each, 0) == newKey);
            if (removed != null)
            {
                Remove(removed, Serialization, Formerly);
                return isKept;
            }
            if (isKept || !IsKnown($"{Serialization}.{Formerly}Attribute")) return isKept;
            var attribute = $"[{(isProperty ? "field: " : "")}{Formerly}({Literal(key)})]";
            if (declaration is FieldDeclarationSyntax { Declaration: { Variables: { Count: > 1 } } } several)
                Split(several, (VariableDeclaratorSyntax)node);
            var at = declaration is FieldDeclarationSyntax { Declaration: { Variables: { Count: > 1 } variables } } shared
                && variables[0] != node ? (SyntaxNode)node : declaration;
            if (at == declaration) Add(declaration, attribute);
            else
            {
                // The declarator begins a declaration of its own: see Split.
                var last = _edits.FindIndex(each => each.Tree == node.SyntaxTree && each.Span.End == node.SpanStart);
                var (tree, span, text) = (_edits[last].Tree, _edits[last].Span, _edits[last].Text);
                var line = LineBreak(tree) + Indentation(declaration);
                _edits[last] = new TextEdit(tree, span, text.Insert(text.IndexOf(';') + 1, line + attribute), "attribute");
            }
            Use(declaration, Serialization);
            return true;
        }

        // One declaration for each name, since an attribute is about all names of one.
        private void Split(FieldDeclarationSyntax field, VariableDeclaratorSyntax renamed)
        {
            var start = field.AttributeLists.Count > 0 ? field.AttributeLists[0].SpanStart : field.SpanStart;
            var head = Renamed(field.SyntaxTree, TextSpan.FromBounds(start, field.Declaration.Type.Span.End));
            var variables = field.Declaration.Variables;
            var line = LineBreak(field.SyntaxTree) + Indentation(field);
            for (var at = 1; at < variables.Count; at++)
            {
                if (variables[at] != renamed && variables[at - 1] != renamed) continue;
                var between = TextSpan.FromBounds(variables.GetSeparator(at - 1).SpanStart, variables[at].SpanStart);
                _edits.Add(new TextEdit(field.SyntaxTree, between, $";{line}{head} ", "attribute"));
            }
        }

        // A copy of a text, in which the symbol has its new name.
        private string Renamed(SyntaxTree tree, TextSpan span)
        {
            var text = tree.GetText(_token).ToString(span);
            foreach (var each in _search.Found.Where(each => each.Tree.FilePath == tree.FilePath && span.Contains(each.Span))
                .Select(each => each.Span).Distinct().OrderByDescending(each => each.Start))
                text = text.Remove(each.Start - span.Start, each.Length).Insert(each.Start - span.Start, RenameEdits.Escaped(_newName));
            return text;
        }

        // Unity reads [MovedFrom] of the type itself only: what is inside keeps its old name in assets.
        private void KeepType(INamedTypeSymbol type)
        {
            var space = (_search.Symbol as INamespaceSymbol)?.ToDisplayString();
            string own = type.ContainingNamespace.IsGlobalNamespace ? "" : type.ContainingNamespace.ToDisplayString();
            var newSpace = space == null ? own : space.Substring(0, space.LastIndexOf('.') + 1) + _newName + own.Substring(space.Length);
            var newName = space == null ? _newName : type.Name;
            if (UnityNames.Attribute(type, $"{Updating}.{Moved}Attribute") is { } known)
            {
                KeepMoved(type, known, (own, type.Name), (newSpace, newName));
                return;
            }
            var declaration = type.DeclaringSyntaxReferences.Select(each => each.GetSyntax(_token))
                .OfType<TypeDeclarationSyntax>().FirstOrDefault();
            if (declaration == null || !IsKnown($"{Updating}.{Moved}Attribute")) return;
            Add(declaration, space == null ? $"[{Moved}(false, null, null, {Literal(type.Name)})]"
                : $"[{Moved}(false, {Literal(own)}, null, null)]");
            Use(declaration, Updating);
            _moved.Add(type);
        }

        // A type can have one such attribute only. What it leaves out is as the type has it now.
        private void KeepMoved(
            INamedTypeSymbol type, AttributeData known, (string Space, string Name) before, (string Space, string Name) after)
        {
            // Of both constructors: whether to update scripts, if said, then namespace, assembly and name.
            var said = known.ConstructorArguments.Where(each => each.Type?.SpecialType == SpecialType.System_String)
                .Select(each => each.Value as string).ToList();
            var (space, assembly, name) = (said.ElementAtOrDefault(0), said.ElementAtOrDefault(1), said.ElementAtOrDefault(2));
            var from = (Space: space ?? before.Space, Name: name ?? before.Name);
            var isOwn = assembly == null || assembly == type.ContainingAssembly.Name;
            var updates = known.ConstructorArguments.Any(each => each.Value is false) ? "false" : "true";
            if (isOwn && from == before) _moved.Add(type);
            if (!(known.ApplicationSyntaxReference?.GetSyntax(_token) is AttributeSyntax written)) return;
            if (isOwn && from == after) Remove(written, Updating, Moved);
            else if ((space ?? after.Space, name ?? after.Name) != from && written.ArgumentList is { } arguments)
                _edits.Add(new TextEdit(written.SyntaxTree, arguments.Span,
                    $"({updates}, {Literal(from.Space)}, {(assembly == null ? "null" : Literal(assembly))}, {Literal(from.Name)})", "attribute"));
        }

        private static string Literal(string text) => SyntaxFactory.Literal(text).Text;

        private bool IsKnown(string attribute) => _search.Search.Bound.Any(each =>
            each.Reading.Compilation.GetTypeByMetadataName(attribute) != null);

        private static AttributeSyntax Named(MemberDeclarationSyntax declaration, string name, Func<AttributeSyntax, bool> fits) =>
            declaration.AttributeLists.SelectMany(each => each.Attributes).FirstOrDefault(each =>
                each.Name.ToString().Split('.').Last() is var last && (last == name || last == name + "Attribute") && fits(each));

        private static string Argument(AttributeSyntax attribute, int index) =>
            attribute.ArgumentList?.Arguments.ElementAtOrDefault(index)?.Expression is LiteralExpressionSyntax literal
                ? literal.Token.Value as string : null;

        private void Add(MemberDeclarationSyntax declaration, string attribute)
        {
            var start = declaration.SpanStart;
            var isFirst = Indentation(declaration).Length == Column(declaration);
            var between = isFirst ? LineBreak(declaration.SyntaxTree) + Indentation(declaration) : " ";
            _edits.Add(new TextEdit(declaration.SyntaxTree, new TextSpan(start, 0), attribute + between, "attribute"));
        }

        private void Remove(AttributeSyntax attribute, string space, string name)
        {
            var list = (AttributeListSyntax)attribute.Parent;
            var text = attribute.SyntaxTree.GetText(_token).ToString();
            var span = list.Attributes.Count == 1 ? list.Span : attribute.Span;
            var end = span.End;
            if (list.Attributes.Count > 1)
            {
                var at = list.Attributes.IndexOf(attribute);
                span = at > 0 ? TextSpan.FromBounds(list.Attributes[at - 1].Span.End, span.End)
                    : TextSpan.FromBounds(span.Start, list.Attributes[1].SpanStart);
            }
            else
            {
                while (end < text.Length && char.IsWhiteSpace(text[end])) end++;
                span = TextSpan.FromBounds(span.Start, end);
            }
            _edits.Add(new TextEdit(attribute.SyntaxTree, span, "", "attribute"));
            if (!IsNamedOutside(text, span, name) && attribute.SyntaxTree.GetRoot(_token) is CompilationUnitSyntax unit
                && unit.Usings.FirstOrDefault(each => each.Alias == null && each.Name.ToString() == space) is { } directive)
            {
                var stop = directive.Span.End;
                if (stop < text.Length && text[stop] == '\r') stop++;
                if (stop < text.Length && text[stop] == '\n') stop++;
                _edits.Add(new TextEdit(attribute.SyntaxTree, TextSpan.FromBounds(directive.SpanStart, stop), "", "using"));
            }
        }

        private static bool IsNamedOutside(string text, TextSpan span, string name)
        {
            for (var at = text.IndexOf(name, StringComparison.Ordinal); at >= 0; at = text.IndexOf(name, at + 1, StringComparison.Ordinal))
                if (!span.Contains(at)) return true;
            return false;
        }

        // Adds a using, unless the text has it or an edit adds it.
        private void Use(SyntaxNode declaration, string space)
        {
            var tree = declaration.SyntaxTree;
            if (!(tree.GetRoot(_token) is CompilationUnitSyntax unit)) return;
            if (declaration.AncestorsAndSelf().SelectMany(Usings).Any(each => each.Alias == null && each.Name.ToString() == space)) return;
            if (_edits.Any(each => each.Path == tree.FilePath && each.Kind == "using")) return;
            var line = LineBreak(tree);
            var last = unit.Usings.LastOrDefault(each => Depth(unit, each.SpanStart) == 0
                && string.CompareOrdinal(each.Name.ToString(), space) < 0 && each.Alias == null) ??
                unit.Usings.LastOrDefault(each => Depth(unit, each.SpanStart) == 0);
            var at = last?.Span.End ?? Start(unit);
            _edits.Add(new TextEdit(tree, new TextSpan(at, 0),
                last != null ? $"{line}using {space};" : $"using {space};{line}", "using"));
        }

        private static IEnumerable<UsingDirectiveSyntax> Usings(SyntaxNode node) => node is CompilationUnitSyntax unit
            ? unit.Usings : node.ChildNodes().OfType<UsingDirectiveSyntax>();

        // How many conditions a place is within.
        private static int Depth(CompilationUnitSyntax unit, int offset)
        {
            var depth = 0;
            for (var at = unit.GetFirstDirective(); at != null && at.SpanStart < offset; at = at.GetNextDirective())
                depth += at is IfDirectiveTriviaSyntax ? 1 : at is EndIfDirectiveTriviaSyntax ? -1 : 0;
            return depth;
        }

        // After the directives that must come first.
        private static int Start(CompilationUnitSyntax unit)
        {
            var start = 0;
            for (var at = unit.GetFirstDirective(); at != null; at = at.GetNextDirective())
                if (at is DefineDirectiveTriviaSyntax || at is UndefDirectiveTriviaSyntax) start = at.FullSpan.End;
            return start;
        }

        private string LineBreak(SyntaxTree tree) =>
            tree.GetText(_token).ToString() is var text && text.Contains("\r\n", StringComparison.Ordinal) ? "\r\n" : "\n";

        private int Column(SyntaxNode node)
        {
            var text = node.SyntaxTree.GetText(_token);
            return node.SpanStart - text.Lines.GetLineFromPosition(node.SpanStart).Start;
        }

        private string Indentation(SyntaxNode node)
        {
            var line = node.SyntaxTree.GetText(_token).Lines.GetLineFromPosition(node.SpanStart).ToString();
            return line.Substring(0, line.Length - line.TrimStart().Length);
        }
    }
}
