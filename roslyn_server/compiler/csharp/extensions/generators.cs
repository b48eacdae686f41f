// Run a build's source generators as the compiler does: on the scripts, before anything is
// declared.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Text;

namespace RoslynServer
{
    /// <summary>
    /// The sources that generators made from an assembly's scripts, or why that failed.
    /// </summary>
    internal sealed class Generated
    {
        public static readonly Generated Nothing = new Generated();

        /// <summary>The sources by path, in the order in which they are compiled.</summary>
        public IReadOnlyList<KeyValuePair<string, SourceText>> Sources =
            Array.Empty<KeyValuePair<string, SourceText>>();

        /// <summary>The generators' own diagnostics.</summary>
        public FoundError[] Reported = Array.Empty<FoundError>();

        /// <summary>Which generator failed, and how; <c>null</c> if none did.</summary>
        public string Fault;

        public static Generated Failed(string fault) => new Generated { Fault = fault };
    }

    /// <summary>The generators of one assembly. Not for two threads at a time.</summary>
    internal sealed class Generators
    {
        private static readonly TimeSpan Longest = TimeSpan.FromSeconds(20);

        private readonly string[] _libraries;
        private readonly CSharpCommandLineArguments _arguments;
        private readonly Configured _configured;
        private readonly ForeignWork _work;
        private Stamp[] _given;
        private string _fault;
        private GeneratorDriver _driver;

        public Generators(string[] libraries, CSharpCommandLineArguments arguments, Configured configured)
        {
            _libraries = libraries;
            _arguments = arguments;
            _configured = configured;
            _work = new ForeignWork("generators", libraries, Longest);
        }

        /// <summary>Whether there are none, so that nothing is generated.</summary>
        public bool AreNone => _libraries.Length == 0;

        /// <summary>
        /// Whether their input besides the scripts is the same as in their last run.
        /// </summary>
        public bool AreGivenTheSame => AreNone || _given != null && Given().SequenceEqual(_given);

        /// <summary>Runs them on the scripts, within twenty seconds.</summary>
        public Generated Run(CSharpCompilation scripts, CancellationToken token)
        {
            if (AreNone) return Generated.Nothing;
            if (!AreGivenTheSame) Load();
            if (_fault != null) return Generated.Failed(_fault);
            GeneratorDriver ran = null;
            var driver = _driver;
            var fault = _work.Do(bound => ran = driver.RunGenerators(scripts, bound), token);
            if (fault != null) return Generated.Failed(fault);
            _driver = ran;
            return Made(ran.GetRunResult());
        }

        private Generated Made(GeneratorDriverRunResult result)
        {
            foreach (var each in result.Results)
                if (each.Exception != null)
                    return Generated.Failed($"{TypeOf(each.Generator)} failed: {ForeignWork.Line(each.Exception)}");
            var folder = _arguments.OutputDirectory ?? _arguments.BaseDirectory ?? "";
            return new Generated
            {
                Sources = result.Results.SelectMany(each => each.GeneratedSources)
                    .Select(each => new KeyValuePair<string, SourceText>(
                        Path.GetFullPath(Path.Combine(folder, each.SyntaxTree.FilePath)), each.SourceText))
                    .ToList(),
                Reported = FoundError.Of(result.Diagnostics),
            };
        }

        private void Load()
        {
            var given = Given();
            var faults = new List<string>();
            var found = new List<ISourceGenerator>();
            foreach (var path in _libraries)
                try
                {
                    found.AddRange(AnalyzerLibrary.GeneratorsIn(path, faults));
                }
                catch (Exception error) when (!(error is OutOfMemoryException))
                {
                    faults.Add($"{Path.GetFileName(path)} can't be loaded: {ForeignWork.Line(error)}");
                }
            _fault = faults.FirstOrDefault();
            _driver = CSharpGeneratorDriver.Create(
                found, GivenFile.Of(_arguments),
                _arguments.ParseOptions, _configured.Options);
            _given = given;
        }

        private Stamp[] Given() => GivenFile.Stamps(_arguments);

        // The newer kind of generator is wrapped in the older interface.
        private static string TypeOf(ISourceGenerator generator)
        {
            var wrapped = generator.GetType().GetProperty(
                "Generator", System.Reflection.BindingFlags.Instance | System.Reflection.BindingFlags.Public
                    | System.Reflection.BindingFlags.NonPublic)?.GetValue(generator);
            return (wrapped ?? generator).GetType().Name;
        }
    }
}
