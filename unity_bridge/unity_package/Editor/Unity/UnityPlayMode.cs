using System.Collections.Generic;
using UnityEditor;

namespace UnityMcpPlugin
{
    /// <summary>The Editor's real play mode.</summary>
    internal sealed class UnityPlayMode : IPlayMode
    {
        private readonly CompilationRecord _compilation;

        public UnityPlayMode(CompilationRecord compilation) => _compilation = compilation;

        public bool CodeIsBroken => EditorUtility.scriptCompilationFailed;

        public IReadOnlyList<CompilerIssue> CompilerErrors => _compilation.Errors;

        public IReadOnlyList<string> UnsavedAssets => UnsavedScenes.Names();

        public bool IsPlaying
        {
            get => EditorApplication.isPlaying;
            set => EditorApplication.isPlaying = value;
        }

        public bool IsPaused
        {
            get => EditorApplication.isPaused;
            set => EditorApplication.isPaused = value;
        }

        public bool IsPlayingOrWillChange => EditorApplication.isPlayingOrWillChangePlaymode;
    }
}
