// Members that a type must have for its interfaces and abstract base types.
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
    /// <summary>Writes what a type lacks, with bodies that throw.</summary>
    internal sealed class MissingMembers
    {
        private const int MaxMembers = 40;

        private static readonly HashSet<string> Codes = new HashSet<string> { "CS0535", "CS0534" };

        private readonly SemanticModel _model;
        private readonly SyntaxTree _tree;
        private readonly SyntaxNode _root;
        private readonly SourceText _text;
        private readonly CancellationToken _token;

        public MissingMembers(CSharpCompilation compilation, SyntaxTree tree, CancellationToken token)
        {
            (_tree, _root, _text, _token) = (tree, tree.GetRoot(token), tree.GetText(token), token);
            _model = compilation.GetSemanticModel(tree);
        }

        /// <summary>Returns a fix for each type that lacks members.</summary>
        public IEnumerable<CodeFix> For(IEnumerable<FoundError> errors)
        {
            var known = new HashSet<SyntaxNode>();
            foreach (var error in errors.Where(each => Codes.Contains(each.Id)))
            {
                var declaration = _root.FindToken(error.Span.Start).Parent?.AncestorsAndSelf()
                    .OfType<TypeDeclarationSyntax>().FirstOrDefault();
                if (declaration == null || declaration.OpenBraceToken.IsMissing || declaration.CloseBraceToken.IsMissing
                    || declaration.CloseBraceToken.IsKind(SyntaxKind.None) || !known.Add(declaration)) continue;
                if (!(_model.GetDeclaredSymbol(declaration, _token) is INamedTypeSymbol type)) continue;
                var missing = Abstract(type).Concat(OfInterfaces(type)).Take(MaxMembers + 1).ToList();
                if (missing.Count == 0 || missing.Count > MaxMembers) continue;
                var edit = new MemberLayout(_text, declaration).Insertion(Written(type, missing, declaration));
                var names = string.Join(", ", missing.Take(4).Select(each => each.Name).Distinct());
                var what = $"the missing members of {type.Name}: {names}{(missing.Count > 4 ? ", …" : "")}";
                yield return new CodeFix(error.Id, new[] { (what, new TextEdit(_tree, edit.Span, edit.NewText, "members")) });
            }
        }

        private static IEnumerable<ISymbol> Abstract(INamedTypeSymbol type)
        {
            var overridden = new HashSet<ISymbol>(SymbolEqualityComparer.Default);
            for (var each = type; each != null; each = each.BaseType)
                foreach (var member in each.GetMembers().Where(IsWritten))
                {
                    if (Overridden(member) is { } other) overridden.Add(other);
                    if (member.IsAbstract && !Same(each, type) && !overridden.Contains(member)) yield return member;
                }
        }

        private static IEnumerable<ISymbol> OfInterfaces(INamedTypeSymbol type) =>
            from each in type.AllInterfaces
            from member in each.GetMembers()
            where IsWritten(member) && member.IsAbstract && !member.IsStatic
                && type.FindImplementationForInterfaceMember(member) == null
            select member;

        private static bool IsWritten(ISymbol member) =>
            member is IMethodSymbol { MethodKind: MethodKind.Ordinary } || member is IPropertySymbol || member is IEventSymbol;

        private static ISymbol Overridden(ISymbol member) => member switch
        {
            IMethodSymbol method => method.OverriddenMethod,
            IPropertySymbol property => property.OverriddenProperty,
            IEventSymbol other => other.OverriddenEvent,
            _ => null,
        };

        private static bool Same(ISymbol one, ISymbol other) => SymbolEqualityComparer.Default.Equals(one, other);

        private IEnumerable<string[]> Written(
            INamedTypeSymbol type, IReadOnlyList<ISymbol> missing, TypeDeclarationSyntax declaration)
        {
            var taken = type.GetMembers().Select(Signature).ToHashSet(StringComparer.Ordinal);
            foreach (var member in missing)
            {
                var isOfInterface = member.ContainingType.TypeKind == TypeKind.Interface;
                var isExplicit = isOfInterface && (!taken.Add(Signature(member)) || member.Name == type.Name
                    || member.DeclaredAccessibility != Accessibility.Public);
                yield return Lines(member, isOfInterface, isExplicit, declaration.OpenBraceToken.SpanStart).ToArray();
            }
        }

        private static string Signature(ISymbol member) => member switch
        {
            IMethodSymbol method => $"{method.Name}`{method.Arity}({Types(method.Parameters)})",
            IPropertySymbol { IsIndexer: true } property => $"this({Types(property.Parameters)})",
            _ => member.Name,
        };

        private static string Types(IEnumerable<IParameterSymbol> parameters) => string.Join(
            ",", parameters.Select(each => $"{(each.RefKind == RefKind.None ? "" : "ref ")}{each.Type.ToDisplayString()}"));

        private IEnumerable<string> Lines(ISymbol member, bool isOfInterface, bool isExplicit, int at)
        {
            var words = isExplicit ? "" : isOfInterface ? "public " : $"{Access(member)} override ";
            var head = (member is IEventSymbol ? $"{words}event " : words) + Display(member, isOfInterface, isExplicit, at);
            const string Throw = "throw new System.NotImplementedException();";
            IEnumerable<(string, IMethodSymbol)> parts = member switch
            {
                IPropertySymbol property => new[]
                {
                    ("get", property.GetMethod), (property.SetMethod?.IsInitOnly == true ? "init" : "set", property.SetMethod),
                },
                IEventSymbol other => new[] { ("add", other.AddMethod), ("remove", other.RemoveMethod) },
                _ => Array.Empty<(string, IMethodSymbol)>(),
            };
            yield return head;
            if (member is IMethodSymbol) yield return MemberLayout.Deeper + Throw;
            foreach (var (name, accessor) in parts.Where(each => each.Item2 != null))
            {
                var own = isOfInterface || accessor.DeclaredAccessibility == member.DeclaredAccessibility
                    ? "" : $"{Access(accessor)} ";
                yield return $"{MemberLayout.Deeper}{own}{name} {{ {Throw} }}";
            }
        }

        private string Access(ISymbol member) => member.DeclaredAccessibility switch
        {
            Accessibility.Protected => "protected",
            Accessibility.Internal => "internal",
            Accessibility.ProtectedOrInternal =>
                Same(member.ContainingAssembly, _model.Compilation.Assembly) ? "protected internal" : "protected",
            Accessibility.ProtectedAndInternal => "private protected",
            _ => "public",
        };

        private string Display(ISymbol member, bool isOfInterface, bool isExplicit, int at)
        {
            // Constraints of what is overridden, or implemented explicitly, are inherited.
            var generics = SymbolDisplayGenericsOptions.IncludeTypeParameters;
            if (isOfInterface && !isExplicit) generics |= SymbolDisplayGenericsOptions.IncludeTypeConstraints;
            var format = SymbolDisplayFormat.MinimallyQualifiedFormat
                .WithMemberOptions(SymbolDisplayMemberOptions.IncludeType | SymbolDisplayMemberOptions.IncludeParameters
                    | SymbolDisplayMemberOptions.IncludeRef)
                .WithParameterOptions(SymbolDisplayParameterOptions.IncludeType | SymbolDisplayParameterOptions.IncludeName
                    | SymbolDisplayParameterOptions.IncludeParamsRefOut)
                .WithKindOptions(SymbolDisplayKindOptions.None)
                .WithGenericsOptions(generics);
            if ((_model.GetNullableContext(at) & NullableContext.AnnotationsEnabled) != 0)
                format = format.AddMiscellaneousOptions(SymbolDisplayMiscellaneousOptions.IncludeNullableReferenceTypeModifier);
            var owner = isExplicit ? member.ContainingType.ToMinimalDisplayString(_model, at) + "." : "";
            return string.Concat(member.ToMinimalDisplayParts(_model, at, format).Select(each =>
                Same(each.Symbol, member) || each.Kind == SymbolDisplayPartKind.Keyword && each.ToString() == "this"
                    ? owner + each : each.ToString()));
        }
    }

    /// <summary>Where new members of a type go, and how the type is laid out.</summary>
    internal sealed class MemberLayout
    {
        /// <summary>Stands at the beginning of lines that are one level deeper.</summary>
        public const string Deeper = "\u0001";

        private readonly SourceText _text;
        private readonly TypeDeclarationSyntax _type;

        public MemberLayout(SourceText text, TypeDeclarationSyntax type) => (_text, _type) = (text, type);

        /// <summary>Returns the insertion of members, each as its head and the lines of its body.</summary>
        public TextChange Insertion(IEnumerable<string[]> members)
        {
            var close = _type.CloseBraceToken;
            var line = _text.Lines.GetLineFromPosition(close.SpanStart);
            var isAlone = Blank(TextSpan.FromBounds(line.Start, close.SpanStart));
            var own = IndentOf(isAlone ? close.SpanStart : _type.SpanStart);
            var inner = _type.Members.FirstOrDefault(each => BeginsLine(each.SpanStart)) is { } first
                ? IndentOf(first.SpanStart) : own + Step(own);
            var step = inner.StartsWith(own) && inner.Length > own.Length ? inner.Substring(own.Length) : Step(own);
            var isOpenBehind = !BeginsLine(_type.OpenBraceToken.SpanStart) && isAlone;
            var blocks = members.Select(each => string.Join("\n", Block(each, inner, step, isOpenBehind)));
            var all = string.Join("\n\n", blocks);
            var gap = _type.Members.Count > 0 ? "\n" : "";
            if (isAlone) return new TextChange(new TextSpan(line.Start, 0), $"{gap}{all}\n");
            var start = close.GetPreviousToken().Span.End;
            return new TextChange(TextSpan.FromBounds(start, close.SpanStart), $"\n{gap}{all}\n{own}");
        }

        private static IEnumerable<string> Block(string[] lines, string indent, string step, bool isOpenBehind)
        {
            yield return indent + lines[0] + (isOpenBehind ? " {" : "");
            if (!isOpenBehind) yield return indent + "{";
            foreach (var each in lines.Skip(1)) yield return indent + each.Replace(Deeper, step);
            yield return indent + "}";
        }

        private string IndentOf(int position)
        {
            var line = _text.ToString(_text.Lines.GetLineFromPosition(position).Span);
            return line.Substring(0, line.Length - line.TrimStart().Length);
        }

        private bool BeginsLine(int position) =>
            Blank(TextSpan.FromBounds(_text.Lines.GetLineFromPosition(position).Start, position));

        private bool Blank(TextSpan span) => _text.ToString(span).Trim().Length == 0;

        // One level of indentation: the type's own beyond what it stands in, else that of the file.
        private string Step(string own)
        {
            var outer = _type.Parent is MemberDeclarationSyntax parent && BeginsLine(parent.SpanStart)
                ? IndentOf(parent.SpanStart) : "";
            if (own.Length > outer.Length && own.StartsWith(outer)) return own.Substring(outer.Length);
            return _text.Lines.Any(each => each.Start < _text.Length && _text[each.Start] == '\t') ? "\t" : "    ";
        }
    }
}
