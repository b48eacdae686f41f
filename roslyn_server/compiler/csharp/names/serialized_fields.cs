// Which fields Unity serializes, under which key, and in which objects.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;

namespace RoslynServer
{
    /// <summary>One serialized field.</summary>
    internal sealed class SerializedField
    {
        public string Key;

        /// <summary>The type of its value, or of its elements.</summary>
        public INamedTypeSymbol Type;

        public bool IsList;

        /// <summary>Whether it refers to managed objects (<c>[SerializeReference]</c>).</summary>
        public bool IsReference;

        /// <summary>Its part of a property path.</summary>
        public string Path => IsList ? Key + "[]" : Key;
    }

    /// <summary>Unity's rules of serialization, over the types of a project.</summary>
    internal sealed class SerializedFields
    {
        private const int MaxDepth = 10;
        private const int MaxPaths = 1_000;
        private const string Unity = "UnityEngine.";
        private static readonly string[] Built =
        {
            "Vector2", "Vector3", "Vector4", "Vector2Int", "Vector3Int", "Quaternion", "Matrix4x4", "Color", "Color32",
            "Rect", "RectInt", "Bounds", "BoundsInt", "LayerMask", "AnimationCurve", "Gradient", "RectOffset", "GUIStyle",
            "Hash128", "RenderingLayerMask", "PropertyName",
        };

        private readonly SourceTypes _types;
        private readonly CancellationToken _token;
        private readonly Dictionary<string, IReadOnlyList<SerializedField>> _fields =
            new Dictionary<string, IReadOnlyList<SerializedField>>(StringComparer.Ordinal);
        private List<INamedTypeSymbol> _referred;

        public SerializedFields(SourceTypes types, CancellationToken token) => (_types, _token) = (types, token);

        /// <summary>What <see cref="Holders"/> left out: types with the field at too many paths.</summary>
        public List<string> Cut { get; } = new List<string>();

        /// <summary>Returns the field of a property, or the field itself; else <c>null</c>.</summary>
        public static IFieldSymbol FieldOf(ISymbol symbol) => symbol switch
        {
            IFieldSymbol field => field,
            IPropertySymbol property => property.ContainingType.GetMembers().OfType<IFieldSymbol>().FirstOrDefault(
                each => SymbolEqualityComparer.Default.Equals(each.AssociatedSymbol, property)),
            _ => null,
        };

        /// <summary>Returns how Unity serializes a field; <c>null</c> if it doesn't.</summary>
        public SerializedField Of(IFieldSymbol field)
        {
            if (field.IsStatic || field.IsConst || field.IsReadOnly || field.ContainingType.TypeKind == TypeKind.Enum) return null;
            if (Has(field, "System.NonSerializedAttribute")) return null;
            var isReference = Has(field, Unity + "SerializeReference");
            if (field.DeclaredAccessibility != Accessibility.Public && !isReference
                && !Has(field, Unity + "SerializeField")) return null;
            if (field.AssociatedSymbol is IEventSymbol) return null;
            var type = field.Type;
            var isList = true;
            if (type is IArrayTypeSymbol { Rank: 1 } array) type = array.ElementType;
            else if (type is INamedTypeSymbol { MetadataName: "List`1" } list
                && list.ContainingNamespace.ToDisplayString() == "System.Collections.Generic") type = list.TypeArguments[0];
            else isList = false;
            if (!field.IsFixedSizeBuffer && !(isReference ? IsReferable(type) : IsSerializable(type))) return null;
            return new SerializedField
            {
                Key = field.Name, Type = type as INamedTypeSymbol, IsList = isList, IsReference = isReference,
            };
        }

