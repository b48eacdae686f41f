// The words of a text as numbers, to find the texts of a whole project that mention a name.
using System;
using System.Collections.Generic;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Text;

namespace RoslynServer
{
    /// <summary>
    /// All possible names in a text, including those in comments and strings, and words with equal
    /// numbers. Extra ones only cause more texts to be judged.
    /// </summary>
    internal sealed class Words
    {
        private const ulong Basis = 14695981039346656037;
        private const ulong Prime = 1099511628211;

        private readonly ulong[] _sorted;
        private readonly bool _hasEscapes;

        private Words(ulong[] sorted, bool hasEscapes)
        {
            _sorted = sorted;
            _hasEscapes = hasEscapes;
        }

        public static Words In(SourceText text)
        {
            var all = new HashSet<ulong>();
            var hasEscapes = Read(text.ToString(), (word, _) => all.Add(word));
            var sorted = new ulong[all.Count];
            all.CopyTo(sorted);
            Array.Sort(sorted);
            return new Words(sorted, hasEscapes);
        }

        /// <summary>
        /// Returns the span from the first to the last place that may spell any of the names; <c>null</c>
        /// if there is none, or if that isn't known.
        /// </summary>
        public static TextSpan? Around(string text, ISet<ulong> names)
        {
            var (first, last) = (-1, -1);
            var hasEscapes = Read(text, (word, end) =>
            {
                if (!names.Contains(word)) return;
                if (first < 0) first = end - 1;
                last = end;
            });
            return first < 0 || hasEscapes ? (TextSpan?)null : TextSpan.FromBounds(first, last);
        }

        // Tells of each word, and where it ends; returns whether there may be names that are spelled with \u0041,
        // which are not decoded.
        private static bool Read(string text, Action<ulong, int> take)
        {
            var word = Basis;
            var isEscape = false;
            var hasEscapes = false;
            for (var at = 0; at < text.Length; at++)
            {
                var character = text[at];
                if (IsPart(character))
                {
                    hasEscapes |= isEscape && (character == 'u' || character == 'U');
                    word = (word ^ character) * Prime;
                }
                else if (word != Basis)
                {
                    take(word, at);
                    word = Basis;
                }
                isEscape = character == '\\';
            }
            if (word != Basis) take(word, text.Length);
            return hasEscapes;
        }

        /// <summary>The number of a name.</summary>
        public static ulong Of(string name)
        {
            var word = Basis;
            foreach (var character in name) word = (word ^ character) * Prime;
            return word;
        }

        /// <summary>Whether the text may mention any of the names.</summary>
        public bool MentionAny(IReadOnlyCollection<ulong> names)
        {
            if (names.Count == 0) return false;
            if (_hasEscapes) return true;
            foreach (var name in names)
                if (Array.BinarySearch(_sorted, name) >= 0) return true;
            return false;
        }

        private static bool IsPart(char character) => character < 128
            ? character >= 'a' && character <= 'z' || character >= 'A' && character <= 'Z'
                || character >= '0' && character <= '9' || character == '_'
            : SyntaxFacts.IsIdentifierPartCharacter(character);
    }
}
