// One assembly at one moment: its trees, its compilation, and what is known of their errors.
//
// A state never changes but for what is found out about it. The next one takes over what is known
// of the trees that the difference doesn't concern.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.IO;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Emit;
using Microsoft.CodeAnalysis.Text;

namespace RoslynServer
{
    /// <summary>How much was bound, by however many threads.</summary>
    internal sealed class Effort
    {
        private int _trees;
        private int _assemblies;

        public int Trees => _trees;

        public int Assemblies => _assemblies;

        public void AddTrees(int count) => Interlocked.Add(ref _trees, count);

        public void AddAssembly() => Interlocked.Increment(ref _assemblies);
    }

    internal sealed class AssemblyState
    {
        // Binding trees one by one costs more than binding all at once, from some number on.
        private const int FewTrees = 12;
        private const int ShareOfTrees = 4;

        private static readonly Stage[] Stages = { Stage.Parsing, Stage.Declaring, Stage.Binding };
        private static readonly string[] UnreadFields = { "CS0067", "CS0169", "CS0414", "CS0649" };
        private static readonly string[] UnusedUsings = { "CS8019", "CS8020" };

        private readonly ConcurrentDictionary<SyntaxTree, TreeErrors> _known;
        private readonly FoundError[][] _placeless;
        private readonly bool[] _isWhole = { true, false, false };
        private readonly Configured _configured;
        private readonly Effort _effort;

        // Whether all was compiled, this or an earlier state; and whether that found errors which
        // binding a tree alone doesn't find.
        private bool _wasCompiled;
        private bool _hasLoweringErrors;
        private Lazy<byte[]> _image;
        private MetadataReference _reference;

        private AssemblyState(
            CSharpCompilation compilation, IReadOnlyDictionary<string, Source> sources,
            ConcurrentDictionary<SyntaxTree, TreeErrors> known, FoundError[][] placeless,
            Configured configured, Effort effort)
        {
            Compilation = compilation;
            Sources = sources;
            _known = known;
            _placeless = placeless;
            _configured = configured;
            _effort = effort;
            _image = new Lazy<byte[]>(Image);
        }

        public CSharpCompilation Compilation { get; }

        /// <summary>The sources that there are, by path.</summary>
        public IReadOnlyDictionary<string, Source> Sources { get; }

        /// <summary>What generators said as they made some of the sources.</summary>
        public FoundError[] Reported { get; set; } = Array.Empty<FoundError>();

        /// <summary>What analyzers said when they were last asked; <c>null</c> if nobody did.</summary>
        public Opinions Opinions { get; set; }

        /// <summary>How many of the sources are scripts.</summary>
        public int Scripts => Sources.Values.Count(each => !each.IsGenerated);

        public static AssemblyState First(
            CSharpCompilation compilation, IReadOnlyDictionary<string, Source> sources, Configured configured,
            Effort effort) =>
            new AssemblyState(
                compilation, sources, new ConcurrentDictionary<SyntaxTree, TreeErrors>(),
                new FoundError[3][], configured, effort);

        /// <summary>The state with another compilation; what it concerns must be bound again.</summary>
        public AssemblyState Next(
            CSharpCompilation compilation, IReadOnlyDictionary<string, Source> sources,
            Func<SyntaxTree, bool> isConcerned)
        {
            var known = new ConcurrentDictionary<SyntaxTree, TreeErrors>();
            foreach (var tree in compilation.SyntaxTrees)
            {
                if (!_known.TryGetValue(tree, out var errors)) continue;
                if (isConcerned(tree)) known[tree] = new TreeErrors { [Stage.Parsing] = errors[Stage.Parsing] };
                else known[tree] = errors.Copy();
            }
            return new AssemblyState(compilation, sources, known, _placeless.ToArray(), _configured, _effort)
            {
                _wasCompiled = _wasCompiled,
                _hasLoweringErrors = _hasLoweringErrors,
            };
        }

        /// <summary>The same without symbols: a compilation makes them as they are needed.</summary>
        public AssemblyState Lean()
        {
            var lean = new AssemblyState(
                Compilation.Clone(), Sources, _known, _placeless, _configured, _effort)
            {
                _reference = _reference,
                Reported = Reported,
                Opinions = Opinions,
                IsChecked = IsChecked,
                _wasCompiled = _wasCompiled,
                _hasLoweringErrors = _hasLoweringErrors,
            };
            if (_image.IsValueCreated) lean._image = _image;
            _isWhole.CopyTo(lean._isWhole, 0);
            return lean;
        }

        /// <summary>Whether all of its errors were asked for.</summary>
        public bool IsChecked { get; private set; }

        /// <summary>Whether all that the compiler would say comes from binding the whole of it.</summary>
        public bool IsConfirmed
        {
            get
            {
                foreach (var stage in Stages)
                {
                    if (!_isWhole[(int)stage]) return false;
                    if (KnownOf(stage).Any(each => each.Stops)) return true;
                }
                return true;
            }
        }

