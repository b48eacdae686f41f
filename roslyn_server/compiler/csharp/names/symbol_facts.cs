// Describe a symbol by what its name is used for outside of C#.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace RoslynServer
{
    /// <summary>The facts of one symbol, by the types of the project.</summary>
    internal sealed class SymbolFacts
    {
        private readonly ReferenceSearch _search;
        private readonly IReadOnlyList<CSharpCompilation> _compilations;
        private readonly LinesOf _lines;
        private IReadOnlyList<(ISymbol Symbol, SerializedField Field)> _serialized;

        public SymbolFacts(ReferenceSearch search, IReadOnlyList<CSharpCompilation> compilations, LinesOf lines, CancellationToken token)
        {
            (_search, _compilations, _lines) = (search, compilations, lines);
            Types = SourceTypes.Of(compilations);
            Fields = new SerializedFields(Types, token);
        }

        public SourceTypes Types { get; }

        public SerializedFields Fields { get; }

        private ISymbol Symbol => _search.Symbol;

        /// <summary>
        /// The serialized fields that get another key: the symbol, or that of its property; and those of
        /// properties that it implements, overrides, or is implemented or overridden by. All have one key.
        /// </summary>
        public IReadOnlyList<(ISymbol Symbol, SerializedField Field)> Serialized => _serialized ??= _search.Family.Symbols
            .Where(each => each is IFieldSymbol || each is IPropertySymbol).Select(InSources).Prepend(Symbol)
            .GroupBy(SymbolKeys.Of).Select(each => each.First())
            .Select(each => (Symbol: each, Field: Of(SerializedFields.FieldOf(each))))
            .Where(each => each.Field != null).ToList();

        private SerializedField Of(IFieldSymbol field) => field != null
            && (UnityNames.MayBeObject(field.ContainingType) || field.ContainingType.IsSerializable
                || Fields.IsManaged(field.ContainingType)) ? Fields.Of(field) : null;

        // Another assembly's image has no private fields.
        private ISymbol InSources(ISymbol symbol) => symbol.ContainingType is { } type
            && Types.Of(type.OriginalDefinition).GetMembers(symbol.Name)
                .FirstOrDefault(each => SymbolKeys.Of(each) == SymbolKeys.Of(symbol)) is { } source ? source : symbol;

        /// <summary>The types whose full names the symbol's is part of.</summary>
        public IReadOnlyList<INamedTypeSymbol> Named => Symbol switch
        {
            INamedTypeSymbol type => Types.All.Where(each => Chain(each).Any(one => SymbolKeys.Of(one) == SymbolKeys.Of(type))).ToList(),
            INamespaceSymbol space => Types.All.Where(each => IsWithin(each.ContainingNamespace, space.ToDisplayString())).ToList(),
            _ => Array.Empty<INamedTypeSymbol>(),
        };

        /// <summary>
        /// Those of them that a <c>[SerializeReference]</c> field can hold, and whose attribute can say
        /// the name before: Unity's form for nested and generic ones isn't known.
        /// </summary>
        public IEnumerable<INamedTypeSymbol> Managed =>
            Named.Where(each => each.ContainingType == null && each.Arity == 0 && Fields.IsManaged(each));

        /// <summary>
        /// Returns them all, with the names that a new name makes of types', the types whose
        /// attribute says the name before, and whether an attribute says the key before.
        /// </summary>
        public Dictionary<string, object> All(string newName, IEnumerable<INamedTypeSymbol> moved, bool keepsKey)
        {
            var type = Symbol as INamedTypeSymbol ?? Symbol.ContainingType;
            var isCalled = Symbol is IMethodSymbol { MethodKind: MethodKind.Ordinary } || Symbol is IPropertySymbol { IsIndexer: false };
            var targets = isCalled ? Targets().ToList()
                : Symbol is INamedTypeSymbol own ? new List<INamedTypeSymbol> { own } : new List<INamedTypeSymbol>();
            return new Dictionary<string, object>
            {
                ["name"] = SymbolFamily.NameOf(Symbol),
                ["kind"] = Kind(),
                ["display"] = Symbol.ToDisplayString(SymbolDisplayFormat.CSharpErrorMessageFormat),
                ["type"] = type == null || SymbolKeys.IsLocal(Symbol) ? null : SourceTypes.Name(type.OriginalDefinition),
                ["isMessage"] = _search.Family.Symbols.Any(each => UnityNames.IsMessage(each, each.Name)),
                ["calledAs"] = OfLibrary?.ToDisplayString(SymbolDisplayFormat.CSharpErrorMessageFormat),
                ["isPrivate"] = _search.Family.Symbols.All(IsPrivate),
                ["declarations"] = _search.Found.Where(IsOwn).Select(each => _lines.Place(each.Tree, each.Span)).ToList(),
                ["renamedTypes"] = Named.Select(each => new { before = SourceTypes.Name(each), after = After(each, newName) }).ToList(),
                ["key"] = Serialized.FirstOrDefault().Field?.Key,
                ["keepsKey"] = keepsKey,
                ["holders"] = Serialized.SelectMany(each => Fields.Holders(SerializedFields.FieldOf(each.Symbol).ContainingType)).ToList(),
                ["targets"] = targets.Select(each => new { type = SourceTypes.Name(each), scripts = SourceTypes.Scripts(each) }).ToList(),
                ["parameters"] = isCalled ? Parameters(Symbol) : null,
                ["overloads"] = isCalled ? Overloads(targets) : new List<List<string>>(),
                ["sameName"] = Symbol is IMethodSymbol ? SameName(targets) : 0,
                ["isVisualElement"] = Declaring(type).Any(each => UnityNames.DerivesFrom(each, "UnityEngine.UIElements.VisualElement")),
                ["managed"] = moved.Select(each => SourceTypes.Name(each)).ToList(),
            };
        }

        // A library's member that it overrides or implements: the library calls it by that.
        private ISymbol OfLibrary => _search.Family.Symbols.FirstOrDefault(each => each.ContainingAssembly is { } assembly
            && _compilations.All(one => one.AssemblyName != assembly.Name));

        // The type, and those that have a member of the family.
        private IEnumerable<INamedTypeSymbol> Declaring(INamedTypeSymbol type) => _search.Family.Symbols
            .Where(each => !(each is INamedTypeSymbol)).Select(each => each.ContainingType).Append(type).Where(each => each != null);

        // Whether no other assembly can name it.
        private static bool IsPrivate(ISymbol symbol) => symbol switch
        {
            null => false,
            INamespaceSymbol _ => false,
            IParameterSymbol parameter => IsPrivate(parameter.ContainingSymbol),
            INamedTypeSymbol _ or IMethodSymbol _ or IPropertySymbol _ or IFieldSymbol _ or IEventSymbol _ =>
                SymbolKeys.IsLocal(symbol) || symbol.DeclaredAccessibility == Accessibility.Private
                    || symbol.ContainingType is { } type && IsPrivate(type),
            _ => true,
        };

        private bool IsOwn(Reference each) => each.Name?.Binding.IsDeclaration == true
            && each.Name.Keys.Contains(SymbolKeys.Of(Symbol));

        private string Kind()
        {
            switch (Symbol)
            {
                case INamespaceSymbol _: return "namespace";
                case INamedTypeSymbol _: return "type";
                case IFieldSymbol field: return field.ContainingType?.TypeKind == TypeKind.Enum ? "enumMember" : "field";
                case IPropertySymbol _: return "property";
                case IEventSymbol _: return "event";
                case IMethodSymbol method: return method.MethodKind == MethodKind.Constructor ? "constructor" : "method";
                case IParameterSymbol _: return "parameter";
                case ITypeParameterSymbol _: return "typeParameter";
                case ILocalSymbol _: return "local";
                case IRangeVariableSymbol _: return "local";
                default: return "other";
            }
        }

        // The types that have the member, or inherit it and don't hide it; those that assets have objects of.
        private IEnumerable<INamedTypeSymbol> Targets()
        {
            var name = SymbolFamily.NameOf(Symbol);
            var own = _search.Family.Symbols.Where(each => each.ContainingType != null).ToList();
            return own.SelectMany(each => Types.WithDerived(Types.Of(each.ContainingType.OriginalDefinition)))
                .Where(each => each.TypeKind is TypeKind.Class or TypeKind.Struct && IsInAssets(each) && !Hides(each, name))
                .GroupBy(SymbolKeys.Of).Select(each => each.First()).Where(Types.IsSource)
                .OrderBy(each => each.ToDisplayString(), StringComparer.Ordinal);
        }

        private bool IsInAssets(INamedTypeSymbol type) => UnityNames.MayBeObject(type)
            || Symbol is IPropertySymbol && UnityNames.DerivesFrom(type, "UnityEngine.UIElements.VisualElement");

        private bool Hides(INamedTypeSymbol type, string name)
        {
            for (var at = type; at != null; at = at.BaseType == null ? null : Types.Of(at.BaseType))
            {
                var members = at.GetMembers(name).Where(each => Parameters(each)?.SequenceEqual(Parameters(Symbol)) == true).ToList();
                if (members.Count > 0) return !members.Any(each => _search.Family.Keys.Contains(SymbolKeys.Of(each) ?? ""));
            }
            return false;
        }

        private static List<string> Parameters(ISymbol symbol) => symbol switch
        {
            IMethodSymbol method => method.Parameters.Select(each => MetadataName(each.Type)).ToList(),
            IPropertySymbol property => new List<string> { MetadataName(property.Type) },
            _ => null,
        };

        private static string MetadataName(ITypeSymbol type)
        {
            if (type is IArrayTypeSymbol array) return $"{MetadataName(array.ElementType)}[{new string(',', array.Rank - 1)}]";
            if (type is ITypeParameterSymbol) return "*"; // whatever a heir makes of it
            if (!(type is INamedTypeSymbol named)) return type.ToDisplayString();
            var name = string.Join("+", Chain(named).Reverse().Select(each => each.MetadataName));
            return named.ContainingNamespace is { IsGlobalNamespace: false } space ? $"{space.ToDisplayString()}.{name}" : name;
        }

        private List<List<string>> Overloads(IEnumerable<INamedTypeSymbol> targets) => targets
            .SelectMany(each => each.GetMembers(SymbolFamily.NameOf(Symbol)).OfType<IMethodSymbol>())
            .Where(each => !_search.Family.Keys.Contains(SymbolKeys.Of(each) ?? "")).Select(Parameters)
            .GroupBy(each => string.Join(",", each)).Select(each => each.First()).ToList();

        private int SameName(IEnumerable<INamedTypeSymbol> targets)
        {
            var keys = targets.Select(SymbolKeys.Of).ToHashSet();
            if (keys.Count == 0) return 0;
            return _search.Search.Bound.Where(each => each.Binding.IsDeclaration)
                .SelectMany(each => each.Binding.Symbols.OfType<IMethodSymbol>().Where(one => one.MethodKind == MethodKind.Ordinary))
                .Select(each => each.ContainingType)
                .Where(each => UnityNames.DerivesFrom(each, "UnityEngine.MonoBehaviour"))
                .Select(SymbolKeys.Of).Distinct().Count(each => !keys.Contains(each))
                + LibraryMethods.Count(Symbol.Name, _compilations);
        }

        private Dictionary<string, object> After(INamedTypeSymbol type, string newName)
        {
            if (newName == null) return SourceTypes.Name(type);
            if (Symbol is INamespaceSymbol space)
            {
                var (old, own) = (space.ToDisplayString(), type.ContainingNamespace.ToDisplayString());
                return SourceTypes.Name(type, inNamespace:
                    old.Substring(0, old.LastIndexOf('.') + 1) + newName + own.Substring(old.Length));
            }
            var key = SymbolKeys.Of(Symbol);
            return SourceTypes.Name(type, string.Join("/", Chain(type).Reverse().Select(each => SymbolKeys.Of(each) == key
                ? newName + each.MetadataName.Substring(each.Name.Length) : each.MetadataName)));
        }

        private static IEnumerable<INamedTypeSymbol> Chain(INamedTypeSymbol type)
        {
            for (var at = type; at != null; at = at.ContainingType) yield return at;
        }

        private static bool IsWithin(INamespaceSymbol inner, string outer) => inner.ToDisplayString() is var name
            && (name == outer || name.StartsWith(outer + ".", StringComparison.Ordinal));
    }
}
