// What changed texts bring to a project, while the judgement is being made.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Text;

namespace RoslynServer
{
    /// <summary>What was found about one text, and what was not looked at.</summary>
    public sealed class Meaning
    {
        internal readonly Findings Own;
        internal readonly Dictionary<string, Findings> Elsewhere = new Dictionary<string, Findings>();
        internal readonly List<string> Left = new List<string>();
        internal string[] Names = Array.Empty<string>();
        internal InactiveChange Inactive;

        internal Meaning(string text) => Own = new Findings(text);

        /// <summary>What was found in another source.</summary>
        internal Findings In(SyntaxTree other, CancellationToken token)
        {
            if (!Elsewhere.TryGetValue(other.FilePath, out var found))
                found = Elsewhere[other.FilePath] = new Findings(other.GetText(token).ToString());
            return found;
        }

        /// <summary>Its diagnostics.</summary>
        public string[] Rows() => Own.Rows();

        /// <summary>The other sources that have errors because of it.</summary>
        public string[] OtherPaths() => Elsewhere.Keys.ToArray();

        /// <summary>Those errors of one of them.</summary>
        public string[] OtherRows(string path) => Elsewhere[path].Rows();

        /// <summary>The assemblies that were not judged: name, reason, detail.</summary>
        public string[] NotChecked() => Left.ToArray();

        /// <summary>The lines in which it differs from the text on disk where no symbol compiles it.</summary>
        public string InactiveLines => Inactive?.Lines ?? "";

        /// <summary>Whether it differs nowhere else.</summary>
        public bool ChangesInactiveCodeOnly => Inactive?.IsAll == true;

        /// <summary>Whether what nothing uses is an error, which binding a file alone doesn't find.</summary>
        public bool LeavesUnused { get; internal set; }

        /// <summary>Whether no code was made of its bodies, which may bring further errors.</summary>
        public bool IsNotLowered { get; internal set; }

        /// <summary>Whether there are analyzers that may call it an error, and were not asked.</summary>
        public bool AreAnalyzersUnheard { get; internal set; }

        /// <summary>How many sources are concerned and were not judged.</summary>
        public int NotJudged { get; internal set; }

        /// <summary>How many mention a changed name in code that no symbol compiles.</summary>
        public int InactiveMentions { get; internal set; }

        /// <summary>The names whose declarations changed; none, where it stayed in bodies.</summary>
        public string[] ChangedNames() => Names;

        /// <summary>Whether something changed that is used without being named.</summary>
        public bool ConcernsAll { get; internal set; }
    }

    /// <summary>The texts that differ from the project, by the assemblies that they belong to.</summary>
    internal sealed class ChangedTexts
    {
        private readonly Dictionary<string, Dictionary<string, string>> _byAssembly =
            new Dictionary<string, Dictionary<string, string>>(StringComparer.Ordinal);

        /// <summary>Where no owner is named, the text stays where the file is.</summary>
        public ChangedTexts(
            IEnumerable<ProjectAssembly> assemblies, string[] paths, string[] texts, string[] owners)
        {
            foreach (var assembly in assemblies)
                for (var index = 0; index < paths.Length; index++)
                {
                    var isOwner = assembly.Name == owners[index];
                    if (!isOwner && !assembly.Has(paths[index])) continue;
                    if (!_byAssembly.TryGetValue(assembly.Name, out var own))
                        own = _byAssembly[assembly.Name] = new Dictionary<string, string>(Files.Paths);
                    own[paths[index]] = isOwner || owners[index].Length == 0 ? texts[index] : null;
                }
        }

        /// <summary>Those of one assembly; <c>null</c> texts are of files that are gone.</summary>
        public IReadOnlyDictionary<string, string> Of(string assembly) =>
            _byAssembly.TryGetValue(assembly, out var own) ? own : Nothing;

        private static readonly Dictionary<string, string> Nothing = new Dictionary<string, string>();
    }

    /// <summary>One assembly with its changed texts.</summary>
    internal sealed class JudgedAssembly
    {
        public string Name;
        public AssemblyState Before;
        public AssemblyStep Step;

        /// <summary>What is known of such texts.</summary>
        public JudgedTexts Texts;

        /// <summary>Of its trees, those that must be looked at; the likeliest first.</summary>
        public IEnumerable<SyntaxTree> Trees => Step.State.Compilation.SyntaxTrees
            .Where(tree => !Before.Compilation.ContainsSyntaxTree(tree)).Concat(Step.Concerned);

        public bool IsChanged(SyntaxTree tree) => !Before.Compilation.ContainsSyntaxTree(tree);

        /// <summary>Whether what nothing uses is an error: such are not sought in texts that changed.</summary>
        public bool LeavesUnused => Step.State.CountsUnreadFields && (Trees.Any(IsChanged) || Gone.Any());

        /// <summary>What each of the texts that changed, or went, changes in code that the symbols leave out.</summary>
        public IEnumerable<(string Assembly, string Path, InactiveChange Change)> InactiveChanges(
            CancellationToken token)
        {
            foreach (var path in Trees.Where(IsChanged).Select(each => each.FilePath).Union(Gone))
            {
                Before.Sources.TryGetValue(path, out var before);
                Step.State.Sources.TryGetValue(path, out var after);
                yield return (Name, path, InactiveChange.Of(before?.Tree, after?.Tree, token));
            }
        }