        /// <summary>
        /// What the compiler would say of the assembly: the errors of the first stage that has any,
        /// and the warnings up to there.
        /// </summary>
        public List<FoundError> Errors(bool wholly, CancellationToken token)
        {
            var found = new List<FoundError>();
            foreach (var stage in Stages)
            {
                Find(stage, wholly || CountsUnreadFields, token);
                found.AddRange(KnownOf(stage));
                if (found.Any(each => each.Stops)) break;
            }
            IsChecked = true;
            return found;
        }

        /// <summary>Whether the compiler gets as far as bodies; known once all errors were asked for.</summary>
        public bool IsDeclared =>
            !KnownOf(Stage.Parsing).Concat(KnownOf(Stage.Declaring)).Any(each => each.Stops);

        /// <summary>All that is wrong in one of its trees, whatever the stage.</summary>
        public IEnumerable<FoundError> ErrorsOf(SyntaxTree tree, CancellationToken token)
        {
            foreach (var stage in Stages) Find(stage, tree, token);
            return Stages.SelectMany(stage => _known[tree][stage])
                .Concat(Reported.Where(each => each.File == tree.FilePath));
        }

        /// <summary>What is known of one of its trees at one stage; <c>null</c> if nothing is.</summary>
        public FoundError[] Known(SyntaxTree tree, Stage stage) => Entry(tree)[stage];

        /// <summary>Whether errors of a text hang on all of its bodies together: what is never used.</summary>
        public bool CountsUnused => CountsUnreadFields || UnusedUsings.Any(IsMadeError);

        /// <summary>The errors of the bodies of some members of a tree.</summary>
        public IEnumerable<FoundError> BoundIn(
            SyntaxTree tree, IEnumerable<TextSpan> members, CancellationToken token)
        {
            var model = Compilation.GetSemanticModel(tree);
            return members.SelectMany(member => FoundError.Of(model.GetMethodBodyDiagnostics(member, token))
                .Where(each => each.IsError && member.Contains(each.Span)));
        }

        /// <summary>
        /// Bind all of it, and correct what is known where that differs; the differences come back.
        /// </summary>
        public List<string> Prove(CancellationToken token)
        {
            var differences = new List<string>();
            foreach (var stage in Stages)
            {
                if (!_isWhole[(int)stage])
                {
                    var known = Compilation.SyntaxTrees.ToDictionary(tree => tree, tree => Entry(tree)[stage]);
                    FindAll(stage, new Effort(), token); // no answer waits for it
                    foreach (var pair in known)
                        if (pair.Value != null) Compare(pair.Value, Entry(pair.Key)[stage], differences);
                }
                if (KnownOf(stage).Any(each => each.Stops)) break;
            }
            return differences;
        }

        /// <summary>What other assemblies see of it; <c>null</c> where its declarations have errors.</summary>
        public MetadataReference Reference()
        {
            if (_reference == null && _image.Value != null)
                _reference = Libraries.OfImage(_image.Value, null);
            return _reference;
        }

        /// <summary>What other assemblies see of it, if any was shown it.</summary>
        public byte[] ShownImage => _reference == null ? null : _image.Value;

        /// <summary>Whether other assemblies can't refer to it, for its declarations have errors.</summary>
        public bool IsUndeclared => Reference() == null;

        /// <summary>
        /// Whether other assemblies see in it what they saw in the other; they then go on referring
        /// to that. It is known if only bodies changed.
        /// </summary>
        public bool LooksLike(AssemblyState other, bool isKnown)
        {
            if (other._reference == null) return isKnown;
            if (!isKnown && (_image.Value == null
                || !_image.Value.AsSpan().SequenceEqual(other._image.Value))) return false;
            _reference = other._reference;
            _image = other._image;
            return true;
        }

        /// <summary>
        /// The same of what was kept of it; it is known if its inputs are the same.
        /// </summary>
        public bool LooksLike(KeptCheck kept, bool isKnown)
        {
            if (_reference != null || kept.Reference() == null || !isKnown
                && !(_image.Value is { } image && image.AsSpan().SequenceEqual(kept.Image))) return false;
            _reference = kept.Reference();
            _image = new Lazy<byte[]>(() => kept.Image);
            return true;
        }

        /// <summary>
        /// Whether it is an error that a field or an event isn't used, which is known once all is bound.
        /// </summary>
        public bool CountsUnreadFields => UnreadFields.Any(id => IsMadeError(id)
            || Compilation.Options.GeneralDiagnosticOption == ReportDiagnostic.Error
            && !Compilation.Options.SpecificDiagnosticOptions.ContainsKey(id));

        private bool IsMadeError(string id) => _configured.MakesError(id)
            || Compilation.Options.SpecificDiagnosticOptions.TryGetValue(id, out var as_)
            && as_ == ReportDiagnostic.Error;

        private IEnumerable<FoundError> KnownOf(Stage stage) => Compilation.SyntaxTrees
            .SelectMany(tree => Entry(tree)[stage] ?? Array.Empty<FoundError>())
            .Concat(_placeless[(int)stage] ?? Array.Empty<FoundError>())
            .Concat(stage == Stage.Declaring ? Reported : Array.Empty<FoundError>());

