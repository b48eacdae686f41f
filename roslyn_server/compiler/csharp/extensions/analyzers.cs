// Run a build's analyzers: their reports on its scripts, and which of these are errors.
using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Text;

namespace RoslynServer
{
    /// <summary>The reports of the analyzers on an assembly at one moment.</summary>
    internal sealed class Opinions
    {
        public static readonly Opinions None = new Opinions();

        /// <summary>Their errors and warnings.</summary>
        public FoundError[] Reported = Array.Empty<FoundError>();

        /// <summary>
        /// The compiler's own warnings that they suppress, by id, path and place.
        /// </summary>
        public HashSet<(string, string, TextSpan)> Withdrawn = new HashSet<(string, string, TextSpan)>();

        /// <summary>Which of them failed, and why; <c>null</c> if all ran.</summary>
        public string Fault;

        // The request, and their input besides the sources.
        public bool AreOfWarnings;
        public Stamp[] Given = Array.Empty<Stamp>();
    }

    /// <summary>The analyzers of one assembly. Not for two threads at a time.</summary>
    internal sealed class Analyzers
    {
        private static readonly TimeSpan Longest = TimeSpan.FromSeconds(30);

        // A walk through a tree takes stack, and they run on the pool's threads, which have little.
        private const int MaxDepth = 500;

        private static readonly ConditionalWeakTable<SyntaxTree, StrongBox<bool>> Deep =
            new ConditionalWeakTable<SyntaxTree, StrongBox<bool>>();

        private readonly string[] _libraries;
        private readonly CSharpCommandLineArguments _arguments;
        private readonly Configured _configured;
        private readonly ForeignWork _work;
        private List<DiagnosticAnalyzer> _loaded;
        private string _fault;
        private bool? _mayErr;

        public Analyzers(string[] libraries, CSharpCommandLineArguments arguments, Configured configured)
        {
            _libraries = IsSkipped(arguments) ? Array.Empty<string>() : libraries;
            _arguments = arguments;
            _configured = configured;
            _work = new ForeignWork("analyzers", libraries, Longest);
        }

        /// <summary>Whether there are any, and the build asks them.</summary>
        public bool AreAsked => _libraries.Length > 0;

        /// <summary>
        /// Returns their reports on a compilation whose declarations are correct and for which the
        /// compiler reported <c>found</c>, within thirty seconds. Without <c>warnings</c>,
        /// analyzers that report no errors don't run.
        /// </summary>
        public Opinions Of(
            AssemblyState state, IReadOnlyCollection<FoundError> found, bool warnings, CancellationToken token)
        {
            if (_libraries.Length == 0) return Opinions.None;
            var given = GivenFile.Stamps(_arguments);
            if (state.Opinions is { } known && known.Given.SequenceEqual(given)
                && (known.AreOfWarnings || !warnings)) return known;
            var opinions = new Opinions { AreOfWarnings = warnings, Given = given };
            var fault = _work.Do(bound => Ask(state.Compilation, found, opinions, bound), token);
            // An analyzer that never ended may still be writing to the old ones.
            if (fault != null) opinions = new Opinions { AreOfWarnings = warnings, Given = given, Fault = fault };
            else opinions.Fault = _fault ?? opinions.Fault;
            return state.Opinions = opinions;
        }

        /// <summary>Whether any of them may report an error; true if that is unknown.</summary>
        public bool MayErr(CancellationToken token)
        {
            if (_libraries.Length == 0) return false;
            if (_mayErr is { } known) return known;
            var may = true;
            _work.Do(_ => may = Loaded().Any(each => Tells(each, false)) || _fault != null, token);
            _mayErr = may;
            return may;
        }

        private void Ask(
            CSharpCompilation compilation, IEnumerable<FoundError> found, Opinions opinions,
            CancellationToken token)
        {
            var suppressors = Loaded().OfType<DiagnosticSuppressor>().ToList();
            var silenced = new HashSet<string>(suppressors
                .SelectMany(each => each.SupportedSuppressions).Select(each => each.SuppressedDiagnosticId));
            var areConcerned = found.Any(each => !each.Stops && silenced.Contains(each.Id)
                && (each.IsError || opinions.AreOfWarnings));
            var telling = Loaded().Where(each => Tells(each, opinions.AreOfWarnings)).ToList();
            if (telling.Count == 0 && !areConcerned) return;
            if (compilation.SyntaxTrees.FirstOrDefault(tree => IsTooDeep(tree, token)) is { } deep)
            {
                opinions.Fault = $"{Path.GetFileName(deep.FilePath)} is too deep for them";
                return;
            }
            var asked = telling.Concat(suppressors).ToImmutableArray();
            var options = new CompilationWithAnalyzersOptions(
                new AnalyzerOptions(GivenFile.Of(_arguments), _configured.Options), onAnalyzerException: null,
                concurrentAnalysis: false, logAnalyzerExecutionTime: false, reportSuppressedDiagnostics: true);
            var run = compilation.WithAnalyzers(asked, options);
            var said = run.GetAnalyzerDiagnosticsAsync(token).GetAwaiter().GetResult();
            opinions.Reported = FoundError.Of(said).Distinct().ToArray();
            opinions.Fault = said.Where(each => each.Id == "AD0001").Select(Messages.OneLine).FirstOrDefault();
            if (!areConcerned) return;
            foreach (var each in run.GetAllDiagnosticsAsync(token).GetAwaiter().GetResult())
                if (each.IsSuppressed && each.Location.IsInSource)
                    opinions.Withdrawn.Add((each.Id, each.Location.SourceTree.FilePath, each.Location.SourceSpan));
        }

        private static bool IsTooDeep(SyntaxTree tree, CancellationToken token) => Deep.GetValue(
            tree, each => new StrongBox<bool>(Nesting.IsTooDeep(each, token, out _, MaxDepth))).Value;

        private List<DiagnosticAnalyzer> Loaded()
        {
            if (_loaded != null) return _loaded;
            var faults = new List<string>();
            var loaded = new List<DiagnosticAnalyzer>();
            foreach (var path in _libraries)
                try
                {
                    loaded.AddRange(AnalyzerLibrary.AnalyzersIn(path, faults));
                }
                catch (Exception error) when (!(error is OutOfMemoryException))
                {
                    faults.Add($"{Path.GetFileName(path)} can't be loaded: {ForeignWork.Line(error)}");
                }
            _fault = faults.FirstOrDefault();
            return _loaded = loaded;
        }

        private bool Tells(DiagnosticAnalyzer analyzer, bool warnings) =>
            !(analyzer is DiagnosticSuppressor) && (warnings || analyzer.SupportedDiagnostics.Any(MayBeError));

        private bool MayBeError(DiagnosticDescriptor each)
        {
            var options = _arguments.CompilationOptions;
            return each.DefaultSeverity == DiagnosticSeverity.Error
                || each.DefaultSeverity == DiagnosticSeverity.Warning
                && options.GeneralDiagnosticOption == ReportDiagnostic.Error
                || options.SpecificDiagnosticOptions.TryGetValue(each.Id, out var said)
                && said == ReportDiagnostic.Error
                || _configured.MakesAnalyzersErr || _configured.MakesError(each.Id);
        }

        // The oldest supported Roslyn doesn't have that option.
        private static bool IsSkipped(CSharpCommandLineArguments arguments) =>
            typeof(CommandLineArguments).GetProperty("SkipAnalyzers")?.GetValue(arguments) is true;
    }
}
