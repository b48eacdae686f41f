// Why assemblies of a project can't be judged: a missing library, an assembly below with errors, a
// circle.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Microsoft.CodeAnalysis;

namespace RoslynServer
{
    /// <summary>The obstacles found for one question; each new question checks again.</summary>
    internal sealed class Unjudged
    {
        private readonly IReadOnlyDictionary<string, ProjectAssembly> _assemblies;
        private readonly HashSet<string> _circular;
        private readonly Dictionary<string, MetadataReference> _libraries;

        // For assemblies that can't be judged: reason and detail, as assemblies that refer to them
        // report it.
        private readonly Dictionary<string, string> _reasons = new Dictionary<string, string>();

        /// <summary>
        /// Takes the project's assemblies by name, those in circles, and the libraries read for
        /// this question, to which it adds those that it looks for.
        /// </summary>
        public Unjudged(
            IReadOnlyDictionary<string, ProjectAssembly> assemblies, HashSet<string> circular,
            Dictionary<string, MetadataReference> libraries)
        {
            (_assemblies, _circular, _libraries) = (assemblies, circular, libraries);
            AsBuilt = new AsBuilt(assemblies);
        }

        /// <summary>Which libraries replace assemblies whose sources nobody asked about.</summary>
        public AsBuilt AsBuilt { get; }

        /// <summary>Drops everything, for the next question.</summary>
        public void Clear()
        {
            _reasons.Clear();
            AsBuilt.Clear();
        }

        /// <summary>
        /// Returns the reason that assemblies which refer to this one report, or <c>otherwise</c>.
        /// </summary>
        public string ReasonFor(string name, string otherwise) => _reasons.GetValueOrDefault(name, otherwise);

        /// <summary>Returns the reason for assemblies above one with errors.</summary>
        public static string Blocked(string wrong) => $"blocked\t{wrong} has errors";

        /// <summary>Returns the reason for assemblies in a circle.</summary>
        public static string Circular(string which) => $"circular\t{which} refers to itself by way of others";

        /// <summary>
        /// Returns the referenced assembly of the project that a library belongs to, if any.
        /// </summary>
        public ProjectAssembly Dependency(ProjectAssembly assembly, string path)
        {
            var name = Libraries.NameOf(path);
            return Array.IndexOf(assembly.Dependencies, name) >= 0 ? _assemblies[name] : null;
        }

        /// <summary>
        /// Returns why an assembly isn't judged: reason and detail; null if it is.
        /// <c>withErrors</c> returns, for an assembly's name, the assembly whose errors prevent its
        /// compilation.
        /// </summary>
        public string Of(ProjectAssembly assembly, Func<string, string> withErrors)
        {
            foreach (var name in assembly.Dependencies)
                if (withErrors(name) is { } wrong) return Blocked(wrong);
            return FaultBelow(assembly) ?? WithoutReferences(assembly);
        }

        /// <summary>
        /// Returns why it can't be judged without a library; assemblies that refer to it can't be
        /// judged, either.
        /// </summary>
        public string WithoutReferences(ProjectAssembly assembly)
        {
            if (!(Missing(assembly) is { } missing)) return null;
            _reasons[assembly.Name] = $"references_missing\t{assembly.Name} can't be judged ({missing})";
            return $"references_missing\t{missing}";
        }

        /// <summary>
        /// Returns why an updated assembly can't be judged: no library has <c>object</c>, so its
        /// build names too few, and every line would have errors. Assemblies that refer to it can't
        /// be judged, either.
        /// </summary>
        public string WithoutObject(ProjectAssembly assembly)
        {
            if (!assembly.HasNoObject) return null;
            const string missing = "the library with System.Object isn't named by its build";
            _reasons[assembly.Name] = $"references_missing\t{assembly.Name} can't be judged ({missing})";
            return $"references_missing\t{missing}";
        }

        private string Missing(ProjectAssembly assembly)
        {
            foreach (var path in assembly.References)
                if (!_libraries.ContainsKey(path) && Dependency(assembly, path) == null)
                {
                    if (!File.Exists(path)) return $"{Path.GetFileName(path)} isn't there";
                    try
                    {
                        _libraries[path] = Libraries.Reference(path);
                    }
                    catch (Exception error) when (error is IOException || error is UnauthorizedAccessException)
                    {
                        return $"{Path.GetFileName(path)} can't be read";
                    }
                }
            return null;
        }

        /// <summary>
        /// Returns why the declarations of an assembly below are unknown while its library is
        /// outdated. An outdated library never replaces its assembly.
        /// </summary>
        public string FaultBelow(ProjectAssembly assembly)
        {
            if (_reasons.TryGetValue(assembly.Name, out var known)) return known;
            foreach (var path in assembly.References)
            {
                if (_circular.Contains(Libraries.NameOf(path)) && !_circular.Contains(assembly.Name))
                    return _reasons[assembly.Name] = Circular($"{Libraries.NameOf(path)}, which it refers to,");
                if (Dependency(assembly, path) is { } below && !AsBuilt.Is(below, path)
                    && (FaultOf(below) ?? (below.State?.IsUndeclared == true ? Blocked(below.Name) : null))
                        is { } fault) return _reasons[assembly.Name] = fault;
            }
            return null;
        }

        /// <summary>Returns why an assembly's own declarations are unknown.</summary>
        public string FaultOf(ProjectAssembly assembly) =>
            assembly.Fault != null ? $"source_generators\t{assembly.Fault}"
                : _reasons.TryGetValue(assembly.Name, out var fault) ? fault
                : WithoutObject(assembly) != null ? _reasons[assembly.Name] : null;
    }
}
