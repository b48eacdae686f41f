// The whole project as the compiler sees it: its assemblies, each referring to the present sources
// of the others, not to their last build.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;

namespace RoslynServer
{
    /// <summary>Updated from the disk at each question. Not thread-safe.</summary>
    public sealed partial class ProjectModel
    {
        private readonly Dictionary<string, ProjectAssembly> _assemblies =
            new Dictionary<string, ProjectAssembly>(StringComparer.Ordinal);
        private readonly HashSet<string> _circular = new HashSet<string>(StringComparer.Ordinal);
        private readonly Effort _effort = new Effort();
        private string[] _names = Array.Empty<string>();
        private List<ProjectAssembly> _order = new List<ProjectAssembly>();

        // What checks of other processes found; null: nothing is kept.
        private KeptChecks _kept;
        private volatile bool _hasKept;

        // Valid for one question: the updated assemblies, and the known libraries. If assemblies
        // are judged in parallel, only one thread at a time uses these.
        private readonly HashSet<ProjectAssembly> _fresh = new HashSet<ProjectAssembly>();
        private readonly Dictionary<string, MetadataReference> _libraries =
            new Dictionary<string, MetadataReference>(Files.Paths);

        // Stops a running proof, from another thread.
        private volatile CancellationTokenSource _proof;

        // Why some assemblies can't be judged.
        private readonly Unjudged _unjudged;

        /// <summary>Creates a project without assemblies; see <see cref="Consist"/>.</summary>
        public ProjectModel() => _unjudged = new Unjudged(_assemblies, _circular, _libraries);

        /// <summary>
        /// Sets the project's content: for each assembly its name, its command line, a stamp that
        /// changes with the files it names, the folder of relative paths, its sources in compile
        /// order, whether its build lists exactly these, and the libraries with source generators
        /// and with analyzers.
        /// </summary>
        public void Consist(
            string[] names, string[][] commands, string[] stamps, string[] folders, string[][] sources,
            bool[] areAsListed, string[][] generators, string[][] analyzers)
        {
            foreach (var gone in _assemblies.Keys.Except(names).ToList()) _assemblies.Remove(gone);
            for (var index = 0; index < names.Length; index++)
            {
                var name = names[index];
                var folder = folders[index];
                var command = commands[index].Concat(generators[index]).Concat(analyzers[index])
                    .Append(stamps[index]).ToArray();
                if (!_assemblies.TryGetValue(name, out var known) || !known.IsCompiledBy(command))
                    known = _assemblies[name] = new ProjectAssembly(
                        name, commands[index], command, folder, generators[index], analyzers[index], _effort);
                known.Consist(sources[index].Select(each => Path.GetFullPath(Path.Combine(folder, each)))
                    .Distinct(Files.Paths).ToArray(), areAsListed[index]);
            }
            _names = names;
            Arrange(names);
        }

        /// <summary>
        /// The paths of what the assemblies refer to; and of what else they are given, which is only looked
        /// at again after <see cref="Doubt"/>.
        /// </summary>
        public string[][] Inputs() => new[]
        {
            _assemblies.Values.SelectMany(each => each.References).Distinct(Files.Paths).ToArray(),
            _assemblies.Values.SelectMany(each => each.GivenPaths()).Distinct(Files.Paths).ToArray(),
        };

        /// <summary>
        /// Notes that files may have changed since they were read: scripts, libraries, and what else the
        /// assemblies are given.
        /// </summary>
        public void Doubt(string[] scripts, string[] libraries, string[] given)
        {
            var paths = scripts.Select(Path.GetFullPath).ToList();
            foreach (var assembly in _assemblies.Values) assembly.Doubt(paths);
            foreach (var path in libraries.Select(Path.GetFullPath)) Libraries.Doubt(path);
            var changed = new HashSet<string>(given, Files.Paths);
            var hashes = new Dictionary<string, byte[]>(Files.Paths);
            byte[] HashOf(string path) =>
                hashes.TryGetValue(path, out var known) ? known : hashes[path] = AssemblyDigest.OfFile(path);
            var others = _assemblies.Values.Where(each => each.IsGivenOther(changed, HashOf)).ToList();
            if (others.Count == 0) return;
            foreach (var each in others) _assemblies[each.Name] = each.Renewed();
            Arrange(_names);
        }

