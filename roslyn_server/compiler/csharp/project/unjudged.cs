// Why assemblies of a project can't be judged: a library that is missing, one below with errors, a circle.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Microsoft.CodeAnalysis;

namespace RoslynServer
{
    /// <summary>What is found to be in the way, for one question; of all the rest, why is asked anew.</summary>
    internal sealed class Unjudged
    {
        private readonly IReadOnlyDictionary<string, ProjectAssembly> _assemblies;
        private readonly HashSet<string> _circular;
        private readonly Dictionary<string, MetadataReference> _libraries;

        // Of the assemblies that can't be judged: reason and detail, as assemblies that refer to them report it.
        private readonly Dictionary<string, string> _reasons = new Dictionary<string, string>();

        /// <summary>
        /// The project's assemblies by name, those that refer to themselves by way of others, and the
        /// libraries that were read for this question, to which those are added that are looked for.
        /// </summary>
        public Unjudged(
            IReadOnlyDictionary<string, ProjectAssembly> assemblies, HashSet<string> circular,
            Dictionary<string, MetadataReference> libraries)
        {
            (_assemblies, _circular, _libraries) = (assemblies, circular, libraries);
            AsBuilt = new AsBuilt(assemblies);
        }

        /// <summary>Which libraries stand for assemblies that nothing was asked of.</summary>
        public AsBuilt AsBuilt { get; }

        /// <summary>Forget it, for the next question.</summary>
        public void Clear()
        {
            _reasons.Clear();
            AsBuilt.Clear();
        }

        /// <summary>The reason that assemblies which refer to this one report, or <c>otherwise</c>.</summary>
        public string ReasonFor(string name, string otherwise) => _reasons.GetValueOrDefault(name, otherwise);

        /// <summary>The reason that an assembly with errors is to those above it.</summary>
        public static string Blocked(string wrong) => $"blocked\t{wrong} has errors";

        /// <summary>The reason that a circle is.</summary>
        public static string Circular(string which) => $"circular\t{which} refers to itself by way of others";

        /// <summary>The assembly of the project that a library is of, if it is one that this refers to.</summary>
        public ProjectAssembly Dependency(ProjectAssembly assembly, string path)
        {
            var name = Libraries.NameOf(path);
            return Array.IndexOf(assembly.Dependencies, name) >= 0 ? _assemblies[name] : null;
        }

        /// <summary>
        /// Why an assembly isn't judged: reason and detail; null if it is. <c>withErrors</c> tells of a name
        /// which assembly has errors, for which that one can't be compiled.
        /// </summary>
        public string Of(ProjectAssembly assembly, Func<string, string> withErrors)
        {
            foreach (var name in assembly.Dependencies)
                if (withErrors(name) is { } wrong) return Blocked(wrong);
            return FaultBelow(assembly) ?? WithoutReferences(assembly);
        }

        /// <summary>Why it can't be judged for want of a library; then what refers to it can't be either.</summary>
        public string WithoutReferences(ProjectAssembly assembly)
        {
            if (!(Missing(assembly) is { } missing)) return null;
            _reasons[assembly.Name] = $"references_missing\t{assembly.Name} can't be judged ({missing})";
            return $"references_missing\t{missing}";
        }

        /// <summary>
        /// Why what was taken up can't be judged: no library has <c>object</c>, so that its build names too
        /// few; it would be wrong in every line. Then what refers to it can't be either.
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
        /// Why it isn't known what an assembly below declares, where its library is older than that. Such
        /// a library is never taken for it: of whom it is, is judged once there is an answer to this.
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

        /// <summary>Why what an assembly declares isn't known, by itself.</summary>
        public string FaultOf(ProjectAssembly assembly) =>
            assembly.Fault != null ? $"source_generators\t{assembly.Fault}"
                : _reasons.TryGetValue(assembly.Name, out var fault) ? fault
                : WithoutObject(assembly) != null ? _reasons[assembly.Name] : null;
    }
}
