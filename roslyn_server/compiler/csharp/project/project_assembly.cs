// One assembly of the project: its sources, and its latest state.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace RoslynServer
{
    /// <summary>Made from the compiler's own command line. Not thread-safe.</summary>
    internal sealed class ProjectAssembly
    {
        private readonly Func<ProjectAssembly> _renewed;
        private readonly Effort _effort;
        private readonly CSharpCommandLineArguments _arguments;
        private readonly CSharpCompilation _empty;
        private readonly MetadataReferenceProperties[] _properties;
        private readonly string[] _command;
        private readonly Configured _configured;
        private readonly Generators _generators;
        private readonly Dictionary<int, (MetadataReference Library, MetadataReference Referred)> _referred =
            new Dictionary<int, (MetadataReference, MetadataReference)>();

        // Changes in assemblies that it refers to, by their names, that were not taken up yet.
        private readonly Dictionary<string, DeclarationChange> _pending =
            new Dictionary<string, DeclarationChange>(StringComparer.Ordinal);
        private string[] _sources = Array.Empty<string>();
        private HashSet<string> _sourceSet = new HashSet<string>(Files.Paths);

        private readonly string[] _libraries; // with generators and analyzers
        private HashSet<string> _givenPaths = new HashSet<string>();
        private (AssemblyState, bool, bool) _lastKept;
        private object _keptOf;
        private IReadOnlyList<MetadataReference> _keptWith;

        // Files whose text may have changed since they were read.
        private readonly HashSet<string> _doubtful = new HashSet<string>(Files.Paths);

        public ProjectAssembly(
            string name, string[] arguments, string[] command, string folder, string[] generators,
            string[] analyzers, Effort effort)
        {
            _renewed = () => new ProjectAssembly(name, arguments, command, folder, generators, analyzers, effort);
            Name = name;
            _effort = effort;
            _command = command;
            _arguments = CSharpCommandLineParser.Default.Parse(arguments, folder, null, null);
            _configured = Configured.Of(_arguments);
            _libraries = generators.Concat(analyzers).ToArray();
            _generators = new Generators(generators, _arguments, _configured);
            Analyzers = new Analyzers(analyzers, _arguments, _configured);
            References = _arguments.MetadataReferences
                .Select(each => Path.GetFullPath(Path.Combine(folder, each.Reference))).ToArray();
            _properties = _arguments.MetadataReferences.Select(each => each.Properties).ToArray();
            _empty = CSharpCompilation.Create(
                _arguments.CompilationName ?? name,
                options: _configured.Applied(_arguments.CompilationOptions)
                    .WithConcurrentBuild(false) // the pool's threads have little stack
                    .WithDeterministic(true) // what looks alike to others is then the same bytes
                    .WithAssemblyIdentityComparer(DesktopAssemblyIdentityComparer.Default)
                    .WithSourceReferenceResolver(new SourceFileResolver(
                        ImmutableArray<string>.Empty, _arguments.BaseDirectory, _arguments.PathMap))
                    .WithXmlReferenceResolver(new XmlFileResolver(_arguments.BaseDirectory))
                    .WithStrongNameProvider(new DesktopStrongNameProvider(_arguments.KeyFileSearchPaths)));
        }

        public string Name { get; }

        /// <summary>The paths of the libraries that it refers to.</summary>
        public string[] References { get; }

        /// <summary>The names of the project's assemblies among them.</summary>
        public string[] Dependencies { get; set; } = Array.Empty<string>();

        public CSharpParseOptions Options => _arguments.ParseOptions;

        /// <summary>The analyzers that its build names.</summary>
        public Analyzers Analyzers { get; }

        /// <summary>The cached judgements of texts.</summary>
        public JudgedTexts JudgedTexts { get; } = new JudgedTexts();

        /// <summary>The errors of the command line itself.</summary>
        public IEnumerable<FoundError> CommandErrors => FoundError.Of(_arguments.Errors);

        /// <summary>Its latest state; null before the first question.</summary>
        public AssemblyState State { get; private set; }

        /// <summary>What an earlier process found of it, once that was looked for and still held.</summary>
        public KeptCheck Kept { get; private set; }

        /// <summary>What other assemblies see of it; <c>null</c> if that isn't known or it has errors.</summary>
        public MetadataReference Reference() => State != null ? State.Reference() : Kept?.Reference();

        /// <summary>
        /// Why it has no state after a question: the failed generator, and how it failed; otherwise
        /// <c>null</c>.
        /// </summary>
        public string Fault { get; private set; }

        /// <summary>Whether none of its references declares <c>object</c>.</summary>
        public bool HasNoObject =>
            State?.Compilation.GetSpecialType(SpecialType.System_Object).TypeKind == TypeKind.Error;

        public bool IsCompiledBy(string[] command) => _command.SequenceEqual(command);

        /// <summary>Sets its sources in order, and whether its build lists exactly these.</summary>
        public void Consist(string[] sources, bool isAsListed)
        {
            IsAsListed = isAsListed;
            if (_sources.SequenceEqual(sources)) return;
            _sources = sources;
            SourcesOnDisk = new object();
            _sourceSet = new HashSet<string>(sources, Files.Paths);
        }

        public bool Has(string path) => _sourceSet.Contains(path);

        /// <summary>Notes that these files, if they are sources of it, may have changed.</summary>
        public void Doubt(IEnumerable<string> paths)
        {
            var own = paths.Where(Has).ToList();
            _doubtful.UnionWith(own);
            if (own.Count > 0) SourcesOnDisk = new object();
        }

        /// <summary>The same object as long as its source files are unchanged.</summary>
        public object SourcesOnDisk { get; private set; } = new object();

        /// <summary>Whether its build lists exactly the present sources.</summary>
        public bool IsAsListed { get; private set; }

        /// <summary>The sources' paths.</summary>
        public IReadOnlyList<string> Paths => _sources;

        /// <summary>
        /// The hash of what it is compiled from with these libraries, by its state or, without one, by its
        /// files; and of what generators and analyzers are given now. <c>null</c> if that can't be had.
        /// </summary>
        public (byte[] All, byte[] Given)? Digest(IReadOnlyList<MetadataReference> libraries)
        {
            if (CommandErrors.Any(each => each.IsError) || Options.DocumentationMode == DocumentationMode.Diagnose) return null;
            try
            {
                var given = GivenNow(AssemblyDigest.OfFile);
                if (given == null || AssemblyDigest.NextTo(_libraries) == null) return null;
                if (State == null) Given ??= given;
                using var digest = new AssemblyDigest();
                digest.Add(Name).Add(_arguments.CompilationName).Add(_arguments.BaseDirectory)
                    .Add(_arguments.OutputDirectory).Add(_arguments.PathMap.SelectMany(each => new[] { each.Key, each.Value }))
                    .AddOptions(_arguments.CompilationOptions).AddOptions(Options).Add(_configured.Texts)
                    .Add(_arguments.AnalyzerConfigPaths).Add(_libraries).Add(Analyzers.AreAsked.ToString()).Add(given);
                for (var index = 0; index < References.Length; index++)
                    digest.Add(References[index]).Add(_properties[index].Kind.ToString())
                        .Add(_properties[index].EmbedInteropTypes.ToString()).Add(_properties[index].Aliases)
                        .Add(Libraries.HashOf(libraries[index]));
                var hashes = State == null ? AssemblyDigest.OfFiles(_sources)
                    : _sources.Select(path => State.Sources.TryGetValue(path, out var known) ? known.Hash
                        : Array.Empty<byte>()).ToArray();
                for (var index = 0; index < _sources.Length; index++) digest.Add(_sources[index]).Add(hashes[index]);
                return (digest.Value(), given);
            }
            catch (Exception error) when (error is IOException || error is UnauthorizedAccessException
                || error is AggregateException)
            {
                return null; // whoever reads it then, says so
            }
        }

        /// <summary>
        /// The hash of what it was given, besides sources and references, before its first state; <c>null</c>
        /// if that could not be had.
        /// </summary>
        public byte[] Given { get; private set; }

        /// <summary>
        /// What it is given besides sources and references: keys, rule sets, configurations, additional files,
        /// generators and analyzers with the libraries next to them, and the folders of these.
        /// </summary>
        public IReadOnlyCollection<string> GivenPaths()
        {
            var folders = _libraries.Select(Path.GetDirectoryName).Distinct(Files.Paths);
            return _givenPaths = new HashSet<string>(GivenFiles().Concat(folders), Files.Paths);
        }

        /// <summary>Whether it was given something else than it is now, if one of these paths changed.</summary>
        public bool IsGivenOther(HashSet<string> changed, Func<string, byte[]> hashOf)
        {
            if (!_givenPaths.Overlaps(changed)) return false;
            if (State == null && Given == null) return _arguments.RuleSetPath != null; // read with the options
            return !Given.AsSpan().SequenceEqual(GivenNow(hashOf));
        }

        /// <summary>The same assembly, of which nothing is known.</summary>
        public ProjectAssembly Renewed()
        {
            var renewed = _renewed();
            renewed.Consist(_sources, IsAsListed);
            return renewed;
        }

        private IEnumerable<string> GivenFiles()
        {
            var keys = _arguments.CompilationOptions.CryptoKeyFile is { } key
                ? _arguments.KeyFileSearchPaths.Append(_arguments.BaseDirectory).Select(each => Path.Combine(each, key))
                : Array.Empty<string>();
            return keys.Concat(_arguments.AdditionalFiles.Select(each => each.Path))
                .Concat(_arguments.AnalyzerConfigPaths).Concat(RuleSets()).Concat(_libraries)
                .Concat(AssemblyDigest.NextTo(_libraries) ?? Array.Empty<string>());
        }

        private IEnumerable<string> RuleSets()
        {
            if (!(_arguments.RuleSetPath is { } path)) return Array.Empty<string>();
            try
            {
                return RuleSet.GetEffectiveIncludesFromFile(path).Append(path).ToList();
            }
            catch (Exception error) when (!(error is OutOfMemoryException))
            {
                return new[] { path }; // the command line's errors say so
            }
        }

        private byte[] GivenNow(Func<string, byte[]> hashOf)
        {
            try
            {
                return AssemblyDigest.OfGiven(GivenFiles(), hashOf);
            }
            catch (Exception error) when (error is IOException || error is UnauthorizedAccessException)
            {
                return null;
            }
        }

        /// <summary>Say what an earlier process found, of the assembly as its files are.</summary>
        public void Take(KeptCheck kept, IReadOnlyList<MetadataReference> libraries)
        {
            Kept = kept;
            _keptOf = SourcesOnDisk;
            _keptWith = libraries;
        }

        /// <summary>
        /// What was found of its state, to be kept; <c>null</c> if it is not all, or was kept before.
        /// </summary>
        public KeptCheck ToKeep(Look look, bool warnings)
        {
            if (!look.IsConfirmed || State == null || State.Opinions?.Fault != null || Fault != null) return null;
            if (_lastKept == (State, warnings, State.ShownImage != null)) return null;
            _lastKept = (State, warnings, State.ShownImage != null);
            return new KeptCheck
            {
                AreOfWarnings = warnings,
                Found = look.Errors.Select(each => (each.IsError, each.Row(Name))).ToArray(),
                Halted = look.HaltedBy,
                Scripts = State.Scripts,
                Unread = ProjectAnswer.UnreadIn(Name, State.Sources.Values).ToArray(),
                NewerFlow = ProjectAnswer.NewerFlowIn(Name, State.Sources.Values).ToArray(),
                Image = look.HasErrors ? null : State.ShownImage,
            };
        }

        /// <summary>Whether what was kept is still about its files, and about these libraries.</summary>
        public bool IsKept(IReadOnlyList<MetadataReference> libraries) =>
            Kept != null && _keptOf == SourcesOnDisk && _keptWith.SequenceEqual(libraries);

        /// <summary>Drops what can be computed again: symbols, but not errors.</summary>
        public void Forget()
        {
            State = State?.Lean();
            JudgedTexts.Clear();
        }

        /// <summary>Notes that the declarations of a referenced assembly have changed.</summary>
        public void Expect(string name, DeclarationChange change) =>
            _pending[name] = _pending.GetValueOrDefault(name, DeclarationChange.None).With(change);

        /// <summary>
        /// Updates its state from the disk and the references; returns it with the change.
        /// </summary>
        public AssemblyStep Refresh(Func<string, MetadataReference> reference, CancellationToken token)
        {
            if (State == null) Given ??= GivenNow(AssemblyDigest.OfFile);
            var sources = new ConcurrentDictionary<string, Source>(Files.Paths);
            Parallel.ForEach(_sources, new ParallelOptions { CancellationToken = token }, path =>
            {
                Source known = null;
                State?.Sources.TryGetValue(path, out known);
                var source = known != null && !_doubtful.Contains(path)
                    ? known : Source.OnDisk(known, path, Options, token);
                if (source != null) sources[path] = source;
            });
            _doubtful.Clear();
            var isKept = State == null && IsKept(References.Select(reference).ToArray());
            var step = Next(_sources, sources, reference, _pending, token);
            if (State == null && Kept != null && step.State != null)
            {
                // Others may go on referring to what was kept.
                if (step.State.LooksLike(Kept, isKept) && isKept) step = AssemblyStep.AsKept(step.State);
                Kept = null;
            }
            // Errors without the generated sources would be reported as if they were complete.
            State = step.State;
            Fault = step.Fault;
            _pending.Clear();
            return step;
        }

        /// <summary>
        /// Returns its state with other texts (<c>null</c> for a deleted one) and with changed
        /// declarations in referenced assemblies, by their names.
        /// </summary>
        public AssemblyStep With(
            IReadOnlyDictionary<string, string> texts, Func<string, MetadataReference> reference,
            IReadOnlyDictionary<string, DeclarationChange> incoming, CancellationToken token)
        {
            var sources = new Dictionary<string, Source>(Files.Paths);
            foreach (var pair in State.Sources) sources[pair.Key] = pair.Value;
            foreach (var pair in Parsed(texts, token))
                if (pair.Value == null) sources.Remove(pair.Key);
                else sources[pair.Key] = pair.Value;
            var order = _sources.Concat(texts.Keys.OrderBy(each => each, StringComparer.Ordinal))
                .Distinct(Files.Paths).ToArray();
            return Next(order, sources, reference, incoming, token);
        }

        // The texts as sources, with their declarations, which are compared next.
        private IReadOnlyDictionary<string, Source> Parsed(IReadOnlyDictionary<string, string> texts, CancellationToken token)
        {
            var parsed = new ConcurrentDictionary<string, Source>(Files.Paths);
            SideBySide.Do(texts.Select<KeyValuePair<string, string>, Action>(pair => () =>
            {
                State.Sources.TryGetValue(pair.Key, out var known);
                if (pair.Value == null) parsed[pair.Key] = null;
                else if (known != null && known.Tree.TryGetText(out var last)
                    && last.Length == pair.Value.Length && last.ToString() == pair.Value) parsed[pair.Key] = known;
                else
                {
                    parsed[pair.Key] = Source.Of(pair.Value, known, pair.Key, Options, token);
                    DeclaredText.In(parsed[pair.Key].Tree, token);
                }
            }).ToList());
            return parsed;
        }

        private AssemblyStep Next(
            string[] order, IReadOnlyDictionary<string, Source> sources,
            Func<string, MetadataReference> reference, IReadOnlyDictionary<string, DeclarationChange> incoming,
            CancellationToken token)
        {
            var references = References.Select((path, index) => Referred(index, reference(path))).ToArray();
            var written = order.Where(sources.ContainsKey).Select(path => sources[path])
                .Where(each => !each.IsGenerated).Select(each => each.Tree).ToArray();
            var generated = Generate(written, references, token);
            if (generated?.Fault != null) return AssemblyStep.Failed(generated.Fault, State != null);
            var reported = generated?.Reported ?? State?.Reported;
            var trees = written;
            if (!_generators.AreNone) (sources, trees) = WithGenerated(sources, written, generated, token);
            if (State == null)
            {
                var first = _empty.WithReferences(references).AddSyntaxTrees(trees);
                var state_ = AssemblyState.First(first, sources, _configured, _effort);
                state_.Reported = reported;
                return AssemblyStep.Of(state_);
            }
            var last = State.Compilation;
            var isOfSameLibraries = last.ExternalReferences.SequenceEqual(references);
            if (isOfSameLibraries && last.SyntaxTrees.SequenceEqual(trees) && reported.SequenceEqual(State.Reported))
                return new AssemblyStep(State, DeclarationChange.None, Array.Empty<SyntaxTree>(), false);
            var compilation = WithTrees(last, trees);
            var change = incoming.Values.Aggregate(DeclarationChange.None, (all, each) => all.With(each));
            var isBelowOther = !change.IsNone;
            if (!isOfSameLibraries)
            {
                compilation = compilation.WithReferences(references);
                if (!AreExpected(last, references, incoming)) change = DeclarationChange.All;
            }
            var own = DeclarationChange.None;
            foreach (var path in sources.Keys.Union(State.Sources.Keys, Files.Paths))
            {
                State.Sources.TryGetValue(path, out var before);
                sources.TryGetValue(path, out var after);
                if (before?.Tree != after?.Tree)
                    own = own.With(DeclarationChange.Between(
                        before?.Tree, last, after?.Tree, compilation, token));
            }
            change = change.With(own);
            var unchanged = new HashSet<SyntaxTree>(trees.Where(last.ContainsSyntaxTree));
            var concerned = ConcernedTrees.Of(trees, unchanged, ref change, token);
            var isConcerned = new HashSet<SyntaxTree>(concerned);
            var state = State.Next(compilation, sources, isConcerned.Contains);
            state.Reported = reported;
            // An image for those above costs more than all else.
            var isSame = change.IsNone || own.IsNone && !trees.Any(tree => change.IsDeclaredWith(DeclaredText.In(tree, token)));
            var looksAlike = state.LooksLike(State, isSame);
            return new AssemblyStep(state, change, concerned, !looksAlike || isBelowOther);
        }

        // Whether the changes of all changed references are known. A library that was built again
        // may differ in any way, and so may differ from its replacement before or after.
        private bool AreExpected(
            CSharpCompilation last, MetadataReference[] references,
            IReadOnlyDictionary<string, DeclarationChange> incoming)
        {
            static bool WasBuilt(MetadataReference each) => ((PortableExecutableReference)each).FilePath != null;
            return last.ExternalReferences.Zip(references, (old, each) => (old, each))
                .Select((pair, index) => (pair.old, pair.each, Name: Libraries.NameOf(References[index])))
                .Where(pair => pair.old != pair.each)
                .All(pair => !WasBuilt(pair.old) && !WasBuilt(pair.each) && incoming.ContainsKey(pair.Name));
        }

        // Runs generators on these scripts; null if the result is the same as before.
        private Generated Generate(
            SyntaxTree[] written, MetadataReference[] references, CancellationToken token)
        {
            if (_generators.AreNone) return State == null ? Generated.Nothing : null;
            var last = State?.Compilation;
            // Code that walks such a tree may run out of stack, which ends a process.
            foreach (var tree in written)
                if (last?.ContainsSyntaxTree(tree) != true && Nesting.IsTooDeep(tree, token, out _))
                    return Generated.Failed($"{Path.GetFileName(tree.FilePath)} is too deep for them");
            if (last == null)
                return _generators.Run(_empty.WithReferences(references).AddSyntaxTrees(written), token);
            var made = State.Sources.Values.Where(each => each.IsGenerated).Select(each => each.Tree).ToList();
            if (_generators.AreGivenTheSame && last.ExternalReferences.SequenceEqual(references)
                && last.SyntaxTrees.Take(last.SyntaxTrees.Length - made.Count).SequenceEqual(written)) return null;
            var scripts = WithTrees(last.RemoveSyntaxTrees(made), written).WithReferences(references);
            return _generators.Run(scripts, token);
        }

        private (IReadOnlyDictionary<string, Source>, SyntaxTree[]) WithGenerated(
            IReadOnlyDictionary<string, Source> sources, SyntaxTree[] written, Generated generated,
            CancellationToken token)
        {
            var all = sources.Where(each => !each.Value.IsGenerated)
                .ToDictionary(each => each.Key, each => each.Value, Files.Paths);
            var made = new List<Source>();
            if (generated == null)
                made.AddRange(State.Compilation.SyntaxTrees.Skip(written.Length)
                    .Select(tree => State.Sources[tree.FilePath]));
            else foreach (var pair in generated.Sources)
            {
                Source known = null;
                State?.Sources.TryGetValue(pair.Key, out known);
                made.Add(Source.Made(pair.Value, known, pair.Key, Options, token));
            }
            foreach (var each in made) all[each.Tree.FilePath] = each;
            return (all, written.Concat(made.Select(each => each.Tree)).ToArray());
        }

        // Created once for each library: compilations compare references by identity.
        private MetadataReference Referred(int index, MetadataReference library)
        {
            if (_properties[index].Equals(MetadataReferenceProperties.Assembly)) return library;
            if (!_referred.TryGetValue(index, out var known) || known.Library != library)
                _referred[index] = known = (library, library.WithProperties(_properties[index]));
            return known.Referred;
        }

        // Of two declarations of one name the second is the wrong one, so the order matters.
        private static CSharpCompilation WithTrees(CSharpCompilation last, SyntaxTree[] trees)
        {
            var known = last.SyntaxTrees;
            if (known.Length == trees.Length)
            {
                var compilation = last;
                for (var index = 0; index < trees.Length; index++)
                {
                    if (known[index] == trees[index]) continue;
                    if (!Files.Paths.Equals(known[index].FilePath, trees[index].FilePath))
                        return last.RemoveAllSyntaxTrees().AddSyntaxTrees(trees);
                    compilation = compilation.ReplaceSyntaxTree(known[index], trees[index]);
                }
                return compilation;
            }
            return last.RemoveAllSyntaxTrees().AddSyntaxTrees(trees);
        }
    }

    /// <summary>The step of an assembly from one state to the next.</summary>
    internal sealed class AssemblyStep
    {
        public AssemblyStep(
            AssemblyState state, DeclarationChange change, IReadOnlyList<SyntaxTree> concerned,
            bool looksDifferent)
        {
            State = state;
            Change = change;
            Concerned = concerned;
            LooksDifferent = looksDifferent;
        }

        /// <summary>The next state; null if a generator failed.</summary>
        public AssemblyState State { get; }

        /// <summary>Which generator failed, and how; <c>null</c> if none did.</summary>
        public string Fault { get; private set; }

        /// <summary>Which declarations changed, in the assembly or in its references.</summary>
        public DeclarationChange Change { get; }

        /// <summary>The unchanged trees that this affects; the likeliest first.</summary>
        public IReadOnlyList<SyntaxTree> Concerned { get; }

        /// <summary>
        /// Whether another assembly could distinguish the two states, or their references.
        /// </summary>
        public bool LooksDifferent { get; }

        public static AssemblyStep Failed(string fault, bool looksDifferent) => new AssemblyStep(
            null, DeclarationChange.All, Array.Empty<SyntaxTree>(), looksDifferent) { Fault = fault };

        public static AssemblyStep AsKept(AssemblyState first) => new AssemblyStep(
            first, DeclarationChange.None, Array.Empty<SyntaxTree>(), false);

        public static AssemblyStep Of(AssemblyState first) => new AssemblyStep(
            first, DeclarationChange.All, Array.Empty<SyntaxTree>(), true);
    }
}
