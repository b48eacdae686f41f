// Identify symbols by where they are declared, so that a rename leaves them the same.
using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace RoslynServer
{
    /// <summary>The sources of a project at one moment.</summary>
    internal sealed class DeclaredPlaces
    {
        private readonly Dictionary<string, CSharpCompilation> _compilations =
            new Dictionary<string, CSharpCompilation>(StringComparer.OrdinalIgnoreCase);
        private readonly Dictionary<string, ISymbol> _known = new Dictionary<string, ISymbol>(StringComparer.Ordinal);
        private readonly Func<string, int, int> _moved;
        private readonly Func<string, string> _renamed;
        private readonly ISet<string> _names;

        /// <summary>
        /// <c>moved</c> returns where a rename moves the name at a place, and <c>renamed</c> what it
        /// makes of a namespace. Members of anonymous types and tuples that have one of the
        /// <c>names</c> count as the same.
        /// </summary>
        public DeclaredPlaces(
            IEnumerable<CSharpCompilation> compilations, Func<string, int, int> moved,
            Func<string, string> renamed, ISet<string> names)
        {
            foreach (var each in compilations) _compilations[each.AssemblyName] = each;
            (_moved, _renamed, _names) = (moved, renamed, names);
        }

        /// <summary>Returns the identity of a symbol; of one in a library its key.</summary>
        public string Of(ISymbol symbol)
        {
            symbol = SymbolKeys.Plain(symbol);
            switch (symbol)
            {
                case null: return "?";
                case INamespaceSymbol space: return "N:" + _renamed(space.ToDisplayString());
                case IFieldSymbol { ContainingType: { IsTupleType: true } }:
                case IPropertySymbol { ContainingType: { IsAnonymousType: true } }:
                    return "~" + (_names.Contains(symbol.Name) ? "" : symbol.Name);
                case INamedTypeSymbol { IsAnonymousType: true }: return "~";
            }
            if (!IsInSource(symbol) && symbol is IParameterSymbol parameter)
                return $"{Of(parameter.ContainingSymbol)}({parameter.Ordinal}";
            if (!IsInSource(symbol) && symbol is ITypeParameterSymbol typeParameter)
                return $"{Of(typeParameter.ContainingSymbol)}<{typeParameter.Ordinal}";
            var source = IsInSource(symbol) ? symbol : InSources(symbol);
            if (source == null) return SymbolKeys.Of(symbol) ?? symbol.ToDisplayString();
            var (path, start) = source.Locations.Where(each => each.IsInSource)
                .Select(each => (each.SourceTree.FilePath, each.SourceSpan.Start)).Min();
            var shape = source is IMethodSymbol method ? $"{method.MethodKind}{method.Parameters.Length}" : "";
            var made = source.IsImplicitlyDeclared ? source.MetadataName : "";
            return $"{source.Kind}{shape}{made}:{path}:{_moved(path, start)}";
        }

        private static bool IsInSource(ISymbol symbol) => symbol.Locations.Any(each => each.IsInSource);

        private ISymbol InSources(ISymbol symbol)
        {
            if (!(symbol.ContainingAssembly is { } assembly)
                || !_compilations.TryGetValue(assembly.Name, out var compilation)
                || !(symbol.GetDocumentationCommentId() is { } id)) return null;
            var key = $"{id}@{assembly.Name}";
            if (!_known.TryGetValue(key, out var known))
                known = _known[key] = DocumentationCommentId.GetFirstSymbolForDeclarationId(id, compilation);
            return known != null && IsInSource(known) ? known : null;
        }
    }
}