        /// <summary>
        /// Say in which folder to keep what checks find, and the user's secret; no folder: nowhere.
        /// </summary>
        public void KeepIn(string folder, string secret) =>
            _kept = folder == null ? null : new KeptChecks(folder, secret);

        /// <summary>
        /// Returns every error of the named assemblies, or of all, for the files on disk, and
        /// warnings on demand. Reports progress as the number of finished assemblies, and of all.
        /// </summary>
        public ProjectAnswer Check(
            string[] wanted, bool warnings, Action<int, int> progress, CancellationToken token)
        {
            Begin();
            var answer = new ProjectAnswer();
            var (trees, assemblies) = (_effort.Trees, _effort.Assemblies);
            var asked = new HashSet<string>(wanted.Length > 0 ? wanted : _assemblies.Keys.ToArray());
            var needed = WithDependencies(_order.Where(each => asked.Contains(each.Name)));
            foreach (var name in asked.Intersect(_circular))
                answer.Left.Add($"{name}\t{Unjudged.Circular("it")}");
            var looks = Looks(_order.Where(needed.Contains).ToList(), warnings, progress, token);
            foreach (var look in looks.Where(each => asked.Contains(each.Assembly.Name))) answer.Add(look, warnings);
            answer.IsConfirmed = looks.All(each => each.IsConfirmed);
            answer.BoundTrees = _effort.Trees - trees;
            answer.BoundAssemblies = _effort.Assemblies - assemblies;
            return answer;
        }

        /// <summary>
        /// Binds everything that was judged by the effects of changes, and corrects known errors
        /// that differ; returns the differences. May run in parallel to other questions; one that
        /// finds a change cancels it, because its subject has changed and the processor is needed
        /// for the answer.
        /// </summary>
        public string[] Prove(CancellationToken token)
        {
            var differences = new List<string>();
            var proof = _proof = CancellationTokenSource.CreateLinkedTokenSource(token);
            foreach (var assembly in _order)
                if (assembly.State is { IsConfirmed: false, IsChecked: true } state)
                    differences.AddRange(state.Prove(proof.Token).Select(each => $"{assembly.Name}: {each}"));
            return differences.ToArray();
        }

        /// <summary>
        /// Returns the errors that these texts cause, in themselves and elsewhere. A <c>null</c>
        /// text is a deleted file. The owners are the names of the files' assemblies afterwards.
        /// </summary>
        public ProjectAnswer Judge(string[] paths, string[] texts, string[] owners, CancellationToken token) =>
            Judge(paths, texts, owners, false, token);

        /// <summary>
        /// The errors that there are on disk, and that there were not while these texts stood in the place
        /// of what is there now. Else as <see cref="Judge(string[], string[], string[], CancellationToken)"/>.
        /// </summary>
        public ProjectAnswer Since(string[] paths, string[] texts, string[] owners, CancellationToken token) =>
            Judge(paths, texts, owners, true, token);

