// Libraries that extend the compiler.
using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.Loader;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;

namespace RoslynServer
{
    /// <summary>Loads libraries beside each other, each with what lies in its folder.</summary>
    internal sealed class AnalyzerLibrary : IAnalyzerAssemblyLoader
    {
        private readonly Context _context;

        private AnalyzerLibrary(string folder) => _context = new Context(folder);

        /// <summary>The generators in a library; what keeps it from being loaded is added.</summary>
        public static IEnumerable<ISourceGenerator> GeneratorsIn(string path, List<string> faults) =>
            Generators(Reference(path, faults));

        /// <summary>The analyzers in a library; what keeps one from being loaded is added.</summary>
        public static IEnumerable<DiagnosticAnalyzer> AnalyzersIn(string path, List<string> faults) =>
            Reference(path, faults).GetAnalyzers(LanguageNames.CSharp);

        private static AnalyzerFileReference Reference(string path, List<string> faults)
        {
            var reference = new AnalyzerFileReference(path, new AnalyzerLibrary(Path.GetDirectoryName(path)));
            reference.AnalyzerLoadFailed += (_, failure) =>
            {
                if (failure.ErrorCode != AnalyzerLoadFailureEventArgs.FailureErrorCode.NoAnalyzers)
                    faults.Add($"{Path.GetFileName(path)} can't be loaded: {failure.Message}");
            };
            return reference;
        }

        public Assembly LoadFromPath(string fullPath) => _context.Load(fullPath);

        public void AddDependencyLocation(string fullPath)
        {
            // What it depends on is looked for in its own folder.
        }

        // The oldest Roslyn that this must run on has the call without a language.
        private static ImmutableArray<ISourceGenerator> Generators(AnalyzerReference reference)
        {
            var find = typeof(AnalyzerReference).GetMethod("GetGenerators", new[] { typeof(string) });
            var found = find != null
                ? find.Invoke(reference, new object[] { LanguageNames.CSharp })
                : typeof(AnalyzerReference).GetMethod("GetGenerators", Type.EmptyTypes).Invoke(reference, null);
            return (ImmutableArray<ISourceGenerator>)found;
        }

        // Files are read, not held: a build may write them anew.
        private sealed class Context : AssemblyLoadContext
        {
            private readonly string _folder;

            public Context(string folder) : base(folder, isCollectible: true) => _folder = folder;

            public Assembly Load(string path)
            {
                using (var stream = new MemoryStream(File.ReadAllBytes(path))) return LoadFromStream(stream);
            }

            protected override Assembly Load(AssemblyName name)
            {
                // Types of the compiler must be those of the one that runs.
                foreach (var loaded in new[] { typeof(Compilation).Assembly, typeof(CSharpCompilation).Assembly })
                    if (loaded.GetName().Name == name.Name) return loaded;
                var beside = Path.Combine(_folder, name.Name + ".dll");
                if (IsOfRuntime(name) || !File.Exists(beside)) return null;
                return Assemblies.FirstOrDefault(each => each.GetName().Name == name.Name) ?? Load(beside);
            }

            private static bool IsOfRuntime(AssemblyName name)
            {
                try { return Default.LoadFromAssemblyName(name) != null; }
                catch (Exception error) when (error is IOException || error is BadImageFormatException) { return false; }
            }
        }
    }
}
