using System;

namespace UnityBench.Contract
{
    /// <summary>What the Editor is doing, as its properties show it.</summary>
    [Serializable]
    public struct EditorFlags
    {
        /// <summary><c>EditorApplication.isPlaying</c>.</summary>
        public bool Playing;

        /// <summary><c>EditorApplication.isPaused</c>.</summary>
        public bool Paused;

        /// <summary><c>EditorApplication.isPlayingOrWillChangePlaymode</c>.</summary>
        public bool WillPlay;

        /// <summary><c>EditorApplication.isCompiling</c>.</summary>
        public bool Compiling;

        /// <summary><c>EditorApplication.isUpdating</c>.</summary>
        public bool Importing;

        /// <summary><c>EditorUtility.scriptCompilationFailed</c>.</summary>
        public bool CompilationFailed;

        /// <summary><c>InternalEditorUtility.isApplicationActive</c>.</summary>
        public bool Focused;
    }
}
