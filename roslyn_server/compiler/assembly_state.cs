// One assembly at one moment: its trees, its compilation, and what is known of their errors.
//
// A state never changes but for what is found out about it. The next one takes over what is known
// of the trees that the difference doesn't concern.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Emit;

namespace RoslynServer
{
    internal sealed class AssemblyState
    {
        // Binding trees one by one costs more than binding all at once, from some number on.
        private const int FewTrees = 12;
        private const int ShareOfTrees = 4;

        private readonly ConcurrentDictionary<SyntaxTree, TreeErrors> _known;
        private readonly FoundError[][] _placeless;
        private Lazy<byte[]> _image;
        private MetadataReference _reference;

        private AssemblyState(
            CSharpCompilation compilation, IReadOnlyDictionary<string, Source> sources,
            ConcurrentDictionary<SyntaxTree, TreeErrors> known, FoundError[][] placeless)
        {
            Compilation = compilation;
            Sources = sources;
            _known = known;
            _placeless = placeless;
            _image = new Lazy<byte[]>(Image);
        }

        public CSharpCompilation Compilation { get; }

        /// <summary>The sources that there are, by path, in the order in which they are compiled.</summary>
        public IReadOnlyDictionary<string, Source> Sources { get; }

        /// <summary>Whether all of its errors come from binding the whole of it.</summary>
        public bool IsConfirmed { get; private set; }

        /// <summary>How many trees were bound in this state.</summary>
        public int BoundTrees { get; private set; }

        /// <summary>Whether they were bound all at once.</summary>
        public bool BoundWholly { get; private set; }

        public static AssemblyState First(
            CSharpCompilation compilation, IReadOnlyDictionary<string, Source> sources) =>
            new AssemblyState(
                compilation, sources, new ConcurrentDictionary<SyntaxTree, TreeErrors>(), new FoundError[3][]);

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
                else known[tree] = errors;
            }
            return new AssemblyState(compilation, sources, known, _placeless.ToArray());
        }

        /// <summary>
        /// What the compiler would say of the assembly: the errors of the first stage that has any,
        /// and the warnings up to there.
        /// </summary>
        public List<FoundError> Errors(bool wholly, CancellationToken token)
        {
            var found = new List<FoundError>();
            var whole = wholly || CountsUnreadFields;
            foreach (var stage in new[] { Stage.Parsing, Stage.Declaring, Stage.Binding })
            {
                Find(stage, whole, token);
                foreach (var tree in Compilation.SyntaxTrees) found.AddRange(_known[tree][stage]);
                found.AddRange(_placeless[(int)stage] ?? Array.Empty<FoundError>());
                if (found.Any(each => each.Stops)) break;
            }
            return found;
        }

        /// <summary>All errors of one of its trees, whatever the stage.</summary>
        public IEnumerable<FoundError> ErrorsOf(SyntaxTree tree, CancellationToken token)
        {
            foreach (var stage in new[] { Stage.Parsing, Stage.Declaring, Stage.Binding })
                Find(stage, tree, token);
            var errors = _known[tree];
            return errors[Stage.Parsing].Concat(errors[Stage.Declaring]).Concat(errors[Stage.Binding])
                .Where(each => each.IsError);
        }

        /// <summary>What other assemblies see of it; <c>null</c> where its declarations have errors.</summary>
        public MetadataReference Reference()
        {
            if (_reference == null && _image.Value != null)
                _reference = MetadataReference.CreateFromImage(_image.Value);
            return _reference;
        }

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
            if (isKnown) _image = other._image;
            return true;
        }

        // Whether a field is read is known once all is bound; and such a warning may be an error.
        private bool CountsUnreadFields
        {
            get
            {
                var options = Compilation.Options;
                return options.GeneralDiagnosticOption == ReportDiagnostic.Error
                    || UnreadFields.Any(id => options.SpecificDiagnosticOptions.TryGetValue(id, out var as_)
                        && as_ == ReportDiagnostic.Error);
            }
        }

        private static readonly string[] UnreadFields = { "CS0067", "CS0169", "CS0414", "CS0649" };

        private void Find(Stage stage, bool wholly, CancellationToken token)
        {
            var unknown = Compilation.SyntaxTrees
                .Where(tree => !_known.TryGetValue(tree, out var errors) || errors[stage] == null).ToList();
            if (stage == Stage.Parsing)
            {
                foreach (var tree in unknown) Find(stage, tree, token);
                return;
            }
            var all = Compilation.SyntaxTrees.Length;
            var isMany = unknown.Count == all || unknown.Count > FewTrees && unknown.Count * ShareOfTrees > all;
            if (isMany || wholly && (unknown.Count > 0 || !IsConfirmed)) FindAll(stage, token);
            else foreach (var tree in unknown) Find(stage, tree, token);
        }

        private void FindAll(Stage stage, CancellationToken token)
        {
            var all = stage == Stage.Declaring
                ? Compilation.GetDeclarationDiagnostics(token) : Compilation.GetMethodBodyDiagnostics(token);
            var byTree = all.ToLookup(each => each.Location.SourceTree);
            foreach (var tree in Compilation.SyntaxTrees) Entry(tree)[stage] = FoundError.Of(byTree[tree]);
            _placeless[(int)stage] = FoundError.Of(byTree[null]);
            BoundTrees += Compilation.SyntaxTrees.Length;
            BoundWholly = true;
            if (stage == Stage.Binding) IsConfirmed = true;
        }

        private void Find(Stage stage, SyntaxTree tree, CancellationToken token)
        {
            var entry = Entry(tree);
            if (entry[stage] != null) return;
            token.ThrowIfCancellationRequested();
            var model = Compilation.GetSemanticModel(tree);
            if (stage == Stage.Parsing)
            {
                var found = FoundError.Of(model.GetSyntaxDiagnostics(null, token));
                entry[stage] = found.Length == 0 && Nesting.IsTooDeep(tree, token, out var error)
                    ? new[] { error } : found;
                return;
            }
            entry[stage] = FoundError.Of(stage == Stage.Declaring
                ? model.GetDeclarationDiagnostics(null, token)
                : model.GetMethodBodyDiagnostics(null, token));
            BoundTrees++;
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
