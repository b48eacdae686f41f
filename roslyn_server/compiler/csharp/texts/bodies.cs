// The bodies of a text, and what is around them.
//
// While all around them stays as it is, what is wrong with a body hangs on the body's own text alone. So
// of a text that was judged before but for a body or two, only these are bound again.
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
    /// <summary>Where the bodies of one text are. It keeps nothing of the tree.</summary>
    internal sealed class Bodies
    {
        private readonly string _text;

        // In the text's order: members that have bodies, and the bodies, of which a property may have two.
        private readonly List<TextSpan> _members = new List<TextSpan>();
        private readonly List<TextSpan> _bodies = new List<TextSpan>();

        private Bodies(string text) => _text = text;

        /// <summary>How long the text is.</summary>
        public int Length => _text.Length;

        /// <summary>Those of a tree that parses.</summary>
        public static Bodies Of(SyntaxTree tree, CancellationToken token)
        {
            var found = new Bodies(tree.GetText(token).ToString());
            if (tree.GetRoot(token) is CompilationUnitSyntax unit) found.Take(unit.Members);
            return found;
        }

        /// <summary>
        /// The members whose bodies are others than in an earlier text, by their numbers; <c>null</c>
        /// where more differs than bodies.
        /// </summary>
        public List<int> ChangedSince(Bodies earlier)
        {
            if (_members.Count != earlier._members.Count || _bodies.Count != earlier._bodies.Count) return null;
            var (from, was) = (0, 0);
            for (var number = 0; number <= _bodies.Count; number++)
            {
                var to = number < _bodies.Count ? _bodies[number].Start : _text.Length;
                var end = number < _bodies.Count ? earlier._bodies[number].Start : earlier._text.Length;
                if (!IsSame(earlier, TextSpan.FromBounds(from, to), TextSpan.FromBounds(was, end))) return null;
                if (number == _bodies.Count) break;
                (from, was) = (_bodies[number].End, earlier._bodies[number].End);
            }
            return Enumerable.Range(0, _members.Count)
                .Where(number => !IsSame(earlier, _members[number], earlier._members[number])).ToList();
        }

        /// <summary>Where a member is.</summary>
        public TextSpan Member(int number) => _members[number];

        /// <summary>The member around a place; negative: there is none.</summary>
        public int MemberAt(TextSpan place)
        {
            var number = LastBefore(_members, place.Start + 1);
            return number >= 0 && _members[number].Contains(place) ? number : -1;
        }

        /// <summary>
        /// Where a place of an earlier text is in this one, in a member that is as it was, or outside of
        /// all bodies; <c>null</c> where that isn't known.
        /// </summary>
        public TextSpan? Moved(Bodies earlier, TextSpan place, ICollection<int> changed)
        {
            var member = earlier.MemberAt(place);
            if (member >= 0 && !changed.Contains(member))
                return new TextSpan(
                    place.Start + _members[member].Start - earlier._members[member].Start, place.Length);
            var before = LastBefore(earlier._bodies, place.Start + 1);
            var (from, to) = before < 0 ? (0, 0) : (earlier._bodies[before].End, _bodies[before].End);
            var end = before + 1 < _bodies.Count ? earlier._bodies[before + 1].Start : earlier._text.Length;
            if (place.Start < from || place.End > end) return null;
            return new TextSpan(place.Start - from + to, place.Length);
        }

        // The last span that starts before a position; negative: none does.
        private static int LastBefore(List<TextSpan> spans, int position)
        {
            var (low, high) = (0, spans.Count);
            while (low < high)
            {
                var middle = (low + high) / 2;
                if (spans[middle].Start < position) low = middle + 1;
                else high = middle;
            }
            return low - 1;
        }

        private bool IsSame(Bodies earlier, TextSpan here, TextSpan there) => here.Length == there.Length
            && string.CompareOrdinal(_text, here.Start, earlier._text, there.Start, here.Length) == 0;

        private void Take(IEnumerable<MemberDeclarationSyntax> members)
        {
            foreach (var member in members)
            {
                var bodies = BodiesOf(member);
                // What directives in a body say may hold behind it.
                if (bodies.Count > 0 && !bodies.Any(each => each.ContainsDirectives))
                {
                    _members.Add(member.Span);
                    _bodies.AddRange(bodies.Select(each => each.Span));
                }
                // A body that uses a parameter of its type makes a field of it.
                else if (!member.ChildNodes().Any(each => each is ParameterListSyntax))
                    Take(member.ChildNodes().OfType<MemberDeclarationSyntax>());
            }
        }

        private List<SyntaxNode> BodiesOf(MemberDeclarationSyntax member)
        {
            var bodies = new List<SyntaxNode>();
            if (member is BaseMethodDeclarationSyntax method) Add(bodies, method.Body, method.ExpressionBody);
            if (!(member is BasePropertyDeclarationSyntax property)) return bodies;
            foreach (var each in property.AccessorList?.Accessors ?? default)
                Add(bodies, each.Body, each.ExpressionBody);
            Add(bodies, null, (member as PropertyDeclarationSyntax)?.ExpressionBody
                ?? (member as IndexerDeclarationSyntax)?.ExpressionBody);
            // `field` in a body is a declaration, from C# 14 on.
            var at = member.Span;
            if (_text.IndexOf("field", at.Start, at.Length, StringComparison.Ordinal) >= 0) bodies.Clear();
            return bodies;
        }

        private static void Add(List<SyntaxNode> bodies, BlockSyntax block, ArrowExpressionClauseSyntax arrow)
        {
            if (block != null) bodies.Add(block);
            if (arrow != null) bodies.Add(arrow);
        }
    }
}
