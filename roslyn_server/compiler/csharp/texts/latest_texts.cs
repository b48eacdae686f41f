// Cache of results for recently judged texts, for texts that differ from them in a body or two.
using System;
using System.Collections.Generic;
using System.Linq;

namespace RoslynServer
{
    /// <summary>The known results for one text.</summary>
    internal interface IOfBodies
    {
        /// <summary>The text's bodies.</summary>
        Bodies Bodies { get; }
    }

    /// <summary>A bounded number of results. Thread-safe.</summary>
    internal sealed class LatestTexts<T> where T : class, IOfBodies
    {
        private const int MaxTexts = 16;
        private const int MaxCharacters = 2_000_000;
        private const int FewMembers = 8;

        private readonly LinkedList<T> _latest = new LinkedList<T>();

        /// <summary>
        /// Returns the matching result whose text differs in the fewest members' bodies, if these
        /// are few, and their numbers; <c>null</c> if there is none.
        /// </summary>
        public T Like(Bodies bodies, Func<T, bool> counts, out List<int> changed)
        {
            changed = null;
            T like = null;
            List<T> known;
            lock (_latest) known = _latest.ToList();
            foreach (var each in known)
            {
                if (!counts(each) || !(bodies.ChangedSince(each.Bodies) is { } members)) continue;
                if (members.Count > FewMembers || changed != null && changed.Count <= members.Count) continue;
                (like, changed) = (each, members);
            }
            return like;
        }

        /// <summary>Adds a result in place of the old one for the same text.</summary>
        public void Keep(T text, T same)
        {
            lock (_latest)
            {
                if (same != null) _latest.Remove(same);
                _latest.AddFirst(text);
                while (_latest.Count > MaxTexts
                    || _latest.Count > 1 && _latest.Sum(each => (long)each.Bodies.Length) > MaxCharacters)
                    _latest.RemoveLast();
            }
        }

        /// <summary>Drops everything.</summary>
        public void Clear()
        {
            lock (_latest) _latest.Clear();
        }
    }
}
