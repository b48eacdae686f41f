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
            var word = Basis;
            var isEscape = false;
            var hasEscapes = false;
            var characters = text.ToString();
            foreach (var character in characters)
            {
                if (IsPart(character))
                {
                    // A name may be spelled with \u0041; such names are not decoded.
                    hasEscapes |= isEscape && (character == 'u' || character == 'U');
                    word = (word ^ character) * Prime;
                }
                else if (word != Basis)
                {
                    all.Add(word);
                    word = Basis;
                }
                isEscape = character == '\\';
            }
            if (word != Basis) all.Add(word);
            var sorted = new ulong[all.Count];
            all.CopyTo(sorted);
            Array.Sort(sorted);
            return new Words(sorted, hasEscapes);
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
