// What a change of one text means for other texts: which declared names are not what they were.
//
// A change inside bodies concerns nobody else. A changed declaration concerns the texts that
// mention its name; some declarations work without being named, and concern all of the assembly.
using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Linq;
using System.Text;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace RoslynServer
{
    /// <summary>The difference between the declarations of two texts of one file.</summary>
    internal sealed class DeclarationChange
    {
        // Called by the compiler for foreach, await, using, queries, initializers and the like.
        private static readonly ImmutableHashSet<string> CalledUnnamed = ImmutableHashSet.Create(
            "Add", "Deconstruct", "Dispose", "DisposeAsync", "GetAsyncEnumerator", "GetAwaiter",
            "GetEnumerator", "GetPinnableReference", "GetResult", "IsCompleted", "Current", "MoveNext",
            "MoveNextAsync", "OnCompleted", "Count", "Length", "Slice", "Cast", "GroupBy", "GroupJoin",
            "Join", "OrderBy", "OrderByDescending", "Select", "SelectMany", "ThenBy",
            "ThenByDescending", "Where", "Invoke");

        private readonly HashSet<string> _names = new HashSet<string>(StringComparer.Ordinal);
        private readonly HashSet<string> _inherited = new HashSet<string>(StringComparer.Ordinal);

        private DeclarationChange() { }

        /// <summary>No difference.</summary>
        public static readonly DeclarationChange None = new DeclarationChange();

        /// <summary>Every declaration may be another.</summary>
        public static readonly DeclarationChange All = new DeclarationChange { ConcernsAll = true };

        /// <summary>The names that other texts of the assembly may mention.</summary>
        public IReadOnlyCollection<string> Names => _names;

        /// <summary>The types whose heirs must have other members than they had.</summary>
        public IReadOnlyCollection<string> InheritedTypes => _inherited;

        /// <summary>Whether something changed that is used without being named.</summary>
        public bool ConcernsAll { get; private set; }

        public bool IsNone => _names.Count == 0 && !ConcernsAll;

        /// <summary>What differs; <c>null</c> stands for a text that isn't there.</summary>
        public static DeclarationChange Between(
            SyntaxTree before, SyntaxTree after, CancellationToken token)
        {
            var change = new DeclarationChange();
            var was = Declared.In(before, token);
            var now = Declared.In(after, token);
            change.Take(was, now);
            change.Take(now, was);
            return change;
        }

        /// <summary>Both differences together.</summary>
        public DeclarationChange With(DeclarationChange other)
        {
            if (other.IsNone) return this;
            if (IsNone) return other;
            var both = new DeclarationChange { ConcernsAll = ConcernsAll || other.ConcernsAll };
            both._names.UnionWith(_names);
            both._names.UnionWith(other._names);
            both._inherited.UnionWith(_inherited);
            both._inherited.UnionWith(other._inherited);
            return both;
        }

        // What one text declares and the other doesn't.
        private void Take(Declared these, Declared those)
        {
            var left = those.All.GroupBy(each => each.Key).ToDictionary(
                same => same.Key, same => same.Count(), StringComparer.Ordinal);
            foreach (var each in these.All)
            {
                if (left.TryGetValue(each.Key, out var count) && count > 0)
                {
                    left[each.Key] = count - 1;
                    continue;
                }
                // The members of a type that is gone can't be had without its name.
                var isWithinAnother = each.Container.Length > 0
                    && !those.Types.Contains(each.Container) && !each.IsReachedOtherwise;
                if (!isWithinAnother) Take(each);
            }
        }

        private void Take(Declaration declared)
        {
            if (declared.IsPrivate) return;
            _names.UnionWith(declared.Names.Where(name => name.Length > 0));
            if (declared.InheritedFrom != null) _inherited.Add(declared.InheritedFrom);
            ConcernsAll |= declared.WorksUnnamed || declared.Names.Any(CalledUnnamed.Contains);
        }

        private sealed class Declaration
        {
            public string Container = "";
            public string Key = "";
            public string[] Names = Array.Empty<string>();
            public bool IsPrivate;
            public bool WorksUnnamed;
            public bool IsReachedOtherwise;
            public string InheritedFrom;
        }

        private sealed class Declared
        {
            public readonly List<Declaration> All = new List<Declaration>();
            public readonly HashSet<string> Types = new HashSet<string>(StringComparer.Ordinal);

            public static Declared In(SyntaxTree tree, CancellationToken token)
            {
                var declared = new Declared();
                if (tree?.GetRoot(token) is CompilationUnitSyntax unit)
                {
                    declared.TakeGlobals(unit);
                    declared.TakeMembers(unit.Members, "", null);
                }
                return declared;
            }

            private void TakeGlobals(CompilationUnitSyntax unit)
            {
                foreach (var list in unit.AttributeLists) AddUnnamed(list.ToString());
                foreach (var each in unit.Usings)
                    if (each.GetFirstToken().Text == "global") AddUnnamed(each.ToString());
            }

            private void AddUnnamed(string key) =>
                All.Add(new Declaration { Key = key, WorksUnnamed = true });

            private void TakeMembers(
                IEnumerable<MemberDeclarationSyntax> members, string container, TypeDeclarationSyntax type)
            {
                foreach (var member in members)
                {
                    if (IsNamespace(member, out var name, out var inner))
                    {
                        var path = $"{container}{name}.";
                        All.Add(new Declaration { Key = $"namespace {path}", Names = name.Split('.') });
                        TakeMembers(inner, path, null);
                        continue;
                    }
                    Take(member, container, type);
                    if (!(member is BaseTypeDeclarationSyntax nested)) continue;
                    var within = PathOf(nested, container);
                    Types.Add(within);
                    // With other bases, what was inherited is used without the heir being named.
                    if (nested.BaseList is { } bases)
                        All.Add(new Declaration
                        {
                            Container = within,
                            Key = within + TextOf(bases, true),
                            Names = new[] { nested.Identifier.ValueText },
                            WorksUnnamed = true,
                        });
                    if (nested is TypeDeclarationSyntax around)
                        TakeMembers(around.Members, within, around);
                    if (nested is EnumDeclarationSyntax listed)
                        foreach (var each in listed.Members) Take(each, within, null);
                }
            }

            private void Take(
                MemberDeclarationSyntax member, string container, TypeDeclarationSyntax type)
            {
                if (member is BaseFieldDeclarationSyntax { Declaration: { Variables: var variables } })
                    foreach (var each in variables)
                        Add(member, type, container, " " + TextOf(each, HasValue(member)), new[]
                            { each.Identifier.ValueText });
                else
                    Add(member, type, container, "", NamesOf(member));
            }

            private void Add(
                MemberDeclarationSyntax member, TypeDeclarationSyntax type, string container,
                string more, IEnumerable<string> called)
            {
                var names = called.ToList();
                var isLacked = type is InterfaceDeclarationSyntax
                    || type != null && !(member is BaseTypeDeclarationSyntax)
                        && member.Modifiers.Any(SyntaxKind.AbstractKeyword);
                // A struct's fields decide what its users must assign.
                if (type is StructDeclarationSyntax && member is BaseFieldDeclarationSyntax)
                    names.Add(type.Identifier.ValueText);
                All.Add(new Declaration
                {
                    Container = type != null ? container : "",
                    Key = container + Signature(member) + more,
                    Names = names.ToArray(),
                    IsPrivate = IsPrivate(member, type),
                    WorksUnnamed = WorksUnnamed(member),
                    IsReachedOtherwise = IsExtension(member)
                        || type != null && type.Modifiers.Any(SyntaxKind.PartialKeyword),
                    // Who implements or derives from a type doesn't mention what they lack.
                    InheritedFrom = isLacked ? type.Identifier.ValueText : null,
                });
            }

            private static string PathOf(BaseTypeDeclarationSyntax type, string container) =>
                $"{container}{type.Identifier.ValueText}`{Arity(type)}.";
        }

        private static int Arity(BaseTypeDeclarationSyntax type) =>
            (type as TypeDeclarationSyntax)?.TypeParameterList?.Parameters.Count ?? 0;

        // File-scoped namespaces came later than the oldest Roslyn that this must build on.
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

        // Private members are seen within their type, which is within one text unless it is partial.
        private static bool IsPrivate(MemberDeclarationSyntax member, TypeDeclarationSyntax type)
        {
            if (type == null || type is InterfaceDeclarationSyntax) return false;
            for (SyntaxNode each = type; each is TypeDeclarationSyntax around; each = each.Parent)
                if (around.Modifiers.Any(SyntaxKind.PartialKeyword)) return false;
            if (type is StructDeclarationSyntax && member is BaseFieldDeclarationSyntax) return false;
            if (member is OperatorDeclarationSyntax || member is ConversionOperatorDeclarationSyntax)
                return false;
            if (member.Kind().ToString().StartsWith("Record", StringComparison.Ordinal)) return false;
            // Explicit implementations are seen through their interface.
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

        // All of a declaration but its bodies, and values that nobody else sees.
        private static string Signature(MemberDeclarationSyntax member)
        {
            var text = new StringBuilder(member.Kind().ToString());
            Append(member, text, HasValue(member), true);
            return text.ToString();
        }

        private static bool HasValue(MemberDeclarationSyntax member) =>
            member.Modifiers.Any(SyntaxKind.ConstKeyword) || member is EnumMemberDeclarationSyntax;

        private static string TextOf(SyntaxNode node, bool keepsValues)
        {
            var text = new StringBuilder();
            Append(node, text, keepsValues, false);
            return text.ToString();
        }

        private static void Append(SyntaxNode node, StringBuilder text, bool keepsValues, bool isTop)
        {
            if (node is VariableDeclarationSyntax fields)
            {
                text.Append(' ').Append(fields.Type.ToString());
                return;
            }
            foreach (var child in node.ChildNodesAndTokens())
            {
                if (child.IsToken)
                {
                    var token = child.AsToken();
                    if (!token.IsKind(SyntaxKind.SemicolonToken)) text.Append(' ').Append(token.Text);
                    continue;
                }
                var inner = child.AsNode();
                var isLeftOut = inner is BlockSyntax || inner is ArrowExpressionClauseSyntax
                    || inner is ConstructorInitializerSyntax
                    || isTop && (inner is MemberDeclarationSyntax || inner is BaseListSyntax)
                    || inner is EqualsValueClauseSyntax && !keepsValues
                        && !(inner.Parent is ParameterSyntax);
                if (!isLeftOut) Append(inner, text, keepsValues, false);
            }
        }
    }
}
