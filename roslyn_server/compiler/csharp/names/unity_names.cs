// Names that Unity itself knows: messages that it calls, types and attributes with a meaning.
using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;

namespace RoslynServer
{
    internal static class UnityNames
    {
        private const string MessageNames = @"
            Awake FixedUpdate LateUpdate OnAnimatorIK OnAnimatorMove OnApplicationFocus OnApplicationPause
            OnApplicationQuit OnAudioFilterRead OnBecameInvisible OnBecameVisible OnBeforeTransformParentChanged
            OnCanvasGroupChanged OnCanvasHierarchyChanged OnCollisionEnter OnCollisionEnter2D OnCollisionExit
            OnCollisionExit2D OnCollisionStay OnCollisionStay2D OnConnectedToServer OnControllerColliderHit
            OnDestroy OnDidApplyAnimationProperties OnDisable OnDisconnectedFromServer OnDrawGizmos
            OnDrawGizmosSelected OnEnable OnFailedToConnect OnFailedToConnectToMasterServer OnGUI OnJointBreak
            OnJointBreak2D OnLevelWasLoaded OnMasterServerEvent OnMouseDown OnMouseDrag OnMouseEnter OnMouseExit
            OnMouseOver OnMouseUp OnMouseUpAsButton OnNetworkInstantiate OnParticleCollision
            OnParticleSystemStopped OnParticleTrigger OnParticleUpdateJobScheduled OnPlayerConnected
            OnPlayerDisconnected OnPostRender OnPreCull OnPreRender OnRectTransformDimensionsChange
            OnRenderImage OnRenderObject OnSerializeNetworkView OnServerInitialized OnStateEnter OnStateExit
            OnStateIK OnStateMachineEnter OnStateMachineExit OnStateMove OnStateUpdate OnTransformChildrenChanged
            OnTransformParentChanged OnTriggerEnter OnTriggerEnter2D OnTriggerExit OnTriggerExit2D OnTriggerStay
            OnTriggerStay2D OnValidate OnWillRenderObject Reset Start Update
            CreateGUI CreateInspectorGUI HasFrameBounds OnFocus OnGetFrameBounds OnHierarchyChange
            OnAddedAsTab OnBackingScaleFactorChanged OnBeforeRemovedAsTab OnDidOpenScene OnMainWindowMove OnTabDetached
            OnInspectorUpdate OnLostFocus OnPreSceneGUI OnProjectChange OnSceneDrag OnSceneGUI OnSelectionChange
            OnWizardCreate OnWizardOtherButton OnWizardUpdate ShowButton hasUnsavedChanges ModifierKeysChanged
            OnAssignMaterialModel OnPostprocessAllAssets OnPostprocessAnimation
            OnPostprocessAssetbundleNameChanged OnPostprocessAudio OnPostprocessAvatar OnPostprocessCubemap
            OnPostprocessGameObjectWithAnimatedUserProperties OnPostprocessGameObjectWithUserProperties
            OnPostprocessMaterial OnPostprocessMeshHierarchy OnPostprocessModel OnPostprocessPrefab
            OnPostprocessSpeedTree OnPostprocessSprites OnPostprocessTexture OnPostprocessTexture2DArray
            OnPostprocessTexture3D OnPreprocessAnimation OnPreprocessAsset OnPreprocessAudio
            OnPreprocessCameraDescription OnPreprocessLightDescription OnPreprocessMaterialDescription
            OnPreprocessModel OnPreprocessSpeedTree OnPreprocessTexture
            OnWillCreateAsset OnWillDeleteAsset OnWillMoveAsset OnWillSaveAssets IsOpenForEdit
            CanOpenForEdit FileModeChanged MakeEditable OnGeneratedCSProject OnGeneratedCSProjectFiles
            OnGeneratedSlnSolution OnPreGeneratingCSProjectFiles";

        private static readonly HashSet<string> Messages = MessageNames
            .Split(new[] { ' ', '\n', '\r' }, StringSplitOptions.RemoveEmptyEntries).ToHashSet(StringComparer.Ordinal);

        private static readonly string[] Called =
            { "UnityEngine.Object", "UnityEditor.AssetPostprocessor", "UnityEditor.AssetModificationProcessor" };

        /// <summary>Returns whether Unity would call a method, by its name.</summary>
        public static bool IsMessage(ISymbol symbol, string name) => symbol is IMethodSymbol { MethodKind: MethodKind.Ordinary }
            && Messages.Contains(name)
            && (MayBeObject(symbol.ContainingType) || Called.Any(each => DerivesFrom(symbol.ContainingType, each)));

        /// <summary>Returns whether a type is, or derives from, the type with a full name.</summary>
        public static bool DerivesFrom(INamedTypeSymbol type, string fullName)
        {
            for (; type != null; type = type.BaseType)
                if (FullName(type) == fullName) return true;
            return false;
        }

        /// <summary>Returns whether objects of a type have files of their own, or are components.</summary>
        public static bool IsObject(INamedTypeSymbol type) => DerivesFrom(type, "UnityEngine.Object");

        /// <summary>
        /// Returns the same, and also true if a base is missing, as that of a package that isn't there.
        /// Assets tell whether it is one.
        /// </summary>
        public static bool MayBeObject(INamedTypeSymbol type)
        {
            if (IsObject(type)) return true;
            for (; type != null; type = type.BaseType)
                if (type.TypeKind == TypeKind.Error) return true;
            return false;
        }

        public static AttributeData Attribute(ISymbol symbol, string fullName) =>
            symbol.GetAttributes().FirstOrDefault(each => each.AttributeClass != null && FullName(each.AttributeClass) == fullName);

        public static string FullName(INamedTypeSymbol type) => type.ContainingNamespace is { IsGlobalNamespace: false } space
            && type.ContainingType == null ? $"{space.ToDisplayString()}.{type.MetadataName}" : type.MetadataName;

        /// <summary>
        /// Returns the ending that Netcode's code generation demands of a method's name; else <c>null</c>.
        /// </summary>
        public static string RpcSuffix(ISymbol symbol)
        {
            if (!(symbol is IMethodSymbol)) return null;
            foreach (var (attribute, suffix) in new[] { ("ServerRpcAttribute", "ServerRpc"),
                ("ClientRpcAttribute", "ClientRpc"), ("RpcAttribute", "Rpc") })
                if (Attribute(symbol, "Unity.Netcode." + attribute) != null) return suffix;
            return null;
        }
    }
}
