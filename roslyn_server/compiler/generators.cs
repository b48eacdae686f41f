// Source generators of a build, run as the compiler runs them: over the scripts, before anything is
// declared.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.IO;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Text;

namespace RoslynServer
{
    /// <summary>What generators made of an assembly's scripts, or why that isn't known.</summary>
    internal sealed class Generated
    {
        public static readonly Generated Nothing = new Generated();

        /// <summary>The sources, by path, in the order in which they are compiled.</summary>
        public IReadOnlyList<KeyValuePair<string, SourceText>> Sources =
            Array.Empty<KeyValuePair<string, SourceText>>();

        /// <summary>What the generators themselves have to say.</summary>
        public FoundError[] Told = Array.Empty<FoundError>();

        /// <summary>Which generator failed, and how; <c>null</c> if none did.</summary>
        public string Fault;

        public static Generated Failed(string fault) => new Generated { Fault = fault };
    }

    /// <summary>The generators of one assembly. Not for two threads at a time.</summary>
    internal sealed class Generators
    {
        // A build waits for its generators, however long they take; whoever asks here doesn't.
        private static readonly TimeSpan Longest = TimeSpan.FromSeconds(20);
        private const int StackBytes = 16 * 1024 * 1024;

        // Those that didn't end, as they were then: each still has a thread, and gets no other.
        private static readonly ConcurrentDictionary<string, bool> Endless =
            new ConcurrentDictionary<string, bool>();

        static Generators()
        {
            // This process speaks to its client through these.
            Console.SetOut(Console.Error);
            Console.SetIn(TextReader.Null);
        }

        private readonly string[] _libraries;
        private readonly CSharpCommandLineArguments _arguments;
        private readonly string _key;
        private Stamp[] _given;
        private string _fault;
        private GeneratorDriver _driver;

        public Generators(string[] libraries, CSharpCommandLineArguments arguments)
        {
            _libraries = libraries;
            _arguments = arguments;
            _key = string.Join("|", libraries.Select(each => $"{each} {File.GetLastWriteTimeUtc(each).Ticks}"));
        }

        /// <summary>Whether there are none, so that nothing is generated.</summary>
        public bool AreNone => _libraries.Length == 0;

        /// <summary>Whether what they are given besides the scripts is what it was when they last ran.</summary>
        public bool AreGivenTheSame => AreNone || _given != null && Given().SequenceEqual(_given);

        /// <summary>What they make of scripts, within twenty seconds.</summary>
        public Generated Run(CSharpCompilation scripts, CancellationToken token)
        {
            if (AreNone) return Generated.Nothing;
            if (Endless.ContainsKey(_key)) return Generated.Failed(NoEnd());
            if (!AreGivenTheSame) Load();
            if (_fault != null) return Generated.Failed(_fault);
            GeneratorDriver ran = null;
            Exception thrown = null;
            using (var bound = CancellationTokenSource.CreateLinkedTokenSource(token))
            using (var done = new ManualResetEventSlim())
            {
                var driver = _driver;
                var thread = new Thread(() =>
                {
                    try { ran = driver.RunGenerators(scripts, bound.Token); }
                    catch (Exception error) { thrown = error; }
                    try { done.Set(); } catch (ObjectDisposedException) { } // nobody waits any more
                }, StackBytes) { IsBackground = true };
                thread.Start();
                if (!done.Wait(Longest, token))
                {
                    bound.Cancel();
                    Endless[_key] = true;
                    return Generated.Failed(NoEnd());
                }
            }
            if (thrown is OutOfMemoryException) throw thrown;
            if (thrown != null) return Generated.Failed($"{Names()} failed: {Line(thrown)}");
            _driver = ran;
            return Made(ran.GetRunResult());
        }

        private Generated Made(GeneratorDriverRunResult result)
        {
            foreach (var each in result.Results)
                if (each.Exception != null)
                    return Generated.Failed($"{TypeOf(each.Generator)} failed: {Line(each.Exception)}");
            var folder = _arguments.OutputDirectory ?? _arguments.BaseDirectory ?? "";
            return new Generated
            {
                Sources = result.Results.SelectMany(each => each.GeneratedSources)
                    .Select(each => new KeyValuePair<string, SourceText>(
                        Path.GetFullPath(Path.Combine(folder, each.SyntaxTree.FilePath)), each.SourceText))
                    .ToList(),
                Told = FoundError.Of(result.Diagnostics),
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
                    faults.Add($"{Path.GetFileName(path)} can't be loaded: {Line(error)}");
                }
            _fault = faults.FirstOrDefault();
            _driver = CSharpGeneratorDriver.Create(
                found, _arguments.AdditionalFiles.Select(each => new FileText(each.Path)),
                _arguments.ParseOptions, ConfiguredOptions.Of(_arguments.AnalyzerConfigPaths));
            _given = given;
        }

        private Stamp[] Given() => _arguments.AdditionalFiles.Select(each => each.Path)
            .Concat(_arguments.AnalyzerConfigPaths).Select(Stamp.Of).ToArray();

        private string NoEnd() => $"{Names()} didn't end within {Longest.TotalSeconds} seconds";

        private string Names() => string.Join(", ", _libraries.Select(Path.GetFileName));

        // The newer kind of generator is wrapped, to look like the older one.
        private static string TypeOf(ISourceGenerator generator)
        {
            var wrapped = generator.GetType().GetProperty(
                "Generator", System.Reflection.BindingFlags.Instance | System.Reflection.BindingFlags.Public
                    | System.Reflection.BindingFlags.NonPublic)?.GetValue(generator);
            return (wrapped ?? generator).GetType().Name;
        }

        private static string Line(Exception error)
        {
            while (error.InnerException != null) error = error.InnerException;
            var text = $"{error.GetType().Name}: {string.Join(" ", error.Message.Split(default(char[]), StringSplitOptions.RemoveEmptyEntries))}";
            return text.Length > 160 ? text.Substring(0, 160) + "…" : text;
        }

        // A file that the command line gives to generators.
        private sealed class FileText : AdditionalText
        {
            public FileText(string path) => Path = path;

            public override string Path { get; }

            public override SourceText GetText(CancellationToken cancellationToken = default)
            {
                try { return SourceText.From(File.ReadAllText(Path)); }
                catch (IOException) { return null; }
            }
        }
    }
}
