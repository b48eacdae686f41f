// Cache of judged texts: if a text differs from one of them in a body or two, only those are bound.
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Text;

namespace RoslynServer
{
    /// <summary>
    /// The errors of one text, and everything they depend on: all other sources of the assembly.
    /// </summary>
    internal sealed class JudgedText : IOfBodies
    {
        private readonly string _path;
        private readonly ParseOptions _parsing;
        private readonly CompilationOptions _options;
        private readonly List<MetadataReference> _references;

        // All other compiled trees.
        private readonly SyntaxTree[] _others;
        private readonly List<FoundError> _declaring;
        private readonly List<FoundError> _binding;

        private JudgedText(
            AssemblyState state, SyntaxTree tree, Bodies bodies, IEnumerable<FoundError> declaring,
            IEnumerable<FoundError> binding)
        {
            _path = tree.FilePath;
            _parsing = tree.Options;
            _options = state.Compilation.Options;
            _references = state.Compilation.ExternalReferences.ToList();
            _others = Others(state, tree);
            Bodies = bodies;
            _declaring = declaring.Where(each => each.IsError).ToList();
            _binding = binding.Where(each => each.IsError).ToList();
        }

        public Bodies Bodies { get; }

        public IEnumerable<FoundError> Errors => _declaring.Concat(_binding);

        /// <summary>Returns a text with all that is known of it.</summary>
        public static JudgedText Of(AssemblyState state, SyntaxTree tree, Bodies bodies) => new JudgedText(
            state, tree, bodies, state.Known(tree, Stage.Declaring), state.Known(tree, Stage.Binding));

        /// <summary>
        /// Whether a tree has the same path as this text, among the same other trees.
        /// </summary>
        public bool IsBeside(AssemblyState state, SyntaxTree tree) => tree.FilePath == _path
            && tree.Options.Equals(_parsing) && state.Compilation.Options == _options
            && state.Compilation.ExternalReferences.SequenceEqual(_references)
            && Others(state, tree).SequenceEqual(_others);

        /// <summary>
        /// Returns the errors of a tree in which some members have other bodies; <c>null</c> if the
        /// known errors don't suffice.
        /// </summary>
        public JudgedText With(
            AssemblyState state, SyntaxTree tree, Bodies bodies, List<int> changed, CancellationToken token)
        {
            var declaring = Moved(_declaring, tree, bodies, changed);
            var binding = Moved(
                _binding.Where(each => !changed.Contains(Bodies.MemberAt(each.Span))), tree, bodies, changed);
            if (declaring == null || binding == null) return null;
            binding.AddRange(state.BoundIn(tree, changed.Select(bodies.Member), token));
            return new JudgedText(state, tree, bodies, declaring, binding);
        }

        private static SyntaxTree[] Others(AssemblyState state, SyntaxTree tree) =>
            state.Compilation.SyntaxTrees.Select(each => each == tree ? null : each).ToArray();

        private List<FoundError> Moved(
            IEnumerable<FoundError> errors, SyntaxTree tree, Bodies bodies, List<int> changed)
        {
            var moved = new List<FoundError>();
            foreach (var each in errors)
            {
                if (!(bodies.Moved(Bodies, each.Span, changed) is { } place)) return null;
                moved.Add(new FoundError(each, tree, place));
            }
            return moved;
        }
    }

    /// <summary>The recently judged texts of one assembly.</summary>
    internal sealed class JudgedTexts
    {
        private readonly LatestTexts<JudgedText> _latest = new LatestTexts<JudgedText>();

        /// <summary>The errors of a changed tree, in bodies and in declarations.</summary>
        public IEnumerable<FoundError> ErrorsOf(
            SyntaxTree tree, AssemblyState state, AssemblyState before, CancellationToken token)
        {
            if (state.CountsUnused || tree.GetDiagnostics(token).Any(IsError)) return AllErrorsOf(tree, state, token);
            var bodies = Bodies.Of(tree, token);
            var earlier = _latest.Like(bodies, each => each.IsBeside(state, tree), out var changed);
            if (earlier == null && OnDisk(tree, before, token) is { } clean && clean.IsBeside(state, tree))
            {
                changed = bodies.ChangedSince(clean.Bodies);
                earlier = changed == null ? null : clean;
            }
            var judged = earlier == null || IsTooDeep(tree, changed.Select(bodies.Member), token)
                ? null : earlier.With(state, tree, bodies, changed, token);
            if (judged == null)
            {
                var all = AllErrorsOf(tree, state, token).ToList();
                if (all.Any(each => each.Id == Nesting.Id)) return all;
                judged = JudgedText.Of(state, tree, bodies);
            }
            _latest.Keep(judged, changed?.Count == 0 ? earlier : null);
            return judged.Errors.Concat(state.Reported.Where(each => each.IsError && each.File == tree.FilePath));
        }

        /// <summary>Drops everything.</summary>
        public void Clear() => _latest.Clear();

        private static IEnumerable<FoundError> AllErrorsOf(
            SyntaxTree tree, AssemblyState state, CancellationToken token) =>
            state.ErrorsOf(tree, token).Where(each => each.IsError);

        private static bool IsError(Diagnostic each) => each.Severity == DiagnosticSeverity.Error;

        // The file on disk, if it is known to have no errors. If it has some, the known ones may be
        // those that only compiling finds.
        private static JudgedText OnDisk(SyntaxTree tree, AssemblyState before, CancellationToken token)
        {
            if (!before.Sources.TryGetValue(tree.FilePath, out var source)) return null;
            foreach (var stage in new[] { Stage.Parsing, Stage.Declaring, Stage.Binding })
                if (before.Known(source.Tree, stage)?.Any(each => each.IsError) != false) return null;
            return JudgedText.Of(before, source.Tree, Bodies.Of(source.Tree, token));
        }

        private static bool IsTooDeep(
            SyntaxTree tree, IEnumerable<TextSpan> members, CancellationToken token) =>
            members.Any(each => Nesting.IsTooDeep(tree.GetRoot(token).FindNode(each), token));
    }
}
