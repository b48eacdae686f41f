using System;
using System.Reflection;
using UnityEditor;
using UnityEditor.Compilation;

namespace UnityMcpPlugin
{
    /// <summary>The Editor's real script compilation.</summary>
    internal sealed class UnityCompiler : ICompiler
    {
        // Internal in all versions so far; if it is missing, the lock is unknown.
        private static readonly MethodInfo CanReload = typeof(EditorApplication).GetMethod(
            "CanReloadAssemblies", BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic, null, Type.EmptyTypes, null);

        public bool IsCompiling => EditorApplication.isCompiling;

        public bool IsImporting => EditorApplication.isUpdating;

        public bool CodeIsBroken => EditorUtility.scriptCompilationFailed;

        public bool IsPlaying => EditorApplication.isPlaying || EditorApplication.isPlayingOrWillChangePlaymode;

        public bool ReloadIsLocked
        {
            get
            {
                try
                {
                    return CanReload != null && CanReload.ReturnType == typeof(bool) && !(bool)CanReload.Invoke(null, null);
                }
                catch (TargetInvocationException)
                {
                    return false;
                }
            }
        }

        public void Refresh() => AssetDatabase.Refresh();

        public void RequestCompilation() => CompilationPipeline.RequestScriptCompilation();

        public void StopPlaying()
        {
            EditorApplication.isPaused = false;
            EditorApplication.isPlaying = false;
        }
    }
}
