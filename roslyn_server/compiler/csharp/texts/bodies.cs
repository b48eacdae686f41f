// The bodies of a text, and the code around them.
//
// While the code around the bodies is unchanged, the errors of a body depend only on its own text.
// So if a text was judged before except for a body or two, only these are bound again.
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
    /// <summary>The places of the bodies in one text. Keeps no reference to the tree.</summary>
    internal sealed class Bodies
    {
        private readonly string _text;

        // In text order: members with bodies, and the bodies, of which a property may have two.
        private readonly List<TextSpan> _members = new List<TextSpan>();
        private readonly List<TextSpan> _bodies = new List<TextSpan>();

        private Bodies(string text) => _text = text;

        /// <summary>How long the text is.</summary>
        public int Length => _text.Length;

        /// <summary>Returns the bodies of a tree without syntax errors.</summary>
        public static Bodies Of(SyntaxTree tree, CancellationToken token)
        {
            var found = new Bodies(tree.GetText(token).ToString());
            if (tree.GetRoot(token) is CompilationUnitSyntax unit) found.Take(unit.Members);
            return found;
        }

        /// <summary>
        /// Returns the numbers of the members whose bodies differ from an earlier text; <c>null</c>
        /// if more than bodies differs.
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

        /// <summary>Returns the place of a member.</summary>
        public TextSpan Member(int number) => _members[number];

        /// <summary>Returns the member around a place; negative: none.</summary>
        public int MemberAt(TextSpan place)
        {
            var number = LastBefore(_members, place.Start + 1);
            return number >= 0 && _members[number].Contains(place) ? number : -1;
        }

        /// <summary>
        /// Returns where a place of an earlier text is in this one, in an unchanged member or
        /// outside of all bodies; <c>null</c> if unknown.
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

        // The last span that starts before a position; negative: none.
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
                // A directive in a body may affect the code after it.
                if (bodies.Count > 0 && !bodies.Any(each => each.ContainsDirectives))
                {
                    _members.Add(member.Span);
                    _bodies.AddRange(bodies.Select(each => each.Span));
                }
                // A body that uses a parameter of its type turns it into a field.
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
            // From C# 14 on, `field` in a body is a declaration.
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
