// The types that a project's sources declare.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace RoslynServer
{
    /// <summary>
    /// All types of some assemblies, each as its own sources declare it: other assemblies see no private
    /// members.
    /// </summary>
    internal sealed class SourceTypes
    {
        private static readonly ConditionalWeakTable<CSharpCompilation, IReadOnlyList<INamedTypeSymbol>> Known =
            new ConditionalWeakTable<CSharpCompilation, IReadOnlyList<INamedTypeSymbol>>();

        // By the last assembly, for as long as that lives.
        private static readonly ConditionalWeakTable<CSharpCompilation, SourceTypes> Last =
            new ConditionalWeakTable<CSharpCompilation, SourceTypes>();

        private readonly IReadOnlyList<CSharpCompilation> _compilations;
        private readonly Lazy<Dictionary<string, INamedTypeSymbol>> _byKey;
        private readonly Lazy<ILookup<string, INamedTypeSymbol>> _derived;

        /// <summary>Returns the types of these; the same object as long as nothing changes.</summary>
        public static SourceTypes Of(IReadOnlyList<CSharpCompilation> compilations)
        {
            if (compilations.Count == 0) return new SourceTypes(compilations);
            var last = compilations[compilations.Count - 1];
            if (Last.TryGetValue(last, out var known) && known._compilations.SequenceEqual(compilations)) return known;
            known = new SourceTypes(compilations);
            Last.Remove(last);
            return Last.GetValue(last, _ => known);
        }

        private SourceTypes(IReadOnlyList<CSharpCompilation> compilations)
        {
            _compilations = compilations;
            _byKey = new Lazy<Dictionary<string, INamedTypeSymbol>>(() =>
            {
                var found = new Dictionary<string, INamedTypeSymbol>(StringComparer.Ordinal);
                foreach (var type in compilations.SelectMany(each => In(each, CancellationToken.None)))
                    if (SymbolKeys.Of(type) is { } key) found.TryAdd(key, type);
                return found;
            });
            _derived = new Lazy<ILookup<string, INamedTypeSymbol>>(() => All
                .SelectMany(type => type.AllInterfaces.Append(type.BaseType).Where(each => each != null)
                    .Select(each => (Key: SymbolKeys.Of(each), type)))
                .ToLookup(each => each.Key ?? "", each => each.type));
        }

        public IEnumerable<INamedTypeSymbol> All => _byKey.Value.Values;

        /// <summary>Returns the types that a compilation's sources declare, nested ones too.</summary>
        public static IReadOnlyList<INamedTypeSymbol> In(CSharpCompilation compilation, CancellationToken token)
        {
            if (Known.TryGetValue(compilation, out var known)) return known;
            var found = new List<INamedTypeSymbol>();
            var left = new Stack<INamespaceOrTypeSymbol>();
            left.Push(compilation.Assembly.GlobalNamespace);
            while (left.Count > 0)
            {
                token.ThrowIfCancellationRequested();
                var next = left.Pop();
                if (next is INamedTypeSymbol type) found.Add(type);
                foreach (var each in next.GetMembers().OfType<INamespaceOrTypeSymbol>()) left.Push(each);
            }
            return Known.GetValue(compilation, _ => found);
        }

        /// <summary>Returns the type as its sources declare it; itself if it is a library's.</summary>
        public INamedTypeSymbol Of(INamedTypeSymbol type)
        {
            if (!(SymbolKeys.Of(type) is { } key) || !_byKey.Value.TryGetValue(key, out var source)) return type;
            return type.IsGenericType && !SymbolEqualityComparer.Default.Equals(type, type.OriginalDefinition)
                && type.ContainingType == null ? source.Construct(type.TypeArguments.ToArray()) : source;
        }

        public bool IsSource(INamedTypeSymbol type) => SymbolKeys.Of(type) is { } key && _byKey.Value.ContainsKey(key);

        /// <summary>Returns a type with the types that derive from it, or implement it.</summary>
        public IEnumerable<INamedTypeSymbol> WithDerived(INamedTypeSymbol type)
        {
            var found = new HashSet<string>(StringComparer.Ordinal);
            var left = new Stack<INamedTypeSymbol>();
            left.Push(type);
            while (left.Count > 0)
            {
                var next = left.Pop();
                if (!(SymbolKeys.Of(next) is { } key) || !found.Add(key)) continue;
                yield return next;
                foreach (var each in _derived.Value[key]) left.Push(each);
            }
        }

        /// <summary>Returns a type's name as Unity writes it.</summary>
        public static Dictionary<string, object> Name(INamedTypeSymbol type, string renamed = null, string inNamespace = null)
        {
            var names = new Stack<string>();
            for (var at = type; at != null; at = at.ContainingType) names.Push(at.MetadataName);
            var space = type.ContainingNamespace is { IsGlobalNamespace: false } around ? around.ToDisplayString() : "";
            return new Dictionary<string, object>
            {
                ["namespace"] = inNamespace ?? space,
                ["name"] = renamed ?? string.Join("/", names),
                ["assembly"] = type.ContainingAssembly?.Name ?? "",
            };
        }

        /// <summary>Returns a type's name as .NET writes it, with its assembly.</summary>
        public static string Reflected(INamedTypeSymbol type)
        {
            var name = Name(type);
            var space = (string)name["namespace"];
            return $"{(space.Length > 0 ? space + "." : "")}{((string)name["name"]).Replace('/', '+')}, {name["assembly"]}";
        }

        public static List<string> Scripts(INamedTypeSymbol type) => type.Locations.Where(each => each.IsInSource)
            .Select(each => each.SourceTree.FilePath).Distinct().OrderBy(each => each, StringComparer.Ordinal).ToList();
    }
}
