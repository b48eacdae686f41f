// Prove a rename: bind what it touches again, and compare.
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
    /// <summary>Why a rename is refused, and where, in the text before it.</summary>
    internal sealed class RenameConflict
    {
        public RenameConflict(string code, string message, SyntaxTree tree = null, int offset = 0) =>
            (Code, Message, Tree, Offset) = (code, message, tree, offset);

        public string Code { get; }

        public string Message { get; }

        public SyntaxTree Tree { get; }

        public int Offset { get; }
    }

    /// <summary>The meaning of all places that spell the old or the new name, before and after.</summary>
    internal sealed class RenameProof
    {
        private readonly TextEdits _edits;
        private readonly string _newName;
        private readonly CancellationToken _token;
        private readonly DeclaredPlaces _before;
        private readonly DeclaredPlaces _after;
        private readonly Func<string, string> _renamed;
        private readonly ConcernedBodies _bodies;

        public RenameProof(
            ReferenceSearch search, TextEdits edits, string newName, IReadOnlyList<CSharpCompilation> before,
            IReadOnlyList<CSharpCompilation> after, CancellationToken token)
        {
            (_edits, _newName, _token) = (edits, newName, token);
            var oldName = SymbolFamily.NameOf(search.Symbol);
            Names = new[] { oldName, RenameEdits.Short(oldName), newName, RenameEdits.Short(newName) }.ToHashSet();
            var space = (search.Symbol as INamespaceSymbol)?.ToDisplayString();
            var newSpace = space == null ? null : space.Substring(0, space.LastIndexOf('.') + 1) + newName;
            _renamed = each => space != null && (each == space || each.StartsWith(space + ".", StringComparison.Ordinal))
                ? newSpace + each.Substring(space.Length) : each;
            _before = new DeclaredPlaces(before, Moved, _renamed, Names);
            _after = new DeclaredPlaces(after, (_, at) => at, each => each, Names);
            _bodies = new ConcernedBodies(search, Names, token);
        }

        /// <summary>The names whose places are compared.</summary>
        public ISet<string> Names { get; }

        /// <summary>
        /// Returns the places that mean something else, by what names them before and after: in the
        /// text before, with the symbol that they named.
        /// </summary>
        public IEnumerable<(BoundName Place, RenameConflict Conflict)> Changed(NameSearch before, NameSearch after)
        {
            var now = ByPlace(after.Bound, _after, (_, at) => at);
            foreach (var was in ByPlace(before.Bound, _before, Moved).Values)
            {
                var place = was.Names[0];
                if (was.At < 0) continue;
                now.TryGetValue((place.Path, was.At), out var found);
                if (found.Names != null && (was.Identities.SetEquals(found.Identities)
                    || IsUnsure(was.Names) && found.Identities.Overlaps(was.Identities))) continue;
                if (found.Names == null && place.Token.Parent.FirstAncestorOrSelf<DocumentationCommentTriviaSyntax>() != null)
                    continue;
                yield return (place, new RenameConflict("meaning_changed",
                    $"'{place.Token.ValueText}' would {Difference((was.Names, was.Identities), (found.Names, found.Identities))}",
                    place.Reading.Tree, place.Token.SpanStart));
            }
        }

        /// <summary>
        /// Returns the places that would call another member by a pattern, such as <c>foreach</c>: no
        /// identifier shows that.
        /// </summary>
        public IEnumerable<RenameConflict> ChangedPatterns(CSharpCompilation before, CSharpCompilation after)
        {
            if (!PatternUses.HaveAny(Names)) yield break;
            var now = after.SyntaxTrees.ToDictionary(each => each.FilePath, each => each, Files.Paths);
            foreach (var tree in before.SyntaxTrees)
            {
                if (!now.TryGetValue(tree.FilePath, out var other)) continue;
                var found = PatternUses.In(after, other, _token);
                foreach (var (was, number) in PatternUses.In(before, tree, _token).Select((each, at) => (each, at)))
                    if (number >= found.Count
                        || !was.Symbols.Select(_before.Of).SequenceEqual(found[number].Symbols.Select(_after.Of)))
                        yield return new RenameConflict("meaning_changed",
                            $"C# would call {(number < found.Count ? found[number].Shown : "nothing")} here instead of "
                            + $"{was.Shown}: it finds such members by their names", tree, was.Node.SpanStart);
            }
        }

        private Dictionary<(string, int), (int At, List<BoundName> Names, HashSet<string> Identities)> ByPlace(
            IEnumerable<BoundName> bound, DeclaredPlaces places, Func<string, int, int> moved)
        {
            var found = new Dictionary<(string, int), (int, List<BoundName>, HashSet<string>)>();
            foreach (var each in bound)
            {
                _token.ThrowIfCancellationRequested();
                var at = moved(each.Path, each.Token.SpanStart);
                if (!found.TryGetValue((each.Path, at), out var those))
                    those = found[(each.Path, at)] = (at, new List<BoundName>(), new HashSet<string>(StringComparer.Ordinal));
                those.Item2.Add(each);
                // A member that takes its name from an expression gets a name of its own.
                those.Item3.UnionWith(each.Binding.Symbols.Select(places.Of)
                    .Where((one, number) => number == 0 || !one.StartsWith("~", StringComparison.Ordinal)));
            }
            return found;
        }

        /// <summary>Returns where a name that begins at a place begins after the rename.</summary>
        private int Moved(string path, int start)
        {
            foreach (var edit in _edits.Of(path))
                if (edit.Span.Start == start && edit.Span.Length > 0)
                    return edit.Kind == "text" ? -1 : _edits.Moved(path, start) + NameIn(edit.Text);
            return _edits.Moved(path, start);
        }

        private static int NameIn(string text)
        {
            var at = text.Length;
            while (at > 0 && SyntaxFacts.IsIdentifierPartCharacter(text[at - 1])) at--;
            return at > 0 && text[at - 1] == '@' ? at - 1 : at;
        }

        // A group of methods in nameof, or a call that fits none: one of the candidates is enough.
        private static bool IsUnsure(IEnumerable<BoundName> names) => names.All(each =>
            each.Binding.Reason == CandidateReason.OverloadResolutionFailure || ReferenceKind.IsInNameof(each.Token.Parent));

        private string Difference(
            (List<BoundName> Names, HashSet<string> Identities) was, (List<BoundName> Names, HashSet<string> Identities) now)
        {
            string Shown(List<BoundName> names, DeclaredPlaces places, HashSet<string> others) => names?
                .SelectMany(each => each.Binding.Symbols).FirstOrDefault(each => others?.Contains(places.Of(each)) != true)
                is { } shown ? $"{(shown is ILocalSymbol ? "the local " : "")}'{shown.ToDisplayString()}'" : null;
            var (old, fresh) = (Shown(was.Names, _before, now.Identities), Shown(now.Names, _after, was.Identities));
            if (old == null) return fresh == null ? "mean nothing" : $"also mean {fresh}";
            if (fresh == null) return now.Identities?.Count > 0 ? $"no longer mean {old}" : $"mean nothing instead of {old}";
            return old == fresh ? $"mean another {old}" : $"mean {fresh} instead of {old}";
        }

        /// <summary>
        /// Returns the errors that come with the rename, as a multiset of code and file; each where its
        /// text stood before. Texts are bound in parallel.
        /// </summary>
        public IEnumerable<RenameConflict> NewErrors(Judgement judgement)
        {
            var texts = judgement.Assemblies.SelectMany(each => each.Trees.Select(tree => (Assembly: each, Tree: tree))).ToList();
            var found = new List<RenameConflict>[texts.Count];
            SideBySide.Do(texts.Select<(JudgedAssembly Assembly, SyntaxTree Tree), Action>((each, at) => () =>
                found[at] = NewErrors(each.Assembly, each.Tree).ToList()).ToList());
            return found.SelectMany(each => each);
        }

        private IEnumerable<RenameConflict> NewErrors(JudgedAssembly assembly, SyntaxTree tree)
        {
            _token.ThrowIfCancellationRequested();
            var state = assembly.Step.State;
            if (_bodies.In(assembly, tree) is { } bodies && state.IsFreeOfErrors(tree, bodies, _token)) yield break;
            var errors = state.ErrorsOf(tree, _token).Where(each => each.IsError).ToList();
            if (errors.Count == 0) yield break;
            assembly.Before.Sources.TryGetValue(tree.FilePath, out var before);
            var old = before == null ? new List<FoundError>()
                : assembly.Before.ErrorsOf(before.Tree, _token).Where(each => each.IsError).ToList();
            foreach (var those in errors.GroupBy(each => each.Id))
                foreach (var each in those.Skip(old.Count(one => one.Id == those.Key)))
                    yield return new RenameConflict("new_error", $"{each.Id}: {each.Message}",
                        before?.Tree ?? tree, _edits.MovedBack(tree.FilePath, each.Span.Start));
        }
    }
}