        // The sources that are there no more.
        private IEnumerable<string> Gone => Before.Sources
            .Where(each => !each.Value.IsGenerated && !Step.State.Sources.ContainsKey(each.Key))
            .Select(each => each.Key);

        /// <summary>Whether code of a tree that the symbols leave out mentions a declaration that changed.</summary>
        public bool IsMentionedInactively(SyntaxTree tree, CancellationToken token) =>
            InactiveCode.Of(tree, token) is { Length: > 0 } inactive
            && Step.Change.IsMentioned(Words.In(SourceText.From(inactive)));

        /// <summary>The errors of one of its trees, without warnings.</summary>
        public IEnumerable<FoundError> ErrorsOf(SyntaxTree tree, CancellationToken token) => IsChanged(tree)
            ? Texts.ErrorsOf(tree, Step.State, Before, token)
            : Step.State.ErrorsOf(tree, token).Where(each => each.IsError);
    }

    /// <summary>All assemblies that changed texts concern, and how much of it may still be bound.</summary>
    internal sealed class Judgement
    {
        private const int MaxJudged = 64;
        private const int MaxJudgedCharacters = 1_000_000;

        public readonly List<JudgedAssembly> Assemblies = new List<JudgedAssembly>();
        public readonly List<string> Left = new List<string>();

        /// <summary>The assemblies that can't be judged with the texts, and why.</summary>
        public readonly Dictionary<string, string> Faults = new Dictionary<string, string>();
        private int _trees;
        private int _characters;
        private bool _isWhole;

        /// <summary>
        /// Judge the other way round: what the files on disk bring, where these texts were before. All
        /// that this concerns is judged, however much it is.
        /// </summary>
        public void Reverse()
        {
            _isWhole = true;
            foreach (var each in Assemblies)
            {
                var (before, step) = (each.Before, each.Step);
                each.Before = step.State;
                each.Step = new AssemblyStep(before, step.Change, step.Concerned, step.LooksDifferent);
            }
        }

        /// <summary>Note why an assembly can't be judged, and why what refers to it can't be.</summary>
        public void Leave(string name, string why, string whyAbove = null)
        {
            Faults[name] = whyAbove ?? why;
            Left.Add($"{name}\t{why}");
        }

        public JudgedAssembly Of(string name) => Assemblies.Find(each => each.Name == name);

        /// <summary>What changes in code that the symbols leave out; of so many texts, perhaps of all.</summary>
        public IEnumerable<string> Inactive(int texts, CancellationToken token)
        {
            var found = Assemblies.SelectMany(each => each.InactiveChanges(token)).ToList();
            var isAll = found.Count == texts && found.All(each => each.Change.IsAll);
            // Of a file that moved, what it was before is told where it is now.
            var come = found.Where(each => Of(each.Assembly).Step.State.Sources.ContainsKey(each.Path))
                .Select(each => System.IO.Path.GetFileName(each.Path)).ToHashSet();
            bool HasMoved(string assembly, string path) => come.Contains(System.IO.Path.GetFileName(path))
                && !Of(assembly).Step.State.Sources.ContainsKey(path);
            var reported = found.Where(each => each.Change.Lines.Length > 0 && !HasMoved(each.Assembly, each.Path));
            return reported.Select(each =>
                $"{each.Assembly}\t{(isAll ? "inactive_code" : "inactive_lines")}\t{each.Path}\t{each.Change.Lines}");
        }

        /// <summary>Whether another tree, which only the changes concern, can be judged.</summary>
        public bool Takes(SyntaxTree tree)
        {
            if (_isWhole) return true;
            if (_trees == MaxJudged || _characters + tree.Length > MaxJudgedCharacters) return false;
            _trees++;
            _characters += tree.Length;
            return true;
        }

        /// <summary>The errors of one tree that the changes bring.</summary>
        public IEnumerable<FoundError> NewIn(SyntaxTree tree, JudgedAssembly assembly, CancellationToken token)
        {
            var found = assembly.ErrorsOf(tree, token).ToList();
            if (found.Count == 0) return found;
            var (state, before) = Earlier(tree, assembly);
            return before == null ? found : NewErrors.Of(
                before, state.ErrorsOf(before, token).Where(each => each.IsError), tree, found);
        }

        // A move is a file that is gone and a file that has come, of one name.
        private (AssemblyState, SyntaxTree) Earlier(SyntaxTree tree, JudgedAssembly assembly)
        {
            if (assembly.Before.Sources.TryGetValue(tree.FilePath, out var source))
                return (assembly.Before, source.Tree);
            var name = System.IO.Path.GetFileName(tree.FilePath);
            foreach (var each in Assemblies)
                foreach (var pair in each.Before.Sources)
                    if (!each.Step.State.Sources.ContainsKey(pair.Key)
                        && System.IO.Path.GetFileName(pair.Key) == name) return (each.Before, pair.Value.Tree);
            return (null, null);
        }
    }
}