        private static void Compare(FoundError[] known, FoundError[] found, List<string> differences)
        {
            // Whether a field is read isn't known from one tree.
            bool Counts(FoundError each) => each.IsError && !UnreadFields.Contains(each.Id);
            foreach (var each in known.Where(Counts).Except(found))
                differences.Add($"was told and isn't so: {each.Row("")}");
            foreach (var each in found.Where(Counts).Except(known))
                differences.Add($"was not told: {each.Row("")}");
        }

        private void Find(Stage stage, bool wholly, CancellationToken token)
        {
            var trees = Compilation.SyntaxTrees;
            var unknown = trees.Where(tree => Entry(tree)[stage] == null).ToList();
            var isMany = unknown.Count == trees.Length && trees.Length > 0
                || unknown.Count > FewTrees && unknown.Count * ShareOfTrees > trees.Length;
            var isHidden = stage == Stage.Binding && _hasLoweringErrors && unknown.Count > 0;
            wholly |= isMany || isHidden || !_wasCompiled;
            if (stage != Stage.Parsing && wholly && !_isWhole[(int)stage]) FindAll(stage, _effort, token);
            else foreach (var tree in unknown) Find(stage, tree, token);
        }

        private void FindAll(Stage stage, Effort effort, CancellationToken token)
        {
            var all = stage == Stage.Declaring
                ? Compilation.GetDeclarationDiagnostics(token) : CompiledBodies(token);
            var byTree = all.ToLookup(each => each.Location.SourceTree);
            foreach (var tree in Compilation.SyntaxTrees) Entry(tree)[stage] = FoundError.Of(byTree[tree]);
            _placeless[(int)stage] = FoundError.Of(byTree[null]);
            _isWhole[(int)stage] = true;
            if (stage == Stage.Declaring) effort.AddTrees(Compilation.SyntaxTrees.Length);
            else
            {
                _hasLoweringErrors = HasMoreThanBinding(token);
                _wasCompiled = true;
            }
            effort.AddAssembly();
        }

        // Some of what the compiler says of bodies it finds out only as it lowers them: a member that
        // an async method's builder lacks, a reference that is kept across an await.
        private ImmutableArray<Diagnostic> CompiledBodies(CancellationToken token)
        {
            var earlier = new HashSet<Diagnostic>(Compilation.GetParseDiagnostics(token));
            earlier.UnionWith(Compilation.GetDeclarationDiagnostics(token));
            var all = Lowering.Emitted(Compilation, token);
            return all.Where(each => !earlier.Contains(each)).ToImmutableArray();
        }

        private bool HasMoreThanBinding(CancellationToken token)
        {
            if ((_placeless[(int)Stage.Binding] ?? Array.Empty<FoundError>()).Any(each => each.Stops)) return true;
            var broken = Compilation.SyntaxTrees
                .Where(tree => Entry(tree)[Stage.Binding].Any(each => each.Stops)).ToList();
            if (broken.Count > FewTrees) return true; // so many take as long as all
            return broken.Any(tree =>
            {
                var bound = FoundError.Of(Compilation.GetSemanticModel(tree).GetMethodBodyDiagnostics(null, token));
                return Entry(tree)[Stage.Binding].Any(each => each.Stops && !bound.Contains(each));
            });
        }

        private void Find(Stage stage, SyntaxTree tree, CancellationToken token)
        {
            var entry = Entry(tree);
            if (entry[stage] != null) return;
            token.ThrowIfCancellationRequested();
            if (stage == Stage.Parsing)
            {
                // Far too deep, it must not be bound: that would end the process.
                entry[stage] = Nesting.IsTooDeep(tree, token, out var error) ? new[] { error }
                    : FoundError.Of(Compilation.GetSemanticModel(tree).GetSyntaxDiagnostics(null, token));
                return;
            }
            if (entry[Stage.Parsing] is { Length: > 0 } parsing && parsing.Any(each => each.Id == Nesting.Id))
            {
                entry[stage] = Array.Empty<FoundError>();
                return;
            }
            var model = Compilation.GetSemanticModel(tree);
            entry[stage] = FoundError.Of(stage == Stage.Declaring
                ? model.GetDeclarationDiagnostics(null, token)
                : model.GetMethodBodyDiagnostics(null, token));
            if (stage == Stage.Declaring) _effort.AddTrees(1);
        }

        private TreeErrors Entry(SyntaxTree tree) => _known.GetOrAdd(tree, _ => new TreeErrors());

        // What a build's reference assembly is: without bodies, and without what nobody else sees.
        private byte[] Image()
        {
            using (var stream = new MemoryStream())
            {
                var options = new EmitOptions(metadataOnly: true, includePrivateMembers: false);
                return Compilation.Emit(stream, options: options).Success ? stream.ToArray() : null;
            }
        }
    }
}