        private ProjectAnswer Judge(
            string[] paths, string[] texts, string[] owners, bool areEarlier, CancellationToken token)
        {
            Begin();
            var answer = new ProjectAnswer();
            var trees = _effort.Trees;
            var judgement = Judged(paths.Select(Path.GetFullPath).ToArray(), texts, owners, token, areEarlier);
            if (areEarlier) judgement.Reverse();
            foreach (var assembly in judgement.Uncompiled) answer.Found.AddRange(assembly.State.Compilation.SyntaxTrees
                .SelectMany(tree => assembly.State.ErrorsOf(tree, token)).Where(each => each.IsError)
                .Select(each => each.Row(assembly.Name)));
            answer.Left.AddRange(judgement.Left.Concat(judgement.Inactive(texts.Length, token)));
            foreach (var assembly in judgement.Assemblies)
            {
                answer.Looked.Add(assembly.Name);
                answer.Files += assembly.Step.State.Scripts;
                var left = 0;
                var inactive = new List<string>();
                foreach (var tree in assembly.Trees)
                {
                    var isOther = !assembly.IsChanged(tree);
                    if (isOther && assembly.IsMentionedInactively(tree, token)) inactive.Add(tree.FilePath);
                    if (isOther && !judgement.Takes(tree)) left++;
                    else answer.Found.AddRange(
                        judgement.NewIn(tree, assembly, token).Select(each => each.Row(assembly.Name)));
                }
                if (inactive.Count > 0)
                    answer.Left.Add($"{assembly.Name}\tother_files\t" + string.Join("\t", inactive));
                if (left > 0) answer.Left.Add($"{assembly.Name}\tmore_files\t{left} more files");
                if (Lowering.NewIn(assembly, token) is { } lowered)
                    answer.Found.AddRange(lowered.Values.SelectMany(each => each).Select(each => each.Row(assembly.Name)));
                else answer.Left.Add($"{assembly.Name}\tlowering\tits scripts are too many");
                if (assembly.LeavesUnused) answer.Left.Add($"{assembly.Name}\tunused_members\t");
                if (_assemblies[assembly.Name].Analyzers.MayErr(token))
                    answer.Left.Add($"{assembly.Name}\tanalyzers\tonly a check of the project runs them");
            }
            answer.BoundTrees = _effort.Trees - trees;
            return answer;
        }

        /// <summary>
        /// Returns the errors of one source, apart from syntax, with its text and those of others
        /// replaced; and the errors that these texts cause in other sources. For the source itself,
        /// warnings on demand. Throws if the source isn't one of the owner's, or can't be judged.
        /// </summary>
        public Meaning Judge(
            string path, string text, string owner, string[] openPaths, string[] openTexts, bool warnings,
            CancellationToken token)
        {
            Begin();
            path = Path.GetFullPath(path);
            var open = openPaths.Select(Path.GetFullPath).ToArray();
            var others = Enumerable.Range(0, open.Length).Where(at => !Files.Paths.Equals(open[at], path)).ToArray();
            var judgement = Judged(
                others.Select(at => open[at]).Append(path).ToArray(),
                others.Select(at => openTexts[at]).Append(text).ToArray(),
                others.Select(_ => "").Append(owner).ToArray(), token);
            var meaning = new Meaning(text);
            meaning.Left.AddRange(judgement.Left);
            if (!(judgement.Of(owner) is { } own)) return meaning;
            own.Before.Sources.TryGetValue(path, out var before);
            var tree = own.Step.State.Sources[path].Tree;
            meaning.Inactive = InactiveChange.OfEditOrFile(before?.Tree, tree, token);
            meaning.LeavesUnused = own.Step.State.CountsUnreadFields;
            var parsing = FoundError.Of(tree.GetDiagnostics(token)).Select(each => (each.Id, each.Span)).ToHashSet();
            foreach (var each in warnings ? own.Step.State.ErrorsOf(tree, token) : own.ErrorsOf(tree, token))
                if (!parsing.Contains((each.Id, each.Span)) || each.Id == Nesting.Id) meaning.Own.Add(each);
            meaning.AreAnalyzersUnheard =
                judgement.Assemblies.Any(each => _assemblies[each.Name].Analyzers.MayErr(token));
            foreach (var assembly in judgement.Assemblies)
                if (Lowering.NewIn(assembly, token) is { } lowered)
                    foreach (var pair in lowered)
                        foreach (var each in pair.Value)
                            (pair.Key == tree ? meaning.Own : meaning.In(pair.Key, token)).Add(each);
                else meaning.IsNotLowered = true;
            var change = own.Step.Change;
            meaning.Names = change.Names.OrderBy(each => each, StringComparer.Ordinal).ToArray();
            meaning.ConcernsAll = change.ConcernsAll;
            foreach (var assembly in judgement.Assemblies)
                foreach (var other in assembly.Trees.Where(each => each != tree))
                {
                    if (!judgement.Takes(other))
                    {
                        meaning.NotJudged++;
                        continue;
                    }
                    if (assembly.IsMentionedInactively(other, token)) meaning.Mentions.Add(other.FilePath);
                    foreach (var each in judgement.NewIn(other, assembly, token))
                        meaning.In(other, token).Add(each);
                }
            return meaning;
        }