        /// <summary>Returns the objects that have a field of a type, and at which property paths.</summary>
        public List<object> Holders(INamedTypeSymbol declaring)
        {
            var heirs = _types.WithDerived(_types.Of(declaring)).ToList();
            var targets = heirs.Select(SymbolKeys.Of).ToHashSet();
            var found = new List<object>();
            if (UnityNames.MayBeObject(declaring))
                found.AddRange(heirs.Select(each => (object)Holder(each, false, new List<string> { "" })));
            if (UnityNames.IsObject(declaring)) return found;
            var leading = Leading(targets);
            foreach (var root in _types.All.Where(each => each.TypeKind is TypeKind.Class or TypeKind.Struct))
            {
                _token.ThrowIfCancellationRequested();
                var (isObject, isManaged) = (UnityNames.MayBeObject(root), IsManaged(root));
                if (!isObject && !isManaged) continue;
                var paths = new List<string>();
                if (leading.Contains(SymbolKeys.Of(root)))
                    Walk(root, "", targets, leading, 1, paths);
                if (paths.Count > MaxPaths) Cut.Add($"paths\t{root.ToDisplayString()}\t{MaxPaths}");
                if (isObject && paths.Count > 0)
                {
                    var holder = Holder(root, false, paths.Distinct().ToList());
                    holder["animated"] = Animated(root, paths).Distinct().ToList();
                    found.Add(holder);
                }
                if (isManaged && targets.Contains(SymbolKeys.Of(root))) paths.Insert(0, "");
                if (isManaged && paths.Count > 0) found.Add(Holder(root, true, paths.Distinct().ToList()));
                if (isManaged && root.Arity == 1 && root.ContainingType == null)
                    found.AddRange(Filled(root, targets, leading));
            }
            return found;
        }

        // Timeline's curves leave out the field of a playable asset that holds its behaviour.
        private IEnumerable<string> Animated(INamedTypeSymbol root, List<string> paths)
        {
            const string playables = Unity + "Playables.";
            if (!Is(root, playables + "IPlayableAsset")) yield break;
            foreach (var field in Fields(root).Where(each => each.Type != null && !each.IsList
                && Is(_types.Of(each.Type), playables + "IPlayableBehaviour")))
                foreach (var path in paths)
                    if (path == field.Key) yield return "";
                    else if (path.StartsWith(field.Key + ".", StringComparison.Ordinal)) yield return path.Substring(field.Key.Length + 1);
        }

        private static bool Is(INamedTypeSymbol type, string fullName) =>
            type.AllInterfaces.Any(each => UnityNames.FullName(each) == fullName);

        // A generic type's objects, by what fills it: with some types, its fields lead to the targets.
        private IEnumerable<object> Filled(INamedTypeSymbol generic, HashSet<string> targets, HashSet<string> leading)
        {
            foreach (var type in _types.All.Where(each => each.Arity == 0 && each.ContainingType?.IsGenericType != true
                && !UnityNames.IsObject(each) && SymbolKeys.Of(each) is var key && (targets.Contains(key) || leading.Contains(key))))
            {
                var paths = new List<string>();
                Walk(generic.Construct(type), "", targets, leading, 1, paths);
                if (paths.Count > 0) yield return Holder(generic, true, paths.Distinct().ToList(), type);
            }
        }

        /// <summary>Returns whether some <c>[SerializeReference]</c> field can hold objects of a type.</summary>
        public bool IsManaged(INamedTypeSymbol type)
        {
            if (type.TypeKind != TypeKind.Class || UnityNames.IsObject(type) || type.IsStatic) return false;
            _referred ??= _types.All.SelectMany(Fields).Where(each => each.IsReference && each.Type != null)
                .Select(each => each.Type).ToList();
            if (_referred.Count == 0) return false;
            var own = new HashSet<string>(StringComparer.Ordinal);
            for (var at = type; at != null; at = at.BaseType) own.Add(SymbolKeys.Of(at));
            own.UnionWith(type.AllInterfaces.Select(SymbolKeys.Of));
            return _referred.Any(each => each.SpecialType == SpecialType.System_Object
                ? IsMarked(type) : SymbolKeys.Of(each) is { } key && own.Contains(key));
        }

        private static Dictionary<string, object> Holder(
            INamedTypeSymbol type, bool isManaged, List<string> paths, INamedTypeSymbol filledBy = null) =>
            new Dictionary<string, object>
            {
                ["type"] = SourceTypes.Name(type, filledBy == null ? null : $"{type.MetadataName}[[{SourceTypes.Reflected(filledBy)}]]"),
                ["scripts"] = SourceTypes.Scripts(type), ["managed"] = isManaged,
                ["paths"] = paths,
            };

