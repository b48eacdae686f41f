// Read the configurations (`-analyzerconfig`) and additional files of a command line.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Text;

namespace RoslynServer
{
    /// <summary>Settings for all sources, and for some sources by their paths; read once.</summary>
    internal sealed class Configured
    {
        private static readonly Regex MadeError = new Regex(
            @"^[ \t]*dotnet_diagnostic\.(\w+)\.severity[ \t]*[=:][ \t]*error\b",
            RegexOptions.Multiline | RegexOptions.IgnoreCase | RegexOptions.CultureInvariant);

        private static readonly Regex MadeErrors = new Regex(
            @"^[ \t]*dotnet_analyzer_diagnostic\.(?:category-.+?\.)?severity[ \t]*[=:][ \t]*error\b",
            RegexOptions.Multiline | RegexOptions.IgnoreCase | RegexOptions.CultureInvariant);

        private readonly AnalyzerConfigSet _set;
        private readonly HashSet<string> _errors = new HashSet<string>(StringComparer.OrdinalIgnoreCase);
        private readonly ConcurrentDictionary<string, AnalyzerConfigOptionsResult> _known =
            new ConcurrentDictionary<string, AnalyzerConfigOptionsResult>(StringComparer.Ordinal);

        private Configured(IEnumerable<KeyValuePair<string, string>> files)
        {
            var read = new List<AnalyzerConfig>();
            var texts = new List<string>();
            foreach (var (path, text) in files)
            {
                texts.Add(path);
                texts.Add(text);
                foreach (Match each in MadeError.Matches(text)) _errors.Add(each.Groups[1].Value);
                MakesAnalyzersErr |= MadeErrors.IsMatch(text);
                read.Add(AnalyzerConfig.Parse(text, path));
            }
            Texts = texts;
            _set = AnalyzerConfigSet.Create(read);
            Options = new Provider(this);
        }

        /// <summary>Reads the configurations that a command line names.</summary>
        public static Configured Of(CSharpCommandLineArguments arguments) => new Configured(
            arguments.AnalyzerConfigPaths.Where(File.Exists)
                .Select(each => KeyValuePair.Create(each, Read(each))));

        private static string Read(string path)
        {
            try { return File.ReadAllText(path); }
            // It was removed since it was last seen; such a change makes another assembly.
            catch (Exception error) when (error is IOException || error is UnauthorizedAccessException) { return ""; }
        }

        /// <summary>The files' paths, each with its text.</summary>
        public IReadOnlyList<string> Texts { get; }

        /// <summary>The settings in the form that generators and analyzers need.</summary>
        public AnalyzerConfigOptionsProvider Options { get; }

        /// <summary>Whether a configuration makes all reports of analyzers errors.</summary>
        public bool MakesAnalyzersErr { get; }

        /// <summary>Whether a configuration makes a diagnostic an error.</summary>
        public bool MakesError(string id) => _errors.Contains(id);

        private AnalyzerConfigOptionsResult For(string path) => path.Length == 0 ? _set.GlobalConfigOptions
            : _known.GetOrAdd(path, _set.GetOptionsForSourcePath);

#if SEVERITIES_BY_TREE
        /// <summary>Returns the options of a compilation, with these severities.</summary>
        public CSharpCompilationOptions Applied(CSharpCompilationOptions options) =>
            options.WithSyntaxTreeOptionsProvider(new Severities(this));

        private sealed class Severities : SyntaxTreeOptionsProvider
        {
            private readonly Configured _of;

            public Severities(Configured of) => _of = of;

            public override GeneratedKind IsGenerated(SyntaxTree tree, CancellationToken cancellationToken) =>
                _of.For(tree.FilePath).AnalyzerOptions.TryGetValue("generated_code", out var said)
                    && bool.TryParse(said, out var isGenerated)
                    ? isGenerated ? GeneratedKind.MarkedGenerated : GeneratedKind.NotGenerated
                    : GeneratedKind.Unknown;

            public override bool TryGetDiagnosticValue(
                SyntaxTree tree, string diagnosticId, CancellationToken cancellationToken,
                out ReportDiagnostic severity) =>
                _of.For(tree.FilePath).TreeOptions.TryGetValue(diagnosticId, out severity);

            public override bool TryGetGlobalDiagnosticValue(
                string diagnosticId, CancellationToken cancellationToken, out ReportDiagnostic severity) =>
                _of._set.GlobalConfigOptions.TreeOptions.TryGetValue(diagnosticId, out severity);
        }
#else
        /// <summary>
        /// Returns the options of a compilation, with the severities that apply to all sources.
        /// </summary>
        public CSharpCompilationOptions Applied(CSharpCompilationOptions options) =>
            options.WithSpecificDiagnosticOptions(
                options.SpecificDiagnosticOptions.SetItems(_set.GlobalConfigOptions.TreeOptions));
#endif

        private sealed class Provider : AnalyzerConfigOptionsProvider
        {
            private readonly Configured _of;

            public Provider(Configured of) => _of = of;

            public override AnalyzerConfigOptions GlobalOptions => new Settings(
                _of._set.GlobalConfigOptions.AnalyzerOptions);

            public override AnalyzerConfigOptions GetOptions(SyntaxTree tree) =>
                new Settings(_of.For(tree.FilePath).AnalyzerOptions);

            public override AnalyzerConfigOptions GetOptions(AdditionalText textFile) =>
                new Settings(_of.For(textFile.Path).AnalyzerOptions);
        }

        private sealed class Settings : AnalyzerConfigOptions
        {
            private readonly ImmutableDictionary<string, string> _all;

            public Settings(ImmutableDictionary<string, string> all) => _all = all;

            public override bool TryGetValue(string key, out string value) => _all.TryGetValue(key, out value);
        }
    }

    /// <summary>A file that a command line passes to generators and analyzers.</summary>
    internal sealed class GivenFile : AdditionalText
    {
        private GivenFile(string path) => Path = path;

        public override string Path { get; }

        public static ImmutableArray<AdditionalText> Of(CSharpCommandLineArguments arguments) =>
            arguments.AdditionalFiles.Select(each => (AdditionalText)new GivenFile(each.Path)).ToImmutableArray();

        /// <summary>Stamps that differ if their input besides the sources has changed.</summary>
        public static Stamp[] Stamps(CSharpCommandLineArguments arguments) =>
            arguments.AdditionalFiles.Select(each => each.Path).Concat(arguments.AnalyzerConfigPaths)
                .Select(Stamp.Of).ToArray();

        public override SourceText GetText(CancellationToken cancellationToken = default)
        {
            try { return SourceText.From(File.ReadAllText(Path)); }
            catch (IOException) { return null; }
        }
    }
}
