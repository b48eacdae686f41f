using UnityEditor;

namespace UnityMcpPlugin
{
    /// <summary>The Editor's real play mode.</summary>
    internal sealed class UnityPlayMode : IPlayMode
    {
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
