using System;
using System.Diagnostics;
using System.Threading;
using UnityBench.Contract;

namespace UnityBench
{
    /// <summary>
    /// The script compilation: it takes its time, ends, and a while later causes a reload. What is to be
    /// compiled waits as long as assemblies can't be reloaded, and while the Editor plays.
    /// </summary>
    internal sealed class Compilation
    {
        private const string Assembly = "Library/ScriptAssemblies/Assembly-CSharp.dll";
        private const int DefaultMs = 150;

        // Between the end of a compilation and its reload an Editor still updates a few times.
        private const int UpdatesBeforeReload = 5;

        private static readonly CompilerLine[] s_Nothing = new CompilerLine[0];

        private readonly Editor m_Editor;
        private Stopwatch m_Watch;
        private int m_DurationMs;
        private CompilerLine[] m_Messages;
        private bool m_Compiles;
        private int m_UpdatesToReload;
        private CompilerLine[] m_Edited;
        private CompilerLine[] m_Broken = s_Nothing;
        private bool m_Requested;
        private bool m_Imported;

        internal Compilation(Editor editor) => m_Editor = editor;

        /// <summary>Whether it compiles, or will; no longer so in the updates before the reload.</summary>
        internal bool Running => m_Watch != null || m_Requested;

        /// <summary>Whether the last one ended with errors.</summary>
        internal bool Failed => m_Broken.Length > 0;

        /// <summary>Whether an import goes on beside the main loop.</summary>
        internal bool Importing { get; set; }

        /// <summary>Whether what is compiled doesn't end yet.</summary>
        internal bool Held { get; set; }

        /// <summary>Whether the end of the next compilation finds a lock on reloads.</summary>
        internal bool LocksAtEnd { get; set; }

        /// <summary>How long an import keeps the main thread, in milliseconds: a long one, or a dialog that it opens.</summary>
        internal int ImportMs { get; set; }

        /// <summary>Whether an Editor that gets focus back imports what was edited outside.</summary>
        internal bool AutoRefresh { get; set; } = true;

        /// <summary>Compile what isn't compiled: what was imported, and what has failed.</summary>
        internal void Request() => m_Requested = true;

        /// <summary>Scripts were edited outside; the Editor sees it with its next import.</summary>
        internal void Edit(params CompilerLine[] messages) => m_Edited = messages;

        /// <summary>Scripts have not compiled since before anything that could hear of it was loaded.</summary>
        internal void BreakUnheard(CompilerLine message) => m_Broken = new[] { message };

        /// <summary>Imports what was edited; whether scripts are to be compiled now.</summary>
        internal bool Import()
        {
            if (ImportMs > 0)
            {
                Output.Write("importing", "duration_ms", ImportMs);
                Thread.Sleep(ImportMs);
                ImportMs = 0;
            }

            m_Imported |= m_Edited != null;
            m_Requested |= m_Edited != null;
            return Running;
        }

        /// <summary>Begins to compile, for so many milliseconds, with these messages in the end.</summary>
        internal void Begin(int durationMs, params CompilerLine[] messages) => Begin(durationMs, true, messages);

        internal void Update()
        {
            if (m_Requested && m_Watch == null && m_Editor.CanReload && !m_Editor.PlayMode.Playing)
            {
                var edited = m_Imported ? m_Edited : null;
                m_Edited = m_Imported ? null : m_Edited;
                m_Requested = false;
                m_Imported = false;
                Begin(DefaultMs, edited != null || Failed, edited ?? m_Broken);
            }

            if (m_UpdatesToReload > 0 && --m_UpdatesToReload == 0)
            {
                m_Editor.RequestReload();
            }

            if (m_Watch == null || Held || m_Watch.ElapsedMilliseconds < m_DurationMs)
            {
                return;
            }

            m_Watch = null;
            if (LocksAtEnd)
            {
                LocksAtEnd = false;
                m_Editor.LockReload(1);
            }

            m_Broken = Array.Exists(m_Messages, message => message.Error) ? m_Messages : s_Nothing;
            if (m_Compiles)
            {
                m_Editor.Durations.Time(() => m_Editor.Domain.Compiled(Assembly, m_Messages));
            }

            m_Editor.Raise(EditorEvent.CompilationFinished);
            Output.Write("compiled", "failed", Failed);
            m_UpdatesToReload = Failed || !m_Compiles ? 0 : UpdatesBeforeReload;
        }

        /// <param name="compiles">Whether there is an assembly to compile; else nothing is loaded anew.</param>
        private void Begin(int durationMs, bool compiles, CompilerLine[] messages)
        {
            if (m_Watch != null)
            {
                return;
            }

            m_DurationMs = durationMs < 0 ? DefaultMs : durationMs;
            m_Messages = messages;
            m_Compiles = compiles;
            m_UpdatesToReload = 0;
            m_Watch = Stopwatch.StartNew();
            Output.Write("compiling");
            m_Editor.Raise(EditorEvent.CompilationStarted);
        }
    }
}
