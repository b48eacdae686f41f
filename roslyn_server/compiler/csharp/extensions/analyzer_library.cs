// Load libraries that extend the compiler.
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
    /// <summary>
    /// Loads libraries in isolation from each other, each with its dependencies from its own
    /// folder.
    /// </summary>
    internal sealed class AnalyzerLibrary : IAnalyzerAssemblyLoader
    {
        private readonly Context _context;

        private AnalyzerLibrary(string folder) => _context = new Context(folder);

        /// <summary>
        /// Returns the generators in a library; adds the reasons why one can't be loaded.
        /// </summary>
        public static IEnumerable<ISourceGenerator> GeneratorsIn(string path, List<string> faults) =>
            Generators(Reference(path, faults));

        /// <summary>
        /// Returns the analyzers in a library; adds the reasons why one can't be loaded.
        /// </summary>
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
            // Its dependencies are searched in its own folder.
        }

        // In the oldest supported Roslyn, this call has no language parameter.
        private static ImmutableArray<ISourceGenerator> Generators(AnalyzerReference reference)
        {
            var find = typeof(AnalyzerReference).GetMethod("GetGenerators", new[] { typeof(string) });
            var found = find != null
                ? find.Invoke(reference, new object[] { LanguageNames.CSharp })
                : typeof(AnalyzerReference).GetMethod("GetGenerators", Type.EmptyTypes).Invoke(reference, null);
            return (ImmutableArray<ISourceGenerator>)found;
        }

        // Files are read, not kept open: a build may replace them.
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
                // Types of the compiler must come from the running one.
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
