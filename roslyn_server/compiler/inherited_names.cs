// What a type may have from where nobody looked: a base that isn't known, or a part that is generated.
using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace RoslynServer
{
    /// <summary>Of the types of one compilation, and of those that it refers to. Not for two threads at a time.</summary>
    internal sealed class InheritedNames
    {
        // Every name that these have had since Unity 2019, with those that nobody else may use: more names
        // only make for less to tell. Any other is not theirs.
        private static readonly ImmutableHashSet<string> OfObject = Names(
            "AllocateEntityIds BindNativeObject CheckNullArgument CompareBaseObjects CreateMissingReferenceObject"
            + " CurrentThreadIsMainThread Destroy DestroyImmediate DestroyObject DoesObjectWithInstanceIDExist"
            + " DontDestroyOnLoad EnsureRunningOnMainThread Equals Finalize FindAnyObjectByType"
            + " FindFirstObjectByType FindObjectFromInstanceID FindObjectFromInstanceIDThreadSafe"
            + " FindObjectOfType FindObjectsByType FindObjectsOfType FindObjectsOfTypeAll"
            + " FindObjectsOfTypeIncludingAssets FindSceneObjectsOfType ForceLoadFromInstanceID GetCachedPtr"
            + " GetEntityId GetEntityIdFast GetHashCode GetInstanceID GetInstanceIdFast GetManagedUDMTypeID"
            + " GetName GetObjectUDMTypeID GetOffsetOfInstanceIDInCPlusPlusObject GetPtrFromInstanceID GetType"
            + " GetUDMTypeID GetUnityRuntimeErrorString Instantiate InstantiateAsync IsNativeObjectAlive"
            + " IsPersistent MarkDirty MarshalledUnityObject MemberwiseClone OffsetOfInstanceIDInCPlusPlusObject"
            + " ReferenceEquals SetEntityId SetName SetUnityRuntimeErrorString ToString cloneDestroyedMessage"
            + " hideFlags kInstanceID_None m_CachedPtr m_EntityId m_InstanceID m_UnityRuntimeErrorString name"
            + " objectIsNullMessage");

        private static readonly ImmutableDictionary<string, ImmutableHashSet<string>> OfUnity =
            new Dictionary<string, ImmutableHashSet<string>>
            {
                ["MonoBehaviour"] = OfObject.Union(Names(
                    "BroadcastMessage CancelInvoke CancellationToken CompareTag ConstructorCheck GetComponent"
                    + " GetComponentFastPath GetComponentInChildren GetComponentInParent GetComponentIndex"
                    + " GetComponents GetComponentsForListInternal GetComponentsInChildren GetComponentsInParent"
                    + " GetCoupledComponent GetScriptClassName Invoke InvokeDelayed InvokeRepeating"
                    + " IsCoupledComponent IsInvoking IsObjectMonoBehaviour OnCancellationTokenCreated"
                    + " RaiseCancellation SendMessage SendMessageUpwards StartCoroutine StartCoroutineManaged"
                    + " StartCoroutineManaged2 StartCoroutine_Auto StopAllCoroutines StopCoroutine"
                    + " StopCoroutineFromEnumeratorManaged StopCoroutineManaged TryGetComponent"
                    + " allowPrefabModeInPlayMode animation audio camera collider collider2D constantForce"
                    + " destroyCancellationToken didAwake didStart enabled gameObject guiElement guiText"
                    + " guiTexture hingeJoint isActiveAndEnabled light m_CancellationTokenSource networkView"
                    + " particleEmitter particleSystem print renderer rigidbody rigidbody2D runInEditMode tag"
                    + " transform transformHandle useGUILayout")),
                ["ScriptableObject"] = OfObject.Union(Names(
                    "CreateInstance CreateScriptableObject CreateScriptableObjectInstanceFromName"
                    + " CreateScriptableObjectInstanceFromType ResetAndApplyDefaultInstances SetDirty")),
            }.ToImmutableDictionary();

        private static readonly ImmutableHashSet<string> Anything = ImmutableHashSet<string>.Empty;

        // Those of .NET of which no profile has a member more.
        private static readonly ImmutableHashSet<string> Ends = Names(
            "Object ValueType Enum Delegate MulticastDelegate Exception Attribute EventArgs"
            + " String Char Boolean Byte SByte Int16 UInt16 Int32 UInt32 Int64 UInt64 Single Double Decimal");

        // What no generator of Unity's takes for its own.
        private static readonly ImmutableHashSet<string> Inert = Names(
            "Obsolete Conditional MethodImpl Serializable Flags DebuggerHidden DebuggerStepThrough"
            + " DebuggerDisplay DebuggerBrowsable EditorBrowsable StructLayout FieldOffset ThreadStatic"
            + " NonSerialized CompilerGenerated CallerMemberName CallerFilePath CallerLineNumber"
            + " SerializeField HideInInspector Header Tooltip Range Space TextArea Min");

        private readonly UnknownLibraries _unknown;
        private readonly CancellationToken _token;
        private readonly Dictionary<INamedTypeSymbol, ImmutableHashSet<string>> _of =
            new Dictionary<INamedTypeSymbol, ImmutableHashSet<string>>(SymbolEqualityComparer.Default);

        /// <summary>
        /// Without other libraries there are no generators but Unity's, which add to what has attributes of
        /// theirs, or comes from types of theirs.
        /// </summary>
        public InheritedNames(UnknownLibraries unknown, CancellationToken token) =>
            (_unknown, _token) = (unknown, token);

        /// <summary>Whether a look for a name in a type, or in what it comes from, may find what isn't known.</summary>
        public bool May(INamedTypeSymbol type, string name)
        {
            var names = Of(type.OriginalDefinition);
            return names == Anything || names != null && names.Contains(name);
        }

        /// <summary>Whether all that a type comes from is known, its interfaces too.</summary>
        public bool IsWhole(INamedTypeSymbol type) => Of(type.OriginalDefinition) == null
            && (type.TypeKind == TypeKind.Enum || type.AllInterfaces.All(each => each.TypeKind != TypeKind.Error && IsOfProject(each)));

        public static bool IsOfProject(ISymbol symbol) => symbol.DeclaringSyntaxReferences.Length > 0;

        /// <summary>Whether a generator, or code that symbols leave out, may add to a type.</summary>
        public bool IsPart(INamedTypeSymbol type) => type.DeclaringSyntaxReferences
            .Select(each => each.GetSyntax(_token))
            .Any(each => each is TypeDeclarationSyntax declared
                && (declared.Modifiers.Any(SyntaxKind.PartialKeyword) && MayBeGenerated(type, declared)
                    || HasOpenHead(declared)));

        private bool MayBeGenerated(INamedTypeSymbol type, TypeDeclarationSyntax part) => !_unknown.AreOnlyUnitys
            || type.BaseType is { TypeKind: TypeKind.Error }
            || type.Interfaces.Any(each => each.TypeKind == TypeKind.Error)
            || part.AttributeLists.Concat(part.Members.SelectMany(each => each.AttributeLists))
                .SelectMany(each => each.Attributes)
                .Any(each => !(each.Name is IdentifierNameSyntax name && Inert.Contains(name.Identifier.ValueText)));

        // Null stands for none.
        private ImmutableHashSet<string> Of(INamedTypeSymbol type)
        {
            if (_of.TryGetValue(type, out var known)) return known;
            _of[type] = Anything; // for those that come from themselves
            return _of[type] = Found(type);
        }

        private ImmutableHashSet<string> Found(INamedTypeSymbol type)
        {
            if (!IsOfProject(type))
                return type.ContainingNamespace?.ToDisplayString() == "System" && Ends.Contains(type.MetadataName)
                    ? null : Anything;
            if (IsPart(type)) return Anything;
            if (type.TypeKind == TypeKind.Interface)
                return type.AllInterfaces.All(each => IsOfProject(each) && !IsPart(each)) ? null : Anything;
            if (type.TypeKind == TypeKind.Enum || type.TypeKind == TypeKind.Delegate) return null;
            if (!(type.BaseType is { } from)) return Anything;
            return from.TypeKind == TypeKind.Error ? OfUnknown(type) : Of(from.OriginalDefinition);
        }

        // What a script is called in Unity is known by name, where that name comes from Unity's namespace.
        private ImmutableHashSet<string> OfUnknown(INamedTypeSymbol type)
        {
            if (!_unknown.IsUnityOfKnownVersion || type.DeclaringSyntaxReferences.Length > 1
                || !(type.DeclaringSyntaxReferences[0].GetSyntax(_token) is TypeDeclarationSyntax
                {
                    BaseList: { Types: var bases }
                })) return Anything;
            var (name, isFull) = bases[0].Type switch
            {
                QualifiedNameSyntax { Left: IdentifierNameSyntax { Identifier: { ValueText: "UnityEngine" } } } full =>
                    (full.Right.Identifier.ValueText, true),
                IdentifierNameSyntax plain => (plain.Identifier.ValueText, false),
                _ => ("", false),
            };
            return OfUnity.TryGetValue(name, out var names) && (isFull || UsesUnity(bases[0])) ? names : Anything;
        }

        private static bool UsesUnity(SyntaxNode node) =>
            Usings.Around(node).Any(each => each.Alias == null && each.Name?.ToString() == "UnityEngine")
            || node.Ancestors().OfType<NamespaceDeclarationSyntax>()
                .Any(each => each.Name.ToString() == "UnityEngine"
                    || each.Name.ToString().StartsWith("UnityEngine.", StringComparison.Ordinal));

        // A base that is there under other symbols only.
        private static bool HasOpenHead(TypeDeclarationSyntax declared) =>
            declared.DescendantTrivia(node => node == declared || !(node is MemberDeclarationSyntax))
                .Any(each => each.IsKind(SyntaxKind.DisabledTextTrivia)
                    && each.SpanStart < declared.OpenBraceToken.SpanStart
                    && each.SpanStart > declared.SpanStart);

        private static ImmutableHashSet<string> Names(string listed) =>
            ImmutableHashSet.CreateRange(StringComparer.Ordinal, listed.Split(' '));
    }

    /// <summary>
    /// What isn't known of the libraries that scripts use: whether they are <c>AreOnlyUnitys</c> own, and
    /// whether Unity is of a version of which it is known what a script inherits.
    /// </summary>
    internal readonly struct UnknownLibraries
    {
        public readonly bool AreOnlyUnitys;
        public readonly bool IsUnityOfKnownVersion;

        public UnknownLibraries(bool areOnlyUnitys, bool isUnityOfKnownVersion) =>
            (AreOnlyUnitys, IsUnityOfKnownVersion) = (areOnlyUnitys, isUnityOfKnownVersion);
    }

    internal static class Usings
    {
        /// <summary>Those that a node's file, and the namespaces around it, declare.</summary>
        public static IEnumerable<UsingDirectiveSyntax> Around(SyntaxNode node)
        {
            foreach (var each in node.Ancestors())
                if (each is CompilationUnitSyntax unit)
                    foreach (var of in unit.Usings) yield return of;
                else if (each is MemberDeclarationSyntax && !(each is BaseTypeDeclarationSyntax))
                    foreach (var of in each.ChildNodes().OfType<UsingDirectiveSyntax>()) yield return of;
        }
    }
}