        /// <summary>Returns how many assemblies, and sources, are in memory.</summary>
        public int[] Size()
        {
            var states = _order.Select(each => each.State).Where(each => each != null).ToList();
            return new[] { states.Count, states.Sum(each => each.Scripts) };
        }

        private void Begin()
        {
            _fresh.Clear();
            _libraries.Clear();
            _unjudged.Clear();
            var memory = Host.Memory();
            if (memory[0] < memory[1] / 4 * 3) return;
            foreach (var each in _order) each.Forget();
            GC.Collect();
        }

        // Judges assemblies, each after all its references; the first time in parallel as far as
        // possible.
        private IReadOnlyList<Look> Looks(
            List<ProjectAssembly> order, bool warnings, Action<int, int> progress, CancellationToken token)
        {
            var looks = order.Select(each => new Look { Assembly = each }).ToList();
            var numbers = looks.Select((look, number) => (look, number))
                .ToDictionary(each => each.look.Assembly.Name, each => each.number);
            var below = order.Select(each => each.Dependencies.Select(name => numbers[name]).ToArray()).ToList();
            var isReferredTo = below.SelectMany(each => each).ToHashSet();
            // The failed assembly, by the name of each assembly that can't be compiled because of
            // it.
            var failed = new Dictionary<string, string>(StringComparer.Ordinal);
            var done = 0;
            void Take(int number)
            {
                token.ThrowIfCancellationRequested();
                var look = looks[number];
                var name = look.Assembly.Name;
                lock (_fresh)
                {
                    progress?.Invoke(done, order.Count);
                    look.WhyNot = _unjudged.Of(look.Assembly, failed.GetValueOrDefault);
                    if (look.WhyNot == null) TakeUp(look, warnings, isReferredTo.Contains(number), token);
                    else if (look.Assembly.Dependencies.FirstOrDefault(failed.ContainsKey) is { } unmade)
                        failed[name] = failed[unmade];
                }
                if (look.WhyNot == null && look.Assembly.HasNoObject)
                    lock (_fresh) look.WhyNot = _unjudged.WithoutObject(look.Assembly);
                if (look.WhyNot == null && look.Kept == null)
                {
                    look.FindErrors(warnings, token);
                    if (look.Assembly.Fault is { } fault && look.Errors.Count == 0)
                        look.WhyNot = $"source_generators\t{fault}";
                    // Assemblies that refer to it needn't wait for that one by one.
                    if (!look.HasErrors && isReferredTo.Contains(number)) look.Assembly.State?.Reference();
                    if (look.WhyNot == null) Keep(look, warnings);
                }
                lock (_fresh)
                {
                    if (look.HasErrors) failed[name] = name;
                    done++;
                }
            }
            var works = Enumerable.Range(0, looks.Count).Select<int, Action>(number => () => Take(number)).ToList();
            if (order.Any(each => each.State == null)) SideBySide.Do(works, number => below[number]);
            else foreach (var work in works) work();
            progress?.Invoke(done, order.Count);
            if (_hasKept) _kept?.Trim(_assemblies.Keys);
            _hasKept = false;
            return looks;
        }

