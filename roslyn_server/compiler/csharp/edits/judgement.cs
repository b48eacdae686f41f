// The effect of changed texts on a project, while it is being judged.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Text;

namespace RoslynServer
{
    /// <summary>The errors found in one text, and what was not checked.</summary>
    public sealed class Meaning
    {
        internal readonly Findings Own;
        internal readonly Dictionary<string, Findings> Elsewhere = new Dictionary<string, Findings>();
        internal readonly List<string> Left = new List<string>();
        internal string[] Names = Array.Empty<string>();
        internal InactiveChange Inactive;

        internal Meaning(string text) => Own = new Findings(text);

        /// <summary>The findings in another source.</summary>
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

        /// <summary>The errors in one of them.</summary>
        public string[] OtherRows(string path) => Elsewhere[path].Rows();

        /// <summary>The assemblies that were not judged: name, reason, detail.</summary>
        public string[] NotChecked() => Left.ToArray();

        /// <summary>
        /// The lines that differ from the text on disk in code that no symbol compiles.
        /// </summary>
        public string InactiveLines => Inactive?.Lines ?? "";

        /// <summary>Whether only such lines differ.</summary>
        public bool ChangesInactiveCodeOnly => Inactive?.IsAll == true;

        /// <summary>
        /// Whether unused members are errors, which binding a file alone doesn't find.
        /// </summary>
        public bool LeavesUnused { get; internal set; }

        /// <summary>
        /// Whether its bodies were not compiled to code, which may bring further errors.
        /// </summary>
        public bool IsNotLowered { get; internal set; }

        /// <summary>Whether there are analyzers that may report an error but did not run.</summary>
        public bool AreAnalyzersUnheard { get; internal set; }

        /// <summary>How many affected sources were not judged.</summary>
        public int NotJudged { get; internal set; }

        internal readonly List<string> Mentions = new List<string>();

        /// <summary>
        /// The sources that mention a changed name in code that no symbol compiles.
        /// </summary>
        public string[] InactiveMentions() => Mentions.ToArray();

        /// <summary>
        /// The names whose declarations changed; none if the change stayed in bodies.
        /// </summary>
        public string[] ChangedNames() => Names;

        /// <summary>Whether a declaration changed that is used without being named.</summary>
        public bool ConcernsAll { get; internal set; }
    }

    /// <summary>The texts that differ from the project, by their assemblies.</summary>
    internal sealed class ChangedTexts
    {
        private readonly Dictionary<string, Dictionary<string, string>> _byAssembly =
            new Dictionary<string, Dictionary<string, string>>(StringComparer.Ordinal);

        /// <summary>If no owner is named, the text stays in the file's assembly.</summary>
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

        /// <summary>The texts of one assembly; a <c>null</c> text is a deleted file.</summary>
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

        /// <summary>The cached judgements of such texts.</summary>
        public JudgedTexts Texts;

        /// <summary>Its trees that must be judged; the likeliest first.</summary>
        public IEnumerable<SyntaxTree> Trees => Step.State.Compilation.SyntaxTrees
            .Where(tree => !Before.Compilation.ContainsSyntaxTree(tree)).Concat(Step.Concerned);

        public bool IsChanged(SyntaxTree tree) => !Before.Compilation.ContainsSyntaxTree(tree);

        /// <summary>
        /// Whether unused members are errors: changed texts are not searched for them.
        /// </summary>
        public bool LeavesUnused => Step.State.CountsUnreadFields && (Trees.Any(IsChanged) || Gone.Any());

        /// <summary>
        /// What each changed or deleted text changes in code that the symbols exclude.
        /// </summary>
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

        // The deleted sources.
        private IEnumerable<string> Gone => Before.Sources
            .Where(each => !each.Value.IsGenerated && !Step.State.Sources.ContainsKey(each.Key))
            .Select(each => each.Key);

        /// <summary>Whether excluded code of a tree mentions a changed declaration.</summary>
        public bool IsMentionedInactively(SyntaxTree tree, CancellationToken token) =>
            InactiveCode.Of(tree, token) is { Length: > 0 } inactive
            && Step.Change.IsMentioned(Words.In(SourceText.From(inactive)));

        /// <summary>The errors of one of its trees, without warnings.</summary>
        public IEnumerable<FoundError> ErrorsOf(SyntaxTree tree, CancellationToken token) => IsChanged(tree)
            ? Texts.ErrorsOf(tree, Step.State, Before, token)
            : Step.State.ErrorsOf(tree, token).Where(each => each.IsError);
    }

