// The whole project as the compiler sees it: its assemblies, each referring to the others as their
// sources are now, not as they were last built.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace RoslynServer
{
    /// <summary>What was found about a project, and what was not looked at.</summary>
    public sealed class ProjectAnswer
    {
        internal readonly List<string> Found = new List<string>();
        internal readonly List<string> Left = new List<string>();
        internal readonly List<string> Looked = new List<string>();

        /// <summary>Errors and warnings: id, severity, line, column, path, assembly, message.</summary>
        public string[] Rows() => Found.ToArray();

        /// <summary>What was not judged: assembly, reason, detail.</summary>
        public string[] NotChecked() => Left.ToArray();

        /// <summary>The assemblies that were judged.</summary>
        public string[] Assemblies() => Looked.ToArray();

        /// <summary>The number of their sources.</summary>
        public int Files { get; internal set; }

        /// <summary>How many trees were bound for the answer.</summary>
        public int BoundTrees { get; internal set; }

        /// <summary>Whether an assembly was bound as a whole for it.</summary>
        public bool BoundAssemblies { get; internal set; }

        /// <summary>Whether all of it comes from binding whole assemblies.</summary>
        public bool IsConfirmed { get; internal set; } = true;
    }

    /// <summary>Kept in step with the disk at each question. Not for two threads at a time.</summary>
    public sealed class ProjectModel
    {
        private const int MaxJudged = 64;
        private const int MaxJudgedCharacters = 1_000_000;

        private readonly Dictionary<string, ProjectAssembly> _assemblies =
            new Dictionary<string, ProjectAssembly>(StringComparer.Ordinal);
        private List<ProjectAssembly> _order = new List<ProjectAssembly>();
        private readonly HashSet<string> _circular = new HashSet<string>(StringComparer.Ordinal);

        /// <summary>
        /// Say what the project is made of: for each assembly its name, command line, the folder that
        /// relative paths are relative to, and its sources in the order in which they are compiled.
        /// </summary>
        public void Consist(string[] names, string[][] commands, string[] folders, string[][] sources)
        {
            foreach (var gone in _assemblies.Keys.Except(names).ToList()) _assemblies.Remove(gone);
            for (var index = 0; index < names.Length; index++)
            {
                var name = names[index];
                if (!_assemblies.TryGetValue(name, out var known) || !known.IsCompiledBy(commands[index]))
                    known = _assemblies[name] = new ProjectAssembly(name, commands[index], folders[index]);
                var folder = folders[index];
                known.Consist(sources[index].Select(each => Path.GetFullPath(Path.Combine(folder, each)))
                    .Distinct(Files.Paths).ToArray());
            }
            Arrange(names);
        }

        /// <summary>
        /// Every error of the named assemblies, or of all, as the files on disk are; warnings too if
        /// they are wanted. Tells the progress as the number of assemblies that are done, and of all.
        /// </summary>
        public ProjectAnswer Check(
            string[] wanted, bool warnings, Action<int, int> progress, CancellationToken token)
        {
            var answer = new ProjectAnswer();
            var asked = new HashSet<string>(wanted.Length > 0 ? wanted : _assemblies.Keys.ToArray());
            var needed = WithDependencies(_order.Where(each => asked.Contains(each.Name)));
            var without = new Dictionary<string, string>(StringComparer.Ordinal); // which fail, and why
            var done = 0;
            foreach (var name in asked.Intersect(_circular))
                answer.Left.Add($"{name}\tcircular\tit refers to itself by way of others");
            foreach (var assembly in _order.Where(needed.Contains))
            {
                progress?.Invoke(done++, needed.Count);
                var isAsked = asked.Contains(assembly.Name);
                if (WhyNot(assembly, without) is { } why)
                {
                    without[assembly.Name] = why;
                    if (isAsked) answer.Left.Add($"{assembly.Name}\t{why}");
                    continue;
                }
                var known = assembly.State;
                var bound = known?.BoundTrees ?? 0;
                var state = Refresh(assembly, token);
                var errors = assembly.CommandErrors.Where(each => each.IsError).ToList();
                if (errors.Count == 0) errors = state.Errors(warnings, token);
                answer.BoundTrees += state.BoundTrees - (state == known ? bound : 0);
                answer.BoundAssemblies |= state.BoundWholly && (state != known || state.BoundTrees > bound);
                answer.IsConfirmed &= state.IsConfirmed;
                if (errors.Any(each => each.IsError)) without[assembly.Name] = "";
                if (!isAsked) continue;
                answer.Looked.Add(assembly.Name);
                answer.Files += state.Sources.Count;
                answer.Found.AddRange(
                    errors.Where(each => each.IsError || warnings).Select(each => each.Row(assembly.Name)));
            }
            progress?.Invoke(done, needed.Count);
            return answer;
        }

        /// <summary>
        /// The errors that these texts bring, to themselves and to whatever they concern. A
        /// <c>null</c> text stands for a file that is gone. The owners are the names of the
        /// assemblies that the files belong to, then.
        /// </summary>
        public ProjectAnswer Judge(string[] paths, string[] texts, string[] owners, CancellationToken token)
        {
            var answer = new ProjectAnswer();
            var changes = Changes(paths, texts, owners);
            var forks = new Dictionary<string, AssemblyStep>(StringComparer.Ordinal);
            var judged = 0;
            var characters = 0;
            foreach (var assembly in _order)
            {
                var changed = changes.TryGetValue(assembly.Name, out var own);
                var incoming = Incoming(assembly, forks);
                if (!changed && incoming.IsNone) continue;
                if (WhyNot(assembly, Undeclared(assembly, forks)) is { } why)
                {
                    answer.Left.Add($"{assembly.Name}\t{why}");
                    continue;
                }
                Current(assembly, token);
                var before = assembly.State;
                var step = assembly.With(
                    own ?? new Dictionary<string, string>(), path => Referred(path, forks), incoming, token);
                forks[assembly.Name] = step;
                answer.Looked.Add(assembly.Name);
                var left = 0;
                foreach (var tree in ChangedTrees(before, step, own).Concat(step.Concerned))
                {
                    var isChanged = own != null && own.ContainsKey(tree.FilePath);
                    if (!isChanged && (judged == MaxJudged || characters + tree.Length > MaxJudgedCharacters))
                    {
                        left++;
                        continue;
                    }
                    judged++;
                    characters += isChanged ? 0 : tree.Length;
                    foreach (var each in NewIn(tree, before, step, texts, paths, token))
                        answer.Found.Add(each.Row(assembly.Name));
                }
                answer.Files += step.State.Sources.Count;
                if (left > 0) answer.Left.Add($"{assembly.Name}\tother_files\t{left} more files");
            }
            answer.BoundTrees = judged;
            return answer;
        }

        private IEnumerable<FoundError> NewIn(
            SyntaxTree tree, AssemblyState before, AssemblyStep step, string[] texts, string[] paths,
            CancellationToken token)
        {
            var found = step.State.ErrorsOf(tree, token).ToList();
            if (found.Count == 0) return found;
            var earlier = before.Sources.TryGetValue(tree.FilePath, out var source)
                ? (State: before, source.Tree) : MovedFrom(tree, paths, texts);
            return NewErrors.Of(
                earlier.Tree, earlier.Tree == null ? Array.Empty<FoundError>()
                    : earlier.State.ErrorsOf(earlier.Tree, token), tree, found);
        }

        // A move is a file that is gone and a file that has come, of one name.
        private (AssemblyState State, SyntaxTree Tree) MovedFrom(SyntaxTree tree, string[] paths, string[] texts)
        {
            var name = Path.GetFileName(tree.FilePath);
            for (var index = 0; index < paths.Length; index++)
            {
                if (texts[index] != null || Path.GetFileName(paths[index]) != name) continue;
                foreach (var state in _order.Select(each => each.State).Where(each => each != null))
                    if (state.Sources.TryGetValue(Path.GetFullPath(paths[index]), out var gone))
                        return (state, gone.Tree);
            }
            return (null, null);
        }

        private static IEnumerable<SyntaxTree> ChangedTrees(
            AssemblyState before, AssemblyStep step, Dictionary<string, string> own)
        {
            if (own == null) yield break;
            foreach (var path in own.Keys)
                if (step.State.Sources.TryGetValue(path, out var source)
                    && !before.Compilation.ContainsSyntaxTree(source.Tree)) yield return source.Tree;
        }

        private Dictionary<string, Dictionary<string, string>> Changes(
            string[] paths, string[] texts, string[] owners)
        {
            var changes = new Dictionary<string, Dictionary<string, string>>(StringComparer.Ordinal);
            for (var index = 0; index < paths.Length; index++)
            {
                var path = Path.GetFullPath(paths[index]);
                var concerned = _order.Where(each => each.Name == owners[index] || each.Has(path));
                foreach (var assembly in concerned)
                {
                    if (!changes.TryGetValue(assembly.Name, out var own))
                        own = changes[assembly.Name] = new Dictionary<string, string>(Files.Paths);
                    own[path] = assembly.Name == owners[index] ? texts[index] : null;
                }
            }
            return changes;
        }

        private static Dictionary<string, string> Undeclared(
            ProjectAssembly assembly, Dictionary<string, AssemblyStep> forks)
        {
            var without = new Dictionary<string, string>(StringComparer.Ordinal);
            foreach (var name in assembly.References.Select(Libraries.NameOf))
                if (forks.TryGetValue(name, out var fork) && fork.State.Reference() == null)
                    without[name] = "";
            return without;
        }

        private static DeclarationChange Incoming(
            ProjectAssembly assembly, Dictionary<string, AssemblyStep> forks)
        {
            var incoming = DeclarationChange.None;
            foreach (var name in assembly.References.Select(Libraries.NameOf))
                if (forks.TryGetValue(name, out var fork)) incoming = incoming.With(ToOthers(fork));
            return incoming;
        }

        // What others can't tell apart is no change to them.
        private static DeclarationChange ToOthers(AssemblyStep step) =>
            step.LooksDifferent ? step.Change : DeclarationChange.None;

        // With all that it refers to.
        private void Current(ProjectAssembly assembly, CancellationToken token)
        {
            var needed = WithDependencies(new[] { assembly });
            foreach (var each in _order.Where(needed.Contains)) Refresh(each, token);
        }

        private AssemblyState Refresh(ProjectAssembly assembly, CancellationToken token)
        {
            var step = assembly.Refresh(path => Referred(path, null), token);
            var change = ToOthers(step);
            if (!change.IsNone)
                foreach (var other in _order)
                    if (other.References.Any(path => Libraries.NameOf(path) == assembly.Name))
                        other.Expect(change);
            return step.State;
        }

        private MetadataReference Referred(string path, Dictionary<string, AssemblyStep> forks)
        {
            var name = Libraries.NameOf(path);
            if (forks != null && forks.TryGetValue(name, out var fork)) return fork.State.Reference();
            return (_assemblies.TryGetValue(name, out var assembly) && !_circular.Contains(name)
                ? assembly.State?.Reference() : null) ?? Libraries.Reference(path);
        }

        private string WhyNot(ProjectAssembly assembly, Dictionary<string, string> without)
        {
            foreach (var path in assembly.References)
            {
                var name = Libraries.NameOf(path);
                if (without.ContainsKey(name)) return $"blocked\t{name} has errors";
                if (!_assemblies.ContainsKey(name) && !File.Exists(path))
                    return $"references_missing\t{Path.GetFileName(path)} isn't there";
            }
            return null;
        }

        private HashSet<ProjectAssembly> WithDependencies(IEnumerable<ProjectAssembly> assemblies)
        {
            var found = new HashSet<ProjectAssembly>();
            var left = new Stack<ProjectAssembly>(assemblies);
            while (left.Count > 0)
            {
                var assembly = left.Pop();
                if (!found.Add(assembly)) continue;
                foreach (var path in assembly.References)
                    if (_assemblies.TryGetValue(Libraries.NameOf(path), out var other)
                        && !_circular.Contains(other.Name)) left.Push(other);
            }
            return found;
        }

        // Each after all that it refers to.
        private void Arrange(string[] names)
        {
            _circular.Clear();
            var order = new List<ProjectAssembly>();
            var left = names.Distinct().ToDictionary(name => name, name => new HashSet<string>(
                _assemblies[name].References.Select(Libraries.NameOf)
                    .Where(other => other != name && _assemblies.ContainsKey(other))));
            while (left.Count > 0)
            {
                var next = names.Where(name => left.TryGetValue(name, out var others) && others.Count == 0).ToList();
                if (next.Count == 0)
                {
                    _circular.UnionWith(left.Keys);
                    break;
                }
                foreach (var name in next)
                {
                    left.Remove(name);
                    order.Add(_assemblies[name]);
                }
                foreach (var others in left.Values) others.ExceptWith(next);
            }
            _order = order;
        }
    }
}
