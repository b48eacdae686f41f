using System;

namespace UnityMcpPlugin
{
    /// <summary>A state and its number on the connection.</summary>
    internal readonly struct StatusReport
    {
        public StatusReport(EditorState state, long seq, Blockage blocked = null, bool reloadLocked = false)
        {
            State = state;
            Seq = seq;
            Blocked = blocked;
            ReloadLocked = reloadLocked;
        }

        public EditorState State { get; }

        /// <summary>What blocks the main thread; null while it runs.</summary>
        public Blockage Blocked { get; }

        /// <summary>Whether it compiles for as long as a lock on domain reloads is held.</summary>
        public bool ReloadLocked { get; }

        public long Seq { get; }
    }

    /// <summary>
    /// The last reported state, for all threads. The main thread sets it; the reports are numbered, from 1 on
    /// every connection.
    /// </summary>
    internal sealed class StatusBoard
    {
        private readonly object _gate = new object();
        private EditorState _state;
        private Blockage _blocked;
        private bool _reloadLocked;
        private long _seq;

        public StatusBoard(EditorState state) => _state = state;

        /// <summary>Raised on each change, outside of any lock.</summary>
        public event Action<StatusReport> Changed;

        public StatusReport Now
        {
            get
            {
                lock (_gate)
                {
                    return new StatusReport(_state, _seq, _blocked, _reloadLocked);
                }
            }
        }

        /// <summary>Begin a new connection; returns the state for its <c>hello</c>.</summary>
        public EditorState Restart()
        {
            lock (_gate)
            {
                _seq = 0;
                return _state;
            }
        }

        /// <summary>Set the state; no effect if it is unchanged.</summary>
        public void Set(EditorState state)
        {
            StatusReport report;
            lock (_gate)
            {
                if (state == _state)
                {
                    return;
                }

                _state = state;
                report = new StatusReport(_state, ++_seq, _blocked, _reloadLocked);
            }

            Changed?.Invoke(report);
        }

        /// <summary>Set what blocks the main thread; no effect if it is unchanged.</summary>
        /// <param name="blocked">Null while it runs.</param>
        public void SetBlocked(Blockage blocked)
        {
            StatusReport report;
            lock (_gate)
            {
                if (Equals(blocked, _blocked))
                {
                    return;
                }

                _blocked = blocked;
                report = new StatusReport(_state, ++_seq, _blocked, _reloadLocked);
            }

            Changed?.Invoke(report);
        }

        /// <summary>Set whether reloads are locked; no effect if it is unchanged.</summary>
        public void SetReloadLocked(bool locked)
        {
            StatusReport report;
            lock (_gate)
            {
                if (locked == _reloadLocked)
                {
                    return;
                }

                _reloadLocked = locked;
                report = new StatusReport(_state, ++_seq, _blocked, _reloadLocked);
            }

            Changed?.Invoke(report);
        }
    }
}
