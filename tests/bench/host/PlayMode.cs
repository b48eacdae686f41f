using UnityBench.Contract;

namespace UnityBench
{
    /// <summary>Play mode: asked for now, entered or left after the update, with or without a reload.</summary>
    internal sealed class PlayMode
    {
        private readonly Editor m_Editor;

        internal PlayMode(Editor editor) => m_Editor = editor;

        internal bool Playing { get; private set; }

        internal bool WillPlay { get; private set; }

        internal bool Paused { get; set; }

        /// <summary>Whether entering play mode reloads the domain, as it does by default.</summary>
        internal bool ReloadsDomain { get; set; } = true;

        internal void Request(bool playing) => WillPlay = playing;

        internal void Update()
        {
            if (WillPlay == Playing)
            {
                return;
            }

            if (WillPlay)
            {
                Enter();
            }
            else
            {
                m_Editor.Raise(EditorEvent.ExitingPlayMode);
                Playing = false;
                m_Editor.Raise(EditorEvent.EnteredEditMode);
                Output.Write("play_mode", "playing", false);
            }
        }

        private void Enter()
        {
            if (m_Editor.Compilation.Failed)
            {
                WillPlay = false;
                Output.Write("play_mode", "playing", false);
                return;
            }

            m_Editor.Raise(EditorEvent.ExitingEditMode);
            if (ReloadsDomain)
            {
                m_Editor.Reload();
            }

            Playing = true;
            m_Editor.Raise(EditorEvent.EnteredPlayMode);
            Output.Write("play_mode", "playing", true);
        }
    }
}
