// Find the bodies that a rename can give new errors, so that the others needn't be bound again.
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;

namespace RoslynServer
{
    /// <summary>
    /// The bodies of a text that a rename concerns: they spell one of its names, or a declaration that changes.
    /// What decides which texts are bound again decides here which parts of them are.
    /// </summary>
    internal sealed class ConcernedBodies
    {
        private readonly HashSet<ulong> _names;
        private readonly bool _areAll;
        private readonly CancellationToken _token;

        public ConcernedBodies(ReferenceSearch search, IEnumerable<string> names, CancellationToken token)
        {
            _names = names.Select(Words.Of).ToHashSet();
            _token = token;
            // The compiler uses types, and members by these names, where no text spells them. It may have a
            // name from an attribute's string.
            _areAll = !(search.Symbol is IFieldSymbol || search.Symbol is IPropertySymbol || search.Symbol is IEventSymbol
                    || search.Symbol is IMethodSymbol { MethodKind: MethodKind.Ordinary } || search.Symbol is IParameterSymbol)
                || names.Any(DeclarationChange.IsCalledUnnamed) || search.Search.Texts.Any();
        }

        /// <summary>
        /// Returns the span that has all of them in a text of an assembly; <c>null</c> if it isn't known.
        /// </summary>
        public TextSpan? In(JudgedAssembly assembly, SyntaxTree tree)
        {
            var change = assembly.Step.Change;
            if (_areAll || change.ConcernsAll || assembly.Step.State.CountsUnused) return null;
            // With other usings each name may mean something else.
            if (!assembly.Before.Sources.TryGetValue(tree.FilePath, out var before)
                || DeclaredText.In(before.Tree, _token).Usings != DeclaredText.In(tree, _token).Usings) return null;
            if (!(tree.GetRoot(_token) is CompilationUnitSyntax unit) || unit.Members.Any(each => each is GlobalStatementSyntax))
                return null;
            var names = change.Mentioned.Concat(_names).ToHashSet();
            if (!(Words.Around(tree.GetText(_token).ToString(), names) is { } around)) return null;
            var (first, last) = (Member(unit, around.Start, around), Member(unit, around.End - 1, around));
            return TextSpan.FromBounds(first.Start, System.Math.Max(first.End, last.End));
        }

        // The member that has a place.
        private static TextSpan Member(SyntaxNode unit, int place, TextSpan otherwise) =>
            unit.FindToken(place).Parent?.FirstAncestorOrSelf<MemberDeclarationSyntax>()?.Span ?? otherwise;
    }
}