        private IEnumerable<SerializedField> Fields(INamedTypeSymbol type)
        {
            if (!(SymbolKeys.Of(type) is { } key)) return Array.Empty<SerializedField>();
            var isOpen = SymbolEqualityComparer.Default.Equals(type, type.OriginalDefinition);
            if (isOpen && _fields.TryGetValue(key, out var known)) return known;
            var found = new List<SerializedField>();
            for (var at = type; at != null; at = at.BaseType == null ? null : _types.Of(at.BaseType))
                if (at == type || at.IsGenericType || _types.IsSource(at))
                    found.AddRange(at.GetMembers().OfType<IFieldSymbol>().Select(Of).Where(each => each != null));
            if (isOpen) _fields[key] = found;
            return found;
        }

        // The types from whose fields a target can be reached.
        private HashSet<string> Leading(HashSet<string> targets)
        {
            var below = _types.All.SelectMany(type => Fields(type).Where(each => !each.IsReference && each.Type != null)
                .SelectMany(each => Involved(each.Type)).Select(key => (Key: key, Owner: SymbolKeys.Of(type))))
                .ToLookup(each => each.Key ?? "", each => each.Owner);
            var found = new HashSet<string>(StringComparer.Ordinal);
            var left = new Stack<string>(targets.Where(each => each != null));
            while (left.Count > 0)
                foreach (var owner in below[left.Pop()])
                    if (found.Add(owner)) left.Push(owner);
            return found;
        }

        // A type, and those of its arguments: fields of these are fields of a generic one.
        private static IEnumerable<string> Involved(ITypeSymbol type)
        {
            if (!(type is INamedTypeSymbol named)) yield break;
            yield return SymbolKeys.Of(named);
            foreach (var each in named.TypeArguments.SelectMany(Involved)) yield return each;
        }

        private void Walk(
            INamedTypeSymbol type, string path, HashSet<string> targets, HashSet<string> leading,
            int depth, List<string> paths)
        {
            if (depth > MaxDepth || paths.Count > MaxPaths) return; // one more shows that some are left out
            foreach (var field in Fields(type).Where(each => !each.IsReference && each.Type != null))
            {
                var next = _types.Of(field.Type);
                var at = path.Length == 0 ? field.Path : $"{path}.{field.Path}";
                if (UnityNames.IsObject(next)) continue;
                if (targets.Contains(SymbolKeys.Of(next))) paths.Add(at);
                if (leading.Contains(SymbolKeys.Of(next)) || next.IsGenericType) Walk(next, at, targets, leading, depth + 1, paths);
            }
        }

        private bool IsSerializable(ITypeSymbol type)
        {
            switch (type)
            {
                case ITypeParameterSymbol _: return true; // decided by what stands for it
                case { TypeKind: TypeKind.Enum }: return true;
                case { TypeKind: TypeKind.Error }: return true; // assets tell
                case { SpecialType: >= SpecialType.System_Boolean and <= SpecialType.System_Double
                    and not SpecialType.System_Decimal }: return true;
                case { SpecialType: SpecialType.System_String }: return true;
                case INamedTypeSymbol { TypeKind: TypeKind.Class or TypeKind.Struct } named:
                    if (UnityNames.MayBeObject(named)) return true;
                    if (named.SpecialType != SpecialType.None || named.IsTupleType) return false;
                    var space = named.ContainingNamespace?.ToDisplayString() ?? "";
                    if (space == "UnityEngine" && Built.Contains(named.Name)) return true;
                    return !named.IsStatic && !(named.IsAbstract && named.TypeKind == TypeKind.Class) && IsMarked(named)
                        && space != "System" && !space.StartsWith("System.", StringComparison.Ordinal);
                default: return false;
            }
        }

        private static bool IsReferable(ITypeSymbol type) => type is ITypeParameterSymbol { IsValueType: false }
            || type is INamedTypeSymbol { IsReferenceType: true } named && !UnityNames.IsObject(named)
            && named.SpecialType != SpecialType.System_String && named.TypeKind != TypeKind.Delegate;

        private bool IsMarked(INamedTypeSymbol type) => _types.Of(type).OriginalDefinition.IsSerializable;

        private static bool Has(ISymbol symbol, string attribute) => UnityNames.Attribute(symbol, attribute) != null;
    }
}