    /// <summary>
    /// All assemblies that changed texts affect, and how much may still be bound.
    /// </summary>
    internal sealed class Judgement
    {
        private const int MaxJudged = 64;
        private const int MaxJudgedCharacters = 1_000_000;

        public readonly List<JudgedAssembly> Assemblies = new List<JudgedAssembly>();
        public readonly List<string> Left = new List<string>();

        /// <summary>Those that could not be compiled with the texts, but can be now.</summary>
        public readonly List<ProjectAssembly> Uncompiled = new List<ProjectAssembly>();

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

        /// <summary>
        /// Notes why an assembly can't be judged, and why assemblies that refer to it can't be,
        /// either.
        /// </summary>
        public void Leave(string name, string why, string whyAbove = null)
        {
            Faults[name] = whyAbove ?? why;
            Left.Add($"{name}\t{why}");
        }

        public JudgedAssembly Of(string name) => Assemblies.Find(each => each.Name == name);

        /// <summary>
        /// The changes in code that the symbols exclude, for at most so many texts.
        /// </summary>
        public IEnumerable<string> Inactive(int texts, CancellationToken token)
        {
            var found = Assemblies.SelectMany(each => each.InactiveChanges(token)).ToList();
            var isAll = found.Count == texts && found.All(each => each.Change.IsAll);
            // A moved file's old lines are reported at its new path.
            var come = found.Where(each => Of(each.Assembly).Step.State.Sources.ContainsKey(each.Path))
                .Select(each => System.IO.Path.GetFileName(each.Path)).ToHashSet();
            bool HasMoved(string assembly, string path) => come.Contains(System.IO.Path.GetFileName(path))
                && !Of(assembly).Step.State.Sources.ContainsKey(path);
            var reported = found.Where(each => each.Change.Lines.Length > 0 && !HasMoved(each.Assembly, each.Path));
            return reported.Select(each =>
                $"{each.Assembly}\t{(isAll ? "inactive_code" : "inactive_lines")}\t{each.Path}\t{each.Change.Lines}");
        }

        /// <summary>
        /// Whether another tree, which the changes affect only indirectly, can be judged.
        /// </summary>
        public bool Takes(SyntaxTree tree)
        {
            if (_isWhole) return true;
            if (_trees == MaxJudged || _characters + tree.Length > MaxJudgedCharacters) return false;
            _trees++;
            _characters += tree.Length;
            return true;
        }

        /// <summary>The new errors of one tree.</summary>
        public IEnumerable<FoundError> NewIn(SyntaxTree tree, JudgedAssembly assembly, CancellationToken token)
        {
            var found = assembly.ErrorsOf(tree, token).ToList();
            if (found.Count == 0) return found;
            var (state, before) = Earlier(tree, assembly);
            return before == null ? found : NewErrors.Of(
                before, state.ErrorsOf(before, token).Where(each => each.IsError), tree, found);
        }

        // A move is a deleted file and a new one: of one name, or with half of its lines the same.
        private (AssemblyState, SyntaxTree) Earlier(SyntaxTree tree, JudgedAssembly assembly)
        {
            if (assembly.Before.Sources.TryGetValue(tree.FilePath, out var source))
                return (assembly.Before, source.Tree);
            var gone = Assemblies.SelectMany(each => each.Before.Sources
                .Where(pair => !each.Step.State.Sources.ContainsKey(pair.Key))
                .Select(pair => (State: each.Before, pair.Value.Tree))).ToList();
            if (gone.Count == 0) return (null, null);
            var name = System.IO.Path.GetFileName(tree.FilePath);
            var lines = Lines(tree);
            return gone.Where(each => System.IO.Path.GetFileName(each.Tree.FilePath) == name)
                .Concat(gone.Select(each => (each.State, each.Tree, Shared: Lines(each.Tree).Count(lines.Contains)))
                    .Where(each => each.Shared * 2 >= lines.Count)
                    .OrderByDescending(each => each.Shared)
                    .Select(each => (each.State, each.Tree)))
                .FirstOrDefault();
        }

        private static HashSet<string> Lines(SyntaxTree tree) =>
            tree.GetText().Lines.Select(each => each.ToString().Trim()).Where(each => each.Length > 1).ToHashSet();
    }
}
