// The declarations of one text, for comparing two texts and for finding the texts that depend on
// them.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Text;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace RoslynServer
{
    /// <summary>One declaration, without bodies.</summary>
    internal sealed class Declaration
    {
        /// <summary>The type whose member it is, with a dot; empty for others.</summary>
        public string Container = "";

        /// <summary>Differs if the declaration has changed.</summary>
        public string Key = "";

        public string[] Names = Array.Empty<string>();

        /// <summary>The words of its signature: types, attributes, constants.</summary>
        public ulong[] Words = Array.Empty<ulong>();

        /// <summary>The words of its base list.</summary>
        public ulong[] Bases = Array.Empty<ulong>();

        public SyntaxNode Node;

        /// <summary>Whether only its own text can use it.</summary>
        public bool IsPrivate;

        /// <summary>Whether it is a type, a delegate, or an alias of one.</summary>
        public bool IsType;

        /// <summary>
        /// Whether it is used without its name: an operator, an indexer, an assembly attribute.
        /// </summary>
        public bool WorksUnnamed;

        /// <summary>Whether it can be used without naming its type.</summary>
        public bool IsReachedOtherwise;

        /// <summary>Whether its value may be part of other constants.</summary>
        public bool IsConstant;

        /// <summary>
        /// The type that it changes as a whole, by a struct's field or a constructor.
        /// </summary>
        public string Makes;

        /// <summary>The type whose derived types may miss it.</summary>
        public string InheritedFrom;
    }

    /// <summary>The declarations of one text; computed once for each tree.</summary>
    internal sealed class DeclaredText
    {
        private static readonly ConditionalWeakTable<SyntaxTree, DeclaredText> Known =
            new ConditionalWeakTable<SyntaxTree, DeclaredText>();

        private static readonly DeclaredText Nothing = new DeclaredText();

        // The compiler calls types with one of these members: they build tasks, or strings.
        private static readonly HashSet<string> OfBuilders = new HashSet<string>(StringComparer.Ordinal)
            { "AppendLiteral", "AwaitOnCompleted", "AwaitUnsafeOnCompleted", "SetStateMachine" };

        private string _namespace = "";
        private bool _isBuilder;

        private DeclaredText() { }

        public List<Declaration> All { get; } = new List<Declaration>();

        /// <summary>The paths of the types, and of the types that contain them.</summary>
        public HashSet<string> Types { get; } = new HashSet<string>(StringComparer.Ordinal);

        /// <summary>
        /// The directives that affect the meaning of names in it, such as usings.
        /// </summary>
        public string Usings { get; private set; } = "";

        /// <summary>All words of the text.</summary>
        public Words Words { get; private set; }

        /// <summary>The declarations of a tree's text; none without a tree.</summary>
        public static DeclaredText In(SyntaxTree tree, CancellationToken token)
        {
            if (tree == null) return Nothing;
            if (Known.TryGetValue(tree, out var known)) return known;
            var declared = new DeclaredText { Words = Words.In(tree.GetText(token)) };
            if (tree.GetRoot(token) is CompilationUnitSyntax unit)
            {
                declared.TakeGlobals(unit);
                declared.TakeMembers(unit.Members, "", null);
            }
            if (tree.GetText(token).ToString() is var text && text.Contains("#nullable"))
                declared.Usings += string.Join(" ", tree.GetRoot(token).DescendantTrivia()
                    .Where(each => each.IsKind(SyntaxKind.NullableDirectiveTrivia)));
            return Known.GetValue(tree, _ => declared);
        }

        private void TakeGlobals(CompilationUnitSyntax unit)
        {
            foreach (var list in unit.AttributeLists) AddUnnamed(list.ToString());
            TakeUsings(unit.Externs, unit.Usings);
        }

        private void TakeUsings(
            SyntaxList<ExternAliasDirectiveSyntax> externs, SyntaxList<UsingDirectiveSyntax> usings)
        {
            foreach (var each in externs) Usings += each;
            foreach (var each in usings)
            {
                var text = each.ToString();
                Usings += text + "\n";
                if (each.GetFirstToken().Text == "global") AddUnnamed(text);
                if (each.Alias is { } alias)
                    All.Add(new Declaration
                    {
                        Key = text,
                        Names = new[] { alias.Name.Identifier.ValueText },
                        Words = WordsOf(new[] { each }, false),
                        Bases = WordsOf(new[] { each }, false),
                        IsType = true,
                        Node = each,
                    });
            }
        }

        private void AddUnnamed(string key) => All.Add(new Declaration { Key = key, WorksUnnamed = true });

        private void TakeMembers(
            IEnumerable<MemberDeclarationSyntax> members, string container, TypeDeclarationSyntax type)
        {
            foreach (var member in members)
            {
                if (IsNamespace(member, out var name, out var inner))
                {
                    var path = $"{container}{name}.";
                    var around = _namespace;
                    _namespace = path;
                    All.Add(new Declaration { Key = $"namespace {path}", Names = name.Split('.') });
                    Usings += $"in {path}\n";
                    TakeUsings(
                        new SyntaxList<ExternAliasDirectiveSyntax>(
                            member.ChildNodes().OfType<ExternAliasDirectiveSyntax>()),
                        new SyntaxList<UsingDirectiveSyntax>(
                            member.ChildNodes().OfType<UsingDirectiveSyntax>()));
                    TakeMembers(inner, path, null);
                    _namespace = around;
                    continue;
                }
                Take(member, container, type);
                if (!(member is BaseTypeDeclarationSyntax nested)) continue;
                var within = PathOf(nested, container);
                Types.Add(within);
                if (nested is TypeDeclarationSyntax other)
                {
                    var wasBuilder = _isBuilder;
                    _isBuilder = other.Members.Any(each =>
                        each is MethodDeclarationSyntax method && OfBuilders.Contains(method.Identifier.ValueText));
                    TakeMembers(other.Members, within, other);
                    _isBuilder = wasBuilder;
                }
                if (nested is EnumDeclarationSyntax listed)
                    foreach (var each in listed.Members) Take(each, within, null);
            }
        }

        private void Take(MemberDeclarationSyntax member, string container, TypeDeclarationSyntax type)
        {
            if (member is BaseFieldDeclarationSyntax { Declaration: { Variables: var variables } })
                foreach (var each in variables)
                    Add(member, each, type, container, " " + TextOf(each, HasValue(member)), new[]
                        { each.Identifier.ValueText });
            else
                Add(member, member, type, container, "", NamesOf(member));
        }

        private void Add(
            MemberDeclarationSyntax member, SyntaxNode node, TypeDeclarationSyntax type, string container,
            string more, IEnumerable<string> called)
        {
            var isType = member is BaseTypeDeclarationSyntax || member is DelegateDeclarationSyntax;
            var names = called.ToList();
            var bases = (member as BaseTypeDeclarationSyntax)?.BaseList;
            // The compiler knows types in these namespaces, and their members, by their names.
            var isTheCompilers = _namespace.StartsWith("System.", StringComparison.Ordinal)
                || _namespace.StartsWith("Microsoft.", StringComparison.Ordinal);
            if (member is EnumMemberDeclarationSyntax { Parent: EnumDeclarationSyntax listing })
                names.Add(listing.Identifier.ValueText);
            All.Add(new Declaration
            {
                Container = type != null ? container : "",
                Key = container + Signature(member) + more,
                Names = names.Where(each => each.Length > 0).ToArray(),
                Words = WordsOf(node == member ? new[] { node } : new[] { member, node }, HasValue(member)),
                Bases = bases != null ? WordsOf(new[] { bases }, false) : Array.Empty<ulong>(),
                Node = node,
                IsPrivate = IsPrivate(member, type),
                IsType = isType,
                WorksUnnamed = WorksUnnamed(member) || isTheCompilers || _isBuilder,
                IsReachedOtherwise = IsExtension(member)
                    || type != null && type.Modifiers.Any(SyntaxKind.PartialKeyword),
                IsConstant = HasValue(member),
                Makes = Makes(member, type),
                InheritedFrom = type != null && !isType && !(type is StructDeclarationSyntax)
                    ? type.Identifier.ValueText : null,
            });
        }

        // A struct's fields decide what its users must assign; constructors are also used by
        // `new()`.
        private static string Makes(MemberDeclarationSyntax member, TypeDeclarationSyntax type)
        {
            if (type == null) return null;
            var isField = type is StructDeclarationSyntax
                && (member is BaseFieldDeclarationSyntax || member is PropertyDeclarationSyntax);
            return isField || member is ConstructorDeclarationSyntax ? type.Identifier.ValueText : null;
        }

        private static string PathOf(BaseTypeDeclarationSyntax type, string container) =>
            $"{container}{type.Identifier.ValueText}`{Arity(type)}.";

        private static int Arity(BaseTypeDeclarationSyntax type) =>
            (type as TypeDeclarationSyntax)?.TypeParameterList?.Parameters.Count ?? 0;

        // The oldest Roslyn that must compile this doesn't have file-scoped namespaces.
        private static bool IsNamespace(
            MemberDeclarationSyntax member, out string name, out IEnumerable<MemberDeclarationSyntax> inner)
        {
            name = null;
            inner = null;
            if (!member.Kind().ToString().EndsWith("NamespaceDeclaration", StringComparison.Ordinal))
                return false;
            name = member.ChildNodes().OfType<NameSyntax>().First().ToString();
            inner = member.ChildNodes().OfType<MemberDeclarationSyntax>();
            return true;
        }

        // Private members are visible only in their type, which is within one text unless it is
        // partial.
        private static bool IsPrivate(MemberDeclarationSyntax member, TypeDeclarationSyntax type)
        {
            if (type == null || type is InterfaceDeclarationSyntax) return false;
            for (SyntaxNode each = type; each is TypeDeclarationSyntax around; each = each.Parent)
                if (around.Modifiers.Any(SyntaxKind.PartialKeyword)) return false;
            // A struct's private fields matter; a private constructor replaces the public default
            // one.
            if (Makes(member, type) != null) return false;
            if (member is OperatorDeclarationSyntax || member is ConversionOperatorDeclarationSyntax)
                return false;
            if (member.Kind().ToString().StartsWith("Record", StringComparison.Ordinal)) return false;
            // Explicit implementations are visible through their interface.
            if (member.ChildNodes().OfType<ExplicitInterfaceSpecifierSyntax>().Any()) return false;
            return !member.Modifiers.Any(each => each.IsKind(SyntaxKind.PublicKeyword)
                || each.IsKind(SyntaxKind.ProtectedKeyword) || each.IsKind(SyntaxKind.InternalKeyword));
        }

        private static bool IsExtension(MemberDeclarationSyntax member) =>
            member is MethodDeclarationSyntax { ParameterList: { Parameters: { Count: var count } list } }
            && count > 0 && list[0].Modifiers.Any(SyntaxKind.ThisKeyword);

        private static bool WorksUnnamed(MemberDeclarationSyntax member) =>
            member is OperatorDeclarationSyntax || member is ConversionOperatorDeclarationSyntax
            || member is IndexerDeclarationSyntax;

        private static IEnumerable<string> NamesOf(MemberDeclarationSyntax member)
        {
            switch (member)
            {
                case BaseTypeDeclarationSyntax type:
                    return TypeNames(type.Identifier).Concat(type.ChildNodes()
                        .OfType<ParameterListSyntax>().SelectMany(each => each.Parameters)
                        .Select(each => each.Identifier.ValueText));
                case DelegateDeclarationSyntax type: return TypeNames(type.Identifier);
                case EnumMemberDeclarationSyntax each: return new[] { each.Identifier.ValueText };
                case MethodDeclarationSyntax method: return new[] { method.Identifier.ValueText };
                case PropertyDeclarationSyntax property: return new[] { property.Identifier.ValueText };
                case EventDeclarationSyntax each: return new[] { each.Identifier.ValueText };
                case ConstructorDeclarationSyntax made: return TypeNames(made.Identifier);
                case DestructorDeclarationSyntax _: return Array.Empty<string>();
            }
            return member.Parent is BaseTypeDeclarationSyntax around
                ? TypeNames(around.Identifier) : Array.Empty<string>();
        }

        // `[Fast]` names FastAttribute.
        private static IEnumerable<string> TypeNames(SyntaxToken identifier)
        {
            const string suffix = "Attribute";
            var name = identifier.ValueText;
            yield return name;
            if (name.Length > suffix.Length && name.EndsWith(suffix, StringComparison.Ordinal))
                yield return name.Substring(0, name.Length - suffix.Length);
        }

        // The whole declaration without its bodies, and without values that others can't see.
        private static string Signature(MemberDeclarationSyntax member)
        {
            var text = new StringBuilder(member.Kind().ToString());
            foreach (var token in TokensOf(member, HasValue(member)))
                text.Append(' ').Append(token.Text);
            return text.ToString();
        }

        private static bool HasValue(MemberDeclarationSyntax member) =>
            member.Modifiers.Any(SyntaxKind.ConstKeyword) || member is EnumMemberDeclarationSyntax;

        private static string TextOf(SyntaxNode node, bool keepsValues) =>
            string.Join(" ", TokensOf(node, keepsValues).Select(each => each.Text));

        private static ulong[] WordsOf(IEnumerable<SyntaxNode> nodes, bool keepsValues) =>
            nodes.SelectMany(node => TokensOf(node, keepsValues))
                .Where(each => each.IsKind(SyntaxKind.IdentifierToken))
                .Select(each => RoslynServer.Words.Of(each.ValueText)).Distinct().ToArray();

        private static readonly SyntaxToken Body = SyntaxFactory.Token(SyntaxKind.OpenBraceToken);

        private static IEnumerable<SyntaxToken> TokensOf(SyntaxNode node, bool keepsValues)
        {
            var isTop = node is MemberDeclarationSyntax;
            foreach (var child in node.ChildNodesAndTokens())
            {
                if (child.IsToken)
                {
                    var token = child.AsToken();
                    if (!token.IsKind(SyntaxKind.SemicolonToken)) yield return token;
                    continue;
                }
                var inner = child.AsNode();
                if (inner is VariableDeclarationSyntax fields)
                {
                    foreach (var token in fields.Type.DescendantTokens()) yield return token;
                    continue;
                }
                // The existence of a body matters, but not its content.
                if (inner is BlockSyntax || inner is ArrowExpressionClauseSyntax)
                {
                    yield return Body;
                    continue;
                }
                var isLeftOut = inner is ConstructorInitializerSyntax
                    || isTop && inner is MemberDeclarationSyntax
                    || inner is EqualsValueClauseSyntax && !keepsValues
                        && !(inner.Parent is ParameterSyntax);
                if (isLeftOut) continue;
                foreach (var token in TokensOf(inner, keepsValues)) yield return token;
            }
        }
    }
}
