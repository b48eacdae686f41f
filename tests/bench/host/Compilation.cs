using System.Diagnostics;
using UnityBench.Contract;

namespace UnityBench
{
    /// <summary>The script compilation: it takes its time, ends, and a while later causes a reload.</summary>
    internal sealed class Compilation
    {
        private const string Assembly = "Library/ScriptAssemblies/Assembly-CSharp.dll";
        private const int DefaultMs = 150;

        // Between the end of a compilation and its reload an Editor still updates a few times.
        private const int UpdatesBeforeReload = 5;

        private readonly Editor m_Editor;
        private Stopwatch m_Watch;
        private int m_DurationMs;
        private CompilerLine[] m_Messages;
        private int m_UpdatesToReload;
        private CompilerLine[] m_Edited;
        private bool m_Requested;

        internal Compilation(Editor editor) => m_Editor = editor;

        /// <summary>Whether it compiles, or will; no longer so in the updates before the reload.</summary>
        internal bool Running => m_Watch != null || m_Requested;

        /// <summary>Whether the last one ended with errors.</summary>
        internal bool Failed { get; private set; }

        internal void Request() => Begin(DefaultMs);

        /// <summary>Scripts were edited outside; the Editor sees it with its next import.</summary>
        internal void Edit(params CompilerLine[] messages) => m_Edited = messages;

        /// <summary>Imports what was edited; whether scripts are to be compiled now.</summary>
        internal bool Import()
        {
            m_Requested |= m_Edited != null;
            return Running;
        }

        /// <summary>Begins to compile, for so many milliseconds, with these messages in the end.</summary>
        internal void Begin(int durationMs, params CompilerLine[] messages)
        {
            if (m_Watch != null)
            {
                return;
            }

            m_DurationMs = durationMs < 0 ? DefaultMs : durationMs;
            m_Messages = messages;
            m_UpdatesToReload = 0;
            m_Watch = Stopwatch.StartNew();
            Output.Write("compiling");
            m_Editor.Raise(EditorEvent.CompilationStarted);
        }

        internal void Update()
        {
            if (m_Requested)
            {
                var edited = m_Edited;
                m_Requested = false;
                m_Edited = null;
                Begin(DefaultMs, edited);
            }

            if (m_UpdatesToReload > 0 && --m_UpdatesToReload == 0)
            {
                m_Editor.RequestReload();
            }

            if (m_Watch == null || m_Watch.ElapsedMilliseconds < m_DurationMs)
            {
                return;
            }

            m_Watch = null;
            Failed = System.Array.Exists(m_Messages, message => message.Error);
            m_Editor.Durations.Time(() => m_Editor.Domain.Compiled(Assembly, m_Messages));
            m_Editor.Raise(EditorEvent.CompilationFinished);
            Output.Write("compiled", "failed", Failed);
            m_UpdatesToReload = Failed ? 0 : UpdatesBeforeReload;
        }
    }
}
