// Decide which errors of a changed text are new: those that no error of the old text accounts for.
using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Text;

namespace RoslynServer
{
    internal static class NewErrors
    {
        /// <summary>
        /// An old error accounts for a new one of its id at the place where the changes moved it,
        /// or within the replacement of its own text. Without an old tree, all are new.
        /// </summary>
        public static IEnumerable<FoundError> Of(
            SyntaxTree before, IEnumerable<FoundError> old, SyntaxTree after, IEnumerable<FoundError> found)
        {
            var errors = found.ToList();
            if (before == null || errors.Count == 0) return errors;
            var changes = before == after
                ? new List<TextChange>() : after.GetChanges(before).OrderBy(each => each.Span.Start).ToList();
            var moved = old.Select(each => (each.Id, Place: Moved(each.Span, changes))).ToList();
            return errors.Where(error =>
            {
                var account = moved.FindIndex(each => each.Id == error.Id
                    && (each.Place.IsExact ? each.Place.Span.Start == error.Span.Start
                        : each.Place.Span.IntersectsWith(error.Span)));
                if (account >= 0) moved.RemoveAt(account);
                return account < 0;
            }).ToList();
        }

        private static (TextSpan Span, bool IsExact) Moved(TextSpan span, List<TextChange> changes)
        {
            var by = 0;
            int? from = null;
            var to = 0;
            foreach (var change in changes.TakeWhile(each => each.Span.Start <= span.End))
            {
                var start = change.Span.Start + by;
                if (change.Span.Start < Math.Max(span.End, span.Start + 1) && change.Span.End > span.Start)
                {
                    from ??= Math.Min(start, span.Start + by);
                    to = start + change.NewText.Length;
                }
                else if (change.Span.End > span.Start) break; // right behind it
                by += change.NewText.Length - change.Span.Length;
            }
            return from is { } first
                ? (TextSpan.FromBounds(first, Math.Max(Math.Max(first, to), span.End + by)), false)
                : (new TextSpan(span.Start + by, span.Length), true);
        }
    }
}
