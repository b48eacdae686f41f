// One assembly at one moment: its trees, its compilation, and the known errors.
//
// A state never changes, except that more becomes known. The next one takes over the results for
// trees that the difference doesn't affect.
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
    /// <summary>How much was bound, on all threads together.</summary>
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
        // From this number on, binding trees one by one costs more than binding all at once.
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

        // Whether everything was compiled, in this or an earlier state; and whether that found
        // errors that binding a single tree doesn't find.
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

        /// <summary>The sources, by path.</summary>
        public IReadOnlyDictionary<string, Source> Sources { get; }

        /// <summary>The diagnostics of the generators that made some of the sources.</summary>
        public FoundError[] Reported { get; set; } = Array.Empty<FoundError>();

        /// <summary>The latest reports of the analyzers; <c>null</c> if they did not run.</summary>
        public Opinions Opinions { get; set; }

        /// <summary>How many of the sources are scripts.</summary>
        public int Scripts => Sources.Values.Count(each => !each.IsGenerated);

        public static AssemblyState First(
            CSharpCompilation compilation, IReadOnlyDictionary<string, Source> sources, Configured configured,
            Effort effort) =>
            new AssemblyState(
                compilation, sources, new ConcurrentDictionary<SyntaxTree, TreeErrors>(),
                new FoundError[3][], configured, effort);

        /// <summary>
        /// Returns the state with another compilation; the trees that it affects must be bound
        /// again.
        /// </summary>
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

        /// <summary>
        /// Returns the same state without symbols, which a compilation makes again on demand.
        /// </summary>
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

        /// <summary>Whether all of its errors were computed.</summary>
        public bool IsChecked { get; private set; }

        /// <summary>Whether all known errors come from binding the whole assembly.</summary>
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
        /// Returns the compiler's output for the assembly: the errors of the first stage with
        /// errors, and the warnings up to there.
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

        /// <summary>
        /// Whether the compiler gets as far as bodies; known once all errors were computed.
        /// </summary>
        public bool IsDeclared =>
            !KnownOf(Stage.Parsing).Concat(KnownOf(Stage.Declaring)).Any(each => each.Stops);

        /// <summary>Returns all errors in one of its trees, of every stage.</summary>
        public IEnumerable<FoundError> ErrorsOf(SyntaxTree tree, CancellationToken token)
        {
            foreach (var stage in Stages) Find(stage, tree, token);
            return Stages.SelectMany(stage => _known[tree][stage])
                .Concat(Reported.Where(each => each.File == tree.FilePath));
        }

        /// <summary>
        /// Whether one of its trees has no errors, where of the bodies only those count that touch a span.
        /// </summary>
        public bool IsFreeOfErrors(SyntaxTree tree, TextSpan bodies, CancellationToken token)
        {
            foreach (var stage in new[] { Stage.Parsing, Stage.Declaring })
            {
                Find(stage, tree, token);
                if (_known[tree][stage].Any(each => each.IsError)) return false;
            }
            if (Reported.Any(each => each.IsError && each.File == tree.FilePath)) return false;
            var model = Compilation.GetSemanticModel(tree);
            return !FoundError.Of(model.GetMethodBodyDiagnostics(bodies, token)).Any(each => each.IsError);
        }

        /// <summary>
        /// Returns the known errors of one of its trees at one stage; <c>null</c> if unknown.
        /// </summary>
        public FoundError[] Known(SyntaxTree tree, Stage stage) => Entry(tree)[stage];

        /// <summary>
        /// Whether some errors depend on all bodies of a text together: unused members.
        /// </summary>
        public bool CountsUnused => CountsUnreadFields || UnusedUsings.Any(IsMadeError);

        /// <summary>Returns the errors in the bodies of some members of a tree.</summary>
        public IEnumerable<FoundError> BoundIn(
            SyntaxTree tree, IEnumerable<TextSpan> members, CancellationToken token)
        {
            var model = Compilation.GetSemanticModel(tree);
            return members.SelectMany(member => FoundError.Of(model.GetMethodBodyDiagnostics(member, token))
                .Where(each => each.IsError && member.Contains(each.Span)));
        }

        /// <summary>
        /// Binds the whole assembly, and corrects known errors that differ; returns the
        /// differences.
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

        /// <summary>
        /// The reference for other assemblies; <c>null</c> if its declarations have errors.
        /// </summary>
        public MetadataReference Reference()
        {
            if (_reference == null && _image.Value != null)
                _reference = Libraries.OfImage(_image.Value, null);
            return _reference;
        }

        /// <summary>What other assemblies see of it, if any was shown it.</summary>
        public byte[] ShownImage => _reference == null ? null : _image.Value;

        /// <summary>
        /// Whether other assemblies can't refer to it, because its declarations have errors.
        /// </summary>
        public bool IsUndeclared => Reference() == null;

        /// <summary>
        /// Whether other assemblies see no difference to another state, so that they keep referring
        /// to that. True if only bodies changed.
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
        /// Whether an unused field or event is an error, which is only known once everything is
        /// bound.
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
            // A single tree doesn't show whether a field is read.
            bool Counts(FoundError each) => each.IsError && !UnreadFields.Contains(each.Id);
            foreach (var each in known.Where(Counts).Except(found))
                differences.Add($"this error was none: {each.Printed}");
            foreach (var each in found.Where(Counts).Except(known))
                differences.Add($"this error was missing: {each.Printed}");
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

        // The compiler finds some errors of bodies only when it lowers them: a missing member of an
        // async method's builder, a reference kept across an await.
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
                // A tree with too deep nesting must not be bound, because that would end the
                // process.
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

        // The same as a build's reference assembly: without bodies, and without members that others
        // can't see.
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