        // Bring it in step with the disk, or have what an earlier process found of it.
        private void TakeUp(Look look, bool warnings, bool isReferredTo, CancellationToken token)
        {
            var assembly = look.Assembly;
            if (assembly.State != null || assembly.Fault != null || _kept == null) Refresh(assembly, token);
            if (_kept == null || assembly.Fault != null || assembly.State?.IsChecked == true) return;
            var libraries = LibrariesOf(assembly);
            bool Serves(KeptCheck each) => each != null && each.AreOfWarnings == warnings
                && (!isReferredTo || each.HasErrors || each.Image != null);
            if (assembly.State == null && assembly.IsKept(libraries) && Serves(assembly.Kept)) look.Kept = assembly.Kept;
            else if (assembly.Digest(libraries) is { } digest
                && _kept.Read(assembly.Name, warnings, digest.All) is { } kept && Serves(kept))
            {
                look.Kept = kept;
                if (assembly.State == null) assembly.Take(kept, libraries);
                else assembly.State.LooksLike(kept, isKnown: true);
            }
            if (look.Kept == null) Refresh(assembly, token);
            else _fresh.Add(assembly);
        }

        // Keep what was found of it for the next process, if that is all.
        private void Keep(Look look, bool warnings)
        {
            var assembly = look.Assembly;
            if (_kept == null || !(assembly.ToKeep(look, warnings) is { } check)) return;
            (byte[] All, byte[] Given)? digest;
            lock (_fresh) digest = assembly.Digest(LibrariesOf(assembly));
            // What generators are given may have changed while they ran.
            if (digest == null || !digest.Value.Given.AsSpan().SequenceEqual(assembly.Given)) return;
            _kept.Write(assembly.Name, digest.Value.All, check);
            _hasKept = true;
        }

        private MetadataReference[] LibrariesOf(ProjectAssembly assembly) =>
            assembly.References.Select(path => Referred(path, null)).ToArray();

        // Returns the assemblies that changed texts affect, each in its changed state.
        private Judgement Judged(
            string[] paths, string[] texts, string[] owners, CancellationToken token, bool areEarlier = false)
        {
            var judgement = new Judgement();
            var changes = new ChangedTexts(_order, paths, texts, owners);
            foreach (var name in owners.Distinct().Where(_circular.Contains))
                judgement.Leave(name, Unjudged.Circular("it"), Unjudged.Circular(name));
            foreach (var assembly in _order)
            {
                var own = changes.Of(assembly.Name);
                var incoming = new Dictionary<string, DeclarationChange>();
                foreach (var name in assembly.Dependencies)
                    if (judgement.Of(name) is { Step: { LooksDifferent: true } step })
                        incoming[name] = step.Change;
                if (assembly.Dependencies.FirstOrDefault(judgement.Faults.ContainsKey) is { } unmade)
                {
                    judgement.Leave(assembly.Name, judgement.Faults[unmade]);
                    continue;
                }
                if (assembly.Dependencies.Any(name => judgement.Uncompiled.Any(each => each.Name == name)))
                {
                    LeaveOrRead(assembly, judgement, token);
                    continue;
                }
                if (own.Count == 0 && incoming.Count == 0) continue;
                if (assembly.Dependencies.FirstOrDefault(
                    name => judgement.Of(name)?.Step.State.IsUndeclared == true) is { } wrong)
                {
                    if (!areEarlier) judgement.Leave(assembly.Name, Unjudged.Blocked(wrong));
                    else LeaveOrRead(assembly, judgement, token);
                    continue;
                }
                // The files on disk count, not their state at the last question.
                TakeUp(assembly, token);
                if (FaultWith(assembly) is { } fault)
                {
                    judgement.Leave(assembly.Name, fault, _unjudged.ReasonFor(assembly.Name, fault));
                    continue;
                }
                var before = assembly.State;
                var step_ = assembly.With(own, path => Referred(path, judgement), incoming, token);
                if (step_.Fault != null)
                {
                    judgement.Leave(assembly.Name, $"source_generators\t{step_.Fault}");
                    continue;
                }
                judgement.Assemblies.Add(
                    new JudgedAssembly
                    {
                        Name = assembly.Name, Before = before, Step = step_, Texts = assembly.JudgedTexts,
                    });
            }
            return judgement;
        }

