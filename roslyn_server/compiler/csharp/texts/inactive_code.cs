// Code that the symbols exclude.
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace RoslynServer
{
    internal static class InactiveCode
    {
        public static string Of(SyntaxTree tree, CancellationToken token) =>
            string.Concat(Trivia(tree, token).Select(each => each.ToFullString()));

        public static IEnumerable<SyntaxTrivia> Trivia(SyntaxTree tree, CancellationToken token)
        {
            if (tree == null || !tree.GetRoot(token).ContainsDirectives) return Enumerable.Empty<SyntaxTrivia>();
            return tree.GetRoot(token).DescendantTrivia(each => each.ContainsDirectives)
                .Where(each => each.IsKind(SyntaxKind.DisabledTextTrivia));
        }

        /// <summary>
        /// Returns the conditions of excluded code, each once and in C# syntax; for an
        /// <c>#else</c>, that none of those before it is true.
        /// </summary>
        public static IReadOnlyList<string> Conditions(SyntaxTree tree)
        {
            var found = new List<string>();
            var chains = new Stack<List<string>>();
            for (var at = tree.GetRoot().GetFirstDirective(); at != null; at = at.GetNextDirective())
            {
                if (at is IfDirectiveTriviaSyntax) chains.Push(new List<string>());
                if (at is EndIfDirectiveTriviaSyntax && chains.Count > 0) chains.Pop();
                if (!(at is BranchingDirectiveTriviaSyntax branch) || chains.Count == 0) continue;
                var own = (at as ConditionalDirectiveTriviaSyntax)?.Condition.ToString();
                var before = chains.Peek();
                if (branch.IsActive && !branch.BranchTaken && own != "false")
                    found.Add(string.Join(" && ", own == null ? before : before.Append(Operand(own, before.Count))));
                if (own != null) before.Add(Not(own));
            }
            return found.Distinct().ToArray();
        }

        private static string Not(string condition) =>
            SyntaxFacts.IsValidIdentifier(condition) ? "!" + condition
                : condition.StartsWith('!') && SyntaxFacts.IsValidIdentifier(condition.Substring(1))
                    ? condition.Substring(1)
                : $"!({condition})";

        private static string Operand(string condition, int others) =>
            others > 0 && condition.Contains("||") ? $"({condition})" : condition;
    }

    /// <summary>An edit's changes in excluded code, in which nobody judges names.</summary>
    internal sealed class InactiveChange
    {
        private InactiveChange(string lines, bool isAll) => (Lines, IsAll) = (lines, isAll);

        /// <summary>
        /// The changed lines in words, or their former place; empty if only compiled code changed.
        /// </summary>
        public string Lines { get; }

        /// <summary>Whether only such code changed.</summary>
        public bool IsAll { get; }

        /// <summary>
        /// Compares two texts of a file; leading and trailing blanks of lines don't count.
        /// </summary>
        public static InactiveChange Of(SyntaxTree before, SyntaxTree after, CancellationToken token)
        {
            if (InactiveCode.Of(before, token) == InactiveCode.Of(after, token)) return new InactiveChange("", false);
            var (oldActive, old) = Split(before, token);
            var (active, all) = Split(after, token);
            var same = old.Zip(all, (one, other) => one.Text == other.Text).TakeWhile(each => each).Count();
            var most = System.Math.Min(old.Count, all.Count) - same;
            var end = Enumerable.Range(1, most).TakeWhile(at => old[^at].Text == all[^at].Text).Count();
            var here = all.GetRange(same, all.Count - same - end);
            var changed = Without(here, old);
            if (changed.Count == 0) changed = here;
            var lines = InWords(changed);
            if (here.Count == 0 && Without(old.GetRange(same, old.Count - same - end), active) is { Count: > 0 } gone)
                lines = $"old {InWords(gone)}";
            var isAll = lines.Length > 0
                && oldActive.Select(each => each.Text).SequenceEqual(active.Select(each => each.Text));
            return new InactiveChange(lines, isAll);
        }

        /// <summary>
        /// The same; for a text equal to the file on disk, all excluded code, because the question
        /// is about the whole file.
        /// </summary>
        public static InactiveChange OfEditOrFile(SyntaxTree before, SyntaxTree after, CancellationToken token)
        {
            bool IsSame() => before == after || before.GetText(token).Lines.Select(each => each.ToString())
                .SequenceEqual(after.GetText(token).Lines.Select(each => each.ToString()));
            var isWhole = before != null && InactiveCode.Trivia(after, token).Any() && IsSame();
            return Of(isWhole ? null : before, after, token);
        }

        // Returns the non-blank lines without directives: those that are compiled, and those that
        // aren't, without comments.
        private static (List<(int Number, string Text)>, List<(int Number, string Text)>) Split(
            SyntaxTree tree, CancellationToken token)
        {
            var (active, inactive) = (new List<(int, string)>(), new List<(int, string)>());
            if (tree == null) return (active, inactive);
            var left = new Queue<SyntaxTrivia>(InactiveCode.Trivia(tree, token));
            foreach (var line in tree.GetText(token).Lines)
            {
                while (left.Count > 0 && left.Peek().FullSpan.End <= line.Start) left.Dequeue();
                var isInactive = left.Count > 0 && left.Peek().FullSpan.Start <= line.Start;
                var text = line.ToString().Trim();
                if (text.Length == 0 || (isInactive ? IsComment(text) : text[0] == '#')) continue;
                (isInactive ? inactive : active).Add((line.LineNumber + 1, text));
            }
            return (active, inactive);
        }

        // Within another comment or a string, code may follow the end of that one.
        private static bool IsComment(string line) =>
            line.StartsWith("//", System.StringComparison.Ordinal) && !line.Contains("*/") && !line.Contains('"');

        private static List<(int Number, string Text)> Without(
            List<(int Number, string Text)> lines, List<(int Number, string Text)> others)
        {
            var left = others.GroupBy(each => each.Text).ToDictionary(each => each.Key, each => each.Count());
            return lines.Where(each =>
            {
                if (!left.TryGetValue(each.Text, out var count) || count == 0) return true;
                left[each.Text] = count - 1;
                return false;
            }).ToList();
        }

        // Returns "line 3" or "lines 3 to 5, 9".
        private static string InWords(List<(int Number, string Text)> lines)
        {
            var ranges = new List<string>();
            for (var at = 0; at < lines.Count; at++)
            {
                var first = lines[at].Number;
                while (at + 1 < lines.Count && lines[at + 1].Number == lines[at].Number + 1) at++;
                ranges.Add(lines[at].Number == first ? $"{first}" : $"{first} to {lines[at].Number}");
            }
            const int shown = 3;
            var more = ranges.Count > shown ? ", …" : "";
            return lines.Count == 0 ? "" : $"line{(lines.Count > 1 ? "s" : "")} {string.Join(", ", ranges.Take(shown))}{more}";
        }
    }
}
