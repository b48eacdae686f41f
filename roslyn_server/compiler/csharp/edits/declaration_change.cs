// The effect of changed texts on other texts: which declarations have changed.
//
// A change inside bodies affects no other text. A changed declaration affects the texts that
// mention its name, and those that mention members declared with it: with its type, as a base, as a
// constant. Some declarations are used without being named, and affect all texts.
using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace RoslynServer
{
    /// <summary>The difference between the declarations of texts, and its consequences.</summary>
    internal sealed class DeclarationChange
    {
        // Called by the compiler for foreach, await, using, queries, initializers and the like.
        private static readonly ImmutableHashSet<string> CalledUnnamed = ImmutableHashSet.Create(
            "Add", "AppendFormatted", "AppendLiteral", "Deconstruct", "Dispose", "DisposeAsync",
            "GetAsyncEnumerator", "GetAwaiter", "GetEnumerator", "GetPinnableReference", "GetResult",
            "IsCompleted", "Current", "MoveNext", "MoveNextAsync", "OnCompleted", "Count", "Length",
            "Slice", "Cast", "GroupBy", "GroupJoin", "Join", "OrderBy", "OrderByDescending", "Select",
            "SelectMany", "ThenBy", "ThenByDescending", "Where", "Invoke");

        private readonly HashSet<string> _names = new HashSet<string>(StringComparer.Ordinal);
        private readonly HashSet<ulong> _mentioned = new HashSet<ulong>();
        private readonly HashSet<ulong> _types = new HashSet<ulong>();
        private readonly HashSet<ulong> _constants = new HashSet<ulong>();
        private readonly HashSet<ulong> _inherited = new HashSet<ulong>();

        private DeclarationChange() { }

        /// <summary>No difference.</summary>
        public static readonly DeclarationChange None = new DeclarationChange();

        /// <summary>Any declaration may have changed.</summary>
        public static readonly DeclarationChange All = new DeclarationChange { ConcernsAll = true };

        /// <summary>The names that other texts may mention.</summary>
        public IReadOnlyCollection<string> Names => _names;

        /// <summary>Whether a declaration changed that is used without being named.</summary>
        public bool ConcernsAll { get; private set; }

        public bool IsNone => _mentioned.Count == 0 && !ConcernsAll;

        /// <summary>
        /// Compares the declarations of two texts of one file. If other usings may give the names
        /// in it another meaning, the compilations decide.
        /// </summary>
        public static DeclarationChange Between(
            SyntaxTree before, CSharpCompilation earlier, SyntaxTree after, CSharpCompilation later,
            CancellationToken token)
        {
            var change = new DeclarationChange();
            var was = DeclaredText.In(before, token);
            var now = DeclaredText.In(after, token);
            change.Take(was, now);
            var same = change.Take(now, was);
            if (before == null || after == null || was.Usings == now.Usings) return change;
            var meant = new DeclaredMeaning(earlier, before, token);
            var means = new DeclaredMeaning(later, after, token);
            foreach (var (old, each) in same)
                if (!meant.Of(old).Equals(means.Of(each), StringComparison.Ordinal)) change.Take(each);
            return change;
        }

        /// <summary>Returns both differences together.</summary>
        public DeclarationChange With(DeclarationChange other)
        {
            if (other.IsNone) return this;
            if (IsNone) return other;
            var both = new DeclarationChange();
            both.Join(this);
            both.Join(other);
            return both;
        }

        /// <summary>
        /// Adds the consequences in these texts, repeatedly: members whose types changed, types
        /// whose bases changed, constants made of constants.
        /// </summary>
        public DeclarationChange Within(IReadOnlyCollection<DeclaredText> texts)
        {
            if (IsNone || ConcernsAll) return this;
            var all = new DeclarationChange();
            all.Join(this);
            var size = -1;
            while (size != all.Size && !all.ConcernsAll)
            {
                size = all.Size;
                foreach (var text in texts)
                    foreach (var each in text.All) all.Follow(each);
            }
            return all;
        }

        /// <summary>Whether the change affects a text.</summary>
        public bool Concerns(DeclaredText text) => ConcernsAll || text.Words.MentionAny(_mentioned)
            || _inherited.Count > 0 && text.All.Any(each => each.Bases.Any(_inherited.Contains));

        /// <summary>
        /// Whether some declaration of a text names what changed: in its signature, bases, attributes or
        /// constants. If none does, others see the same of it as before.
        /// </summary>
        public bool IsDeclaredWith(DeclaredText text) => ConcernsAll || text.Words.MentionAny(_mentioned)
            && text.All.Any(each => each.Words.Any(_mentioned.Contains) || each.Bases.Any(_mentioned.Contains))
            || _inherited.Count > 0 && text.All.Any(each => each.Bases.Any(_inherited.Contains));

        /// <summary>The numbers of the names that a text must mention to be affected.</summary>
        public IReadOnlyCollection<ulong> Mentioned => _mentioned;

        /// <summary>Whether the compiler calls members of this name where no text spells it.</summary>
        public static bool IsCalledUnnamed(string name) => CalledUnnamed.Contains(name);

        /// <summary>Whether the text may mention a changed name.</summary>
        public bool IsMentioned(Words words) => words.MentionAny(_mentioned);

        private int Size => _mentioned.Count + _types.Count + _constants.Count + _inherited.Count;

        private void Join(DeclarationChange other)
        {
            _names.UnionWith(other._names);
            _mentioned.UnionWith(other._mentioned);
            _types.UnionWith(other._types);
            _constants.UnionWith(other._constants);
            _inherited.UnionWith(other._inherited);
            ConcernsAll |= other.ConcernsAll;
        }

        // Takes the declarations that only one of the texts has; returns those that both have.
        private List<(Declaration, Declaration)> Take(DeclaredText these, DeclaredText those)
        {
            var left = those.All.GroupBy(each => each.Key).ToDictionary(
                same => same.Key, same => new Queue<Declaration>(same), StringComparer.Ordinal);
            var both = new List<(Declaration, Declaration)>();
            foreach (var each in these.All)
            {
                if (left.TryGetValue(each.Key, out var same) && same.Count > 0)
                {
                    both.Add((same.Dequeue(), each));
                    continue;
                }
                // The members of a removed type can't be used without its name.
                var isWithinAnother = each.Container.Length > 0
                    && !those.Types.Contains(each.Container) && !each.IsReachedOtherwise;
                if (!isWithinAnother) Take(each);
            }
            return both;
        }

        private void Take(Declaration declared)
        {
            if (declared.IsPrivate) return;
            _names.UnionWith(declared.Names);
            if (declared.InheritedFrom is { } type) _inherited.Add(Words.Of(type));
            Reach(declared);
        }

        private void Reach(Declaration declared)
        {
            var names = declared.Names.Select(Words.Of).ToArray();
            _mentioned.UnionWith(names);
            if (declared.IsType) _types.UnionWith(names);
            if (declared.IsConstant) _constants.UnionWith(names);
            if (declared.Makes is { } made)
            {
                _types.Add(Words.Of(made));
                _mentioned.Add(Words.Of(made));
            }
            ConcernsAll |= declared.WorksUnnamed || declared.Names.Any(CalledUnnamed.Contains);
        }

        private void Follow(Declaration declared)
        {
            if (declared.IsType && declared.Bases.Any(_inherited.Contains))
                _inherited.UnionWith(declared.Names.Select(Words.Of));
            if (declared.IsPrivate) return;
            var isOther = declared.Words.Any(_types.Contains)
                || declared.IsConstant && declared.Words.Any(_constants.Contains);
            if (isOther) Reach(declared);
        }
    }

    /// <summary>The meaning of one text's declarations in its compilation.</summary>
    internal sealed class DeclaredMeaning
    {
        private static readonly SymbolDisplayFormat InFull = SymbolDisplayFormat.FullyQualifiedFormat
            .WithMemberOptions(
                SymbolDisplayMemberOptions.IncludeContainingType | SymbolDisplayMemberOptions.IncludeParameters
                | SymbolDisplayMemberOptions.IncludeType | SymbolDisplayMemberOptions.IncludeConstantValue
                | SymbolDisplayMemberOptions.IncludeRef | SymbolDisplayMemberOptions.IncludeExplicitInterface)
            .WithGenericsOptions(
                SymbolDisplayGenericsOptions.IncludeTypeParameters
                | SymbolDisplayGenericsOptions.IncludeTypeConstraints)
            .WithParameterOptions(
                SymbolDisplayParameterOptions.IncludeType | SymbolDisplayParameterOptions.IncludeDefaultValue
                | SymbolDisplayParameterOptions.IncludeParamsRefOut);

        private readonly SemanticModel _model;
        private readonly CancellationToken _token;

        public DeclaredMeaning(CSharpCompilation compilation, SyntaxTree tree, CancellationToken token)
        {
            _model = compilation.GetSemanticModel(tree);
            _token = token;
        }

        public string Of(Declaration declared)
        {
            if (declared.Node == null) return "";
            var symbol = _model.GetDeclaredSymbol(declared.Node, _token);
            if (symbol == null) return "?";
            var attributes = string.Join(";", symbol.GetAttributes().Select(
                each => $"{each.AttributeClass?.ToDisplayString(InFull)}"));
            var more = symbol switch
            {
                IAliasSymbol alias => alias.Target.ToDisplayString(InFull),
                INamedTypeSymbol type => string.Join(";", type.Interfaces.Select(each => each.ToDisplayString(InFull)))
                    + type.BaseType?.ToDisplayString(InFull)
                    + type.DelegateInvokeMethod?.ToDisplayString(InFull),
                _ => "",
            };
            return $"{symbol.ToDisplayString(InFull)} {more} {attributes}";
        }
    }
}
