// Scripts of a project without a build, bound together with nothing but .NET: what is wrong in them whatever
// libraries there are besides.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace RoslynServer
{
    /// <summary>An assembly by its definition: its trees, and the names of those that it refers to.</summary>
    internal sealed class DefinedAssembly
    {
        public string Name;
        public SyntaxTree[] Trees;
        public string[] References;
    }

    /// <summary>What was found stays known while what it was found in is the same. Not for two threads at a time.</summary>
    internal sealed class NamesAlone
    {
        // The members of .NET's types count for nothing but what they give to one another, so that any version does.
        private static readonly Lazy<MetadataReference[]> Runtime = new Lazy<MetadataReference[]>(() =>
        {
            var core = Path.GetDirectoryName(typeof(object).Assembly.Location);
            return ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")).Split(Path.PathSeparator)
                .Where(path => Path.GetDirectoryName(path) == core)
                .Where(path => Path.GetFileName(path) is var name && (name == "netstandard.dll" || name == "mscorlib.dll"
                    || name.StartsWith("System.", StringComparison.Ordinal)))
                .Select(path => (MetadataReference)MetadataReference.CreateFromFile(path)).ToArray();
        });

        private static readonly CSharpCompilationOptions Library = new CSharpCompilationOptions(
            OutputKind.DynamicallyLinkedLibrary, allowUnsafe: true, concurrentBuild: false);

        private Dictionary<string, Found> _found = new Dictionary<string, Found>(StringComparer.Ordinal);

        /// <summary>
        /// The errors of each assembly by its name, of these; which libraries are used that nothing is known of,
        /// <c>unknown</c> tells.
        /// </summary>
        public Dictionary<string, FoundError[]> Errors(
            IReadOnlyList<DefinedAssembly> assemblies, UnknownLibraries unknown, CancellationToken token)
        {
            var inactive = InactiveNames.In(assemblies.SelectMany(each => each.Trees), token);
            var ordered = Ordered(assemblies);
            var compilations = new Dictionary<string, CSharpCompilation>(StringComparer.Ordinal);
            var of = new Dictionary<SyntaxTree, CSharpCompilation>();
            var found = new Dictionary<string, Found>(StringComparer.Ordinal);
            var works = new List<Action>();
            foreach (var each in ordered)
            {
                var below = each.References.Where(compilations.ContainsKey).ToArray();
                var compilation = compilations[each.Name] = CSharpCompilation.Create(
                    each.Name, each.Trees,
                    Runtime.Value.Concat(below.Select(name => compilations[name].ToMetadataReference())), Library);
                foreach (var tree in each.Trees) of[tree] = compilation;
                var now = new Found(each.Trees, below.Select(name => found[name]).ToArray(), inactive, unknown);
                if (_found.TryGetValue(each.Name, out var known) && known.IsOf(now))
                {
                    found[each.Name] = known;
                    continue;
                }
                found[each.Name] = now;
                works.Add(() => now.Errors = Holding(compilation, of, inactive, unknown, token));
            }
            SideBySide.Do(works);
            _found = found;
            return found.ToDictionary(each => each.Key, each => each.Value.Errors);
        }

        private static FoundError[] Holding(
            CSharpCompilation compilation, IReadOnlyDictionary<SyntaxTree, CSharpCompilation> of,
            HashSet<string> inactive, UnknownLibraries unknown, CancellationToken token)
        {
            var models = new Dictionary<SyntaxTree, SemanticModel>();
            SemanticModel Model(SyntaxTree tree) =>
                models.TryGetValue(tree, out var model) ? model : models[tree] = of[tree].GetSemanticModel(tree);
            var settled = new SettledErrors(Model, new Settled(Model, inactive, unknown, token), token);
            return FoundError.Of(compilation.GetDiagnostics(token).Where(settled.Holds));
        }

        // Each after all that it refers to; those in a circle can't be.
        private static List<DefinedAssembly> Ordered(IReadOnlyList<DefinedAssembly> assemblies)
        {
            var left = assemblies.ToList();
            var names = assemblies.Select(each => each.Name).ToHashSet();
            var ordered = new List<DefinedAssembly>();
            while (left.FirstOrDefault(each => each.References.All(name => !names.Contains(name))) is { } next)
            {
                ordered.Add(next);
                left.Remove(next);
                names.Remove(next.Name);
            }
            return ordered;
        }

        private sealed class Found
        {
            private readonly SyntaxTree[] _trees;
            private readonly Found[] _below;
            private readonly HashSet<string> _inactive;
            private readonly UnknownLibraries _unknown;

            public Found(SyntaxTree[] trees, Found[] below, HashSet<string> inactive, UnknownLibraries unknown)
            {
                _trees = trees;
                _below = below;
                _inactive = inactive;
                _unknown = unknown;
            }

            public FoundError[] Errors { get; set; }

            // Without errors where the question that it was for ended early.
            public bool IsOf(Found now) => Errors != null && _trees.SequenceEqual(now._trees)
                && _below.SequenceEqual(now._below) && _unknown.Equals(now._unknown)
                && _inactive.SetEquals(now._inactive);
        }
    }
}