        // An assembly that could not be compiled with the earlier texts: all errors that it has now are
        // new, as nobody saw one.
        private void LeaveOrRead(ProjectAssembly assembly, Judgement judgement, CancellationToken token)
        {
            TakeUp(assembly, token);
            if (FaultWith(assembly) is { } fault)
                judgement.Leave(assembly.Name, fault, _unjudged.ReasonFor(assembly.Name, fault));
            else judgement.Uncompiled.Add(assembly);
        }

        private string FaultWith(ProjectAssembly assembly) =>
            _unjudged.WithoutReferences(assembly) ?? _unjudged.WithoutObject(assembly)
                ?? _unjudged.FaultOf(assembly) ?? _unjudged.FaultBelow(assembly);

        // Updates it and its references from the disk, except for libraries that replace their
        // sources.
        private void TakeUp(ProjectAssembly assembly, CancellationToken token, bool isBelow = false)
        {
            if (_fresh.Contains(assembly)) return;
            for (var index = 0; index < assembly.References.Length; index++)
            {
                var path = assembly.References[index];
                if (_unjudged.Dependency(assembly, path) is { } other && !_fresh.Contains(other)
                    && !_unjudged.AsBuilt.Is(other, path))
                    TakeUp(other, token, isBelow: true);
            }
            if (_unjudged.FaultBelow(assembly) != null) return;
            if (_unjudged.WithoutReferences(assembly) != null) return;
            // What an earlier process saw of it may do for those above it.
            if (!isBelow || assembly.State != null || assembly.Kept?.Image == null
                || !assembly.IsKept(LibrariesOf(assembly))) Refresh(assembly, token);
        }

        private void Refresh(ProjectAssembly assembly, CancellationToken token)
        {
            if (!_fresh.Add(assembly)) return;
            var known = assembly.State;
            var step = assembly.Refresh(path => Referred(path, null), token);
            if (known != null && known != assembly.State) _proof?.Cancel();
            if (step.LooksDifferent)
                foreach (var other in _assemblies.Values)
                    if (other.Dependencies.Contains(assembly.Name)) other.Expect(assembly.Name, step.Change);
        }

        private MetadataReference Referred(string path, Judgement judgement)
        {
            var name = Libraries.NameOf(path);
            if (judgement?.Of(name) is { } judged && judged.Step.State.Reference() is { } changed) return changed;
            if (_assemblies.TryGetValue(name, out var assembly) && !_circular.Contains(name)
                && assembly.Reference() is { } known) return known;
            if (!_libraries.TryGetValue(path, out var library))
                library = _libraries[path] = Libraries.Reference(path);
            return library;
        }

        private HashSet<ProjectAssembly> WithDependencies(IEnumerable<ProjectAssembly> assemblies)
        {
            var found = new HashSet<ProjectAssembly>();
            var left = new Stack<ProjectAssembly>(assemblies);
            while (left.Count > 0)
            {
                var assembly = left.Pop();
                if (!found.Add(assembly)) continue;
                foreach (var name in assembly.Dependencies) left.Push(_assemblies[name]);
            }
            return found;
        }

        // Orders assemblies, each after all its references.
        private void Arrange(string[] names)
        {
            _circular.Clear();
            var order = new List<ProjectAssembly>();
            var left = names.Distinct().ToDictionary(name => name, name => new HashSet<string>(
                _assemblies[name].References.Select(Libraries.NameOf)
                    .Where(other => other != name && _assemblies.ContainsKey(other))));
            foreach (var name in left.Keys) _assemblies[name].Dependencies = left[name].ToArray();
            while (left.Count > 0)
            {
                var next = names.Where(name => left.TryGetValue(name, out var others) && others.Count == 0).ToList();
                if (next.Count == 0)
                {
                    _circular.UnionWith(left.Keys);
                    foreach (var each in order.Concat(left.Keys.Select(name => _assemblies[name])))
                        each.Dependencies = each.Dependencies.Except(_circular).ToArray();
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
