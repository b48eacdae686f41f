// Use built libraries in place of an assembly's sources, before anything is asked about these.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace RoslynServer
{
    /// <summary>
    /// With such a library, a first verdict on an assembly needn't read the assemblies below it.
    /// The library, and all below it, must be known to be compiled from the present sources.
    /// </summary>
    internal sealed class AsBuilt
    {
        private readonly IReadOnlyDictionary<string, ProjectAssembly> _assemblies;
        private readonly Dictionary<string, bool> _now = new Dictionary<string, bool>(Files.Paths);

        // The result for each library, and the state of the files it depends on.
        private readonly Dictionary<string, ((string, Stamp)[] Of, object Sources, bool IsBuilt)> _known =
            new Dictionary<string, ((string, Stamp)[], object, bool)>(Files.Paths);

        /// <summary>For a project's assemblies, by name.</summary>
        public AsBuilt(IReadOnlyDictionary<string, ProjectAssembly> assemblies) => _assemblies = assemblies;

        /// <summary>Checks again, for the next question.</summary>
        public void Clear() => _now.Clear();

        /// <summary>
        /// Whether a library replaces an assembly; false once something was asked about its
        /// sources.
        /// </summary>
        public bool Is(ProjectAssembly assembly, string library)
        {
            if (assembly.State != null || assembly.Kept != null || !assembly.IsAsListed) return false;
            if (_now.TryGetValue(library, out var is_)) return is_;
            _now[library] = false; // for those that refer to themselves
            var below = assembly.References
                .Where(path => Array.IndexOf(assembly.Dependencies, Libraries.NameOf(path)) >= 0).ToList();
            return _now[library] = below.All(path => Is(_assemblies[Libraries.NameOf(path)], path))
                && IsBuilt(assembly, library, below);
        }

        private bool IsBuilt(ProjectAssembly assembly, string library, List<string> below)
        {
            var (notes, code) = BuiltLibrary.Beside(library);
            var of = below.Concat(new[] { library, notes, code }).Select(path => (path, Stamp.Of(path))).ToArray();
            if (_known.TryGetValue(library, out var known) && known.Sources == assembly.SourcesOnDisk
                && known.Of.Length == of.Length
                && known.Of.Zip(of, (was, now) => was.Item1 == now.path && now.Item2.Holds(was.Item2)).All(each => each))
                return known.IsBuilt;
            var isBuilt = BuiltLibrary.Of(library) is { } built && below.All(built.IsWith)
                && built.IsOf(assembly.Paths, assembly.Options.PreprocessorSymbolNames);
            _known[library] = (of, assembly.SourcesOnDisk, isBuilt);
            return isBuilt;
        }
    }
}
