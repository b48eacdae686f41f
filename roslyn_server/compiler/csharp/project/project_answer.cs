// The answer to a question about a project: errors as rows, and what was not judged.
using System.Collections.Generic;
using System.Linq;
using System.Threading;

namespace RoslynServer
{
    /// <summary>The errors found in a project, and what was not checked.</summary>
    public sealed class ProjectAnswer
    {
        internal readonly List<string> Found = new List<string>();
        internal readonly List<string> Left = new List<string>();
        internal readonly List<string> Looked = new List<string>();
        internal readonly List<string> Halted = new List<string>();
        private readonly List<Look> _looks = new List<Look>();

        /// <summary>Errors and warnings: id, severity, line, column, path, source, assembly, message.</summary>
        public string[] Rows() => Found.ToArray();

        /// <summary>What was not judged: assembly, reason, detail.</summary>
        public string[] NotChecked() => Left.ToArray();

        /// <summary>The assemblies that were judged.</summary>
        public string[] Assemblies() => Looked.ToArray();

        /// <summary>
        /// Returns the first error of each assembly that stops the compiler before bodies, or
        /// later.
        /// </summary>
        public string[] HaltedBy() => Halted.ToArray();

        /// <summary>
        /// Returns the code that their symbols exclude: for each condition of a source a line with
        /// assembly, path and condition.
        /// </summary>
        public string UnreadCode() => string.Join("\n", _looks.SelectMany(
            each => each.Kept?.Unread ?? UnreadIn(each.Assembly.Name, each.Assembly.State.Sources.Values)));

        internal static IEnumerable<string> UnreadIn(string assembly, IEnumerable<Source> sources) =>
            sources.SelectMany(each => each.Unread.Select(condition => $"{assembly}\t{each.Tree.FilePath}\t{condition}"));

        /// <summary>
        /// Returns where compilers before Roslyn 4 may not see that a variable is assigned:
        /// assembly, path, line and name.
        /// </summary>
        public string[] NewerFlow() => _looks.SelectMany(
            each => each.Kept?.NewerFlow ?? NewerFlowIn(each.Assembly.Name, each.Assembly.State.Sources.Values)).ToArray();

        internal static IEnumerable<string> NewerFlowIn(string assembly, IEnumerable<Source> sources) =>
            sources.SelectMany(each => each.NewerFlow.Select(
                at => $"{assembly}\t{each.Tree.FilePath}\t{at.Line}\t{at.Name}"));

        /// <summary>The number of their sources.</summary>
        public int Files { get; internal set; }

        /// <summary>How many trees were bound for the answer.</summary>
        public int BoundTrees { get; internal set; }

        /// <summary>How many assemblies were bound as a whole for the answer.</summary>
        public int BoundAssemblies { get; internal set; }

        /// <summary>Whether the whole answer comes from binding whole assemblies.</summary>
        public bool IsConfirmed { get; internal set; } = true;

        internal void Add(Look look, bool warnings)
        {
            var (name, state) = (look.Assembly.Name, look.Assembly.State);
            if (look.WhyNot != null)
            {
                Left.Add($"{name}\t{look.WhyNot}");
                return;
            }
            Looked.Add(name);
            if (look.Kept != null || state != null) _looks.Add(look);
            if (look.HaltedBy is { } halted) Halted.Add(halted);
            Files += look.Kept?.Scripts ?? state?.Scripts ?? 0;
            if (look.Kept is { } kept)
            {
                Found.AddRange(kept.Found.Where(each => each.IsError || warnings).Select(each => each.Row));
                return;
            }
            if (state?.Opinions?.Fault is { } unheard) Left.Add($"{name}\tanalyzers\t{unheard}");
            Found.AddRange(look.Errors.Where(each => each.IsError || warnings).Select(each => each.Row(name)));
        }
    }

    /// <summary>The errors of one assembly, or why there are none.</summary>
    internal sealed class Look
    {
        public ProjectAssembly Assembly;
        public string WhyNot;
        public List<FoundError> Errors = new List<FoundError>();

        /// <summary>What an earlier process found of it, which then is all; else <c>null</c>.</summary>
        public KeptCheck Kept;

        /// <summary>Whether they come from binding the whole assembly.</summary>
        public bool IsConfirmed = true;

        /// <summary>
        /// Whether the compiler stopped at these errors, so that there may be more.
        /// </summary>
        public bool IsHalted;

        public bool HasErrors => Kept?.HasErrors ?? Errors.Any(each => each.IsError);

        /// <summary>The error that the compiler stopped at; <c>null</c> if it didn't.</summary>
        public string HaltedBy => Kept != null ? Kept.Halted
            : IsHalted ? Errors.First(each => each.Stops).Row(Assembly.Name) : null;

        /// <summary>
        /// Finds the errors, including those of analyzers, and on demand warnings.
        /// </summary>
        public void FindErrors(bool warnings, CancellationToken token)
        {
            Errors.AddRange(Assembly.CommandErrors.Where(each => each.IsError));
            IsHalted = Errors.Count > 0;
            if (IsHalted || Assembly.Fault != null) return;
            var state = Assembly.State;
            Errors.AddRange(state.Errors(warnings, token));
            IsConfirmed = state.IsConfirmed;
            IsHalted = !state.IsDeclared;
            if (IsHalted) return;
            var opinions = Assembly.Analyzers.Of(state, Errors, warnings, token);
            Errors.RemoveAll(each =>
                !each.Stops && opinions.Withdrawn.Contains((each.Id, each.File, each.Span)));
            Errors.AddRange(opinions.Reported);
        }
    }
}
