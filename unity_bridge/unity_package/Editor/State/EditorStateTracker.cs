namespace UnityMcpPlugin
{
    /// <summary>
    /// What the Editor is doing, made of what it tells. Between the end of a compilation and the
    /// domain reload that it causes the Editor looks idle; here it is <c>compiling</c> until the
    /// reload comes, or clearly does not. Times are milliseconds of one clock.
    /// </summary>
    internal sealed class EditorStateTracker
    {
        /// <summary>
        /// How many idle updates in a row show that no reload follows. An Editor without focus updates
        /// once a second perhaps, so that <see cref="SettledMs"/> alone would be over in two.
        /// </summary>
        public const int SettledUpdates = 8;

        /// <summary>How long the Editor is idle at least before no reload is expected any more.</summary>
        public const long SettledMs = 1000;

        /// <summary>How long a lock on reloads is held before that is told: Unity holds one itself for moments.</summary>
        public const long LockMs = 2000;

        private bool _started;
        private bool _compilationRuns;
        private bool _compilingSeen;
        private bool _reloadExpected;
        private bool _entersPlayMode;
        private bool _goesDown;
        private int _idleUpdates;
        private long _idleSinceMs;
        private long? _lockedSinceMs;

        public EditorState State
        {
            get
            {
                if (_goesDown || !_started || _entersPlayMode)
                {
                    return EditorState.Reloading;
                }

                return _compilationRuns || _compilingSeen || _reloadExpected
                    ? EditorState.Compiling
                    : EditorState.Ready;
            }
        }

        /// <summary>Whether the Editor compiles only because a lock on reloads is held, and will until that ends.</summary>
        public bool ReloadLocked { get; private set; }

        public void CompilationStarted()
        {
            _compilationRuns = true;
            _reloadExpected = false;
        }

        /// <summary>A failed compilation causes no reload.</summary>
        public void CompilationFinished(bool failed)
        {
            _compilationRuns = false;
            ExpectReload(!failed);
        }

        /// <summary>Play mode is about to be entered, as a rule with a domain reload.</summary>
        public void EnteringPlayMode()
        {
            _entersPlayMode = true;
            _idleUpdates = 0;
        }

        /// <summary>Play mode has been entered or left, with or without a domain reload.</summary>
        public void PlayModeSettled() => _entersPlayMode = false;

        public void DomainGoesDown() => _goesDown = true;

        /// <summary>One update of the Editor's main loop, with what its flags say.</summary>
        public void Update(bool isCompiling, bool isUpdating, bool playModeWillChange, bool compilationFailed, long nowMs)
        {
            _started = true;
            if (_compilingSeen && !isCompiling && !_compilationRuns && !_reloadExpected)
            {
                // The end of the compilation was seen here first.
                ExpectReload(!compilationFailed);
            }

            _compilingSeen = isCompiling;
            if (isCompiling || isUpdating || _compilationRuns)
            {
                _idleUpdates = 0;
                return;
            }

            if (_idleUpdates == 0)
            {
                _idleSinceMs = nowMs;
            }

            _idleUpdates++;
            if (_idleUpdates < SettledUpdates || nowMs - _idleSinceMs < SettledMs)
            {
                return;
            }

            _reloadExpected = false;
            _entersPlayMode &= playModeWillChange;
        }

        /// <summary>What the lock on reloads was in this update, right after <see cref="Update"/>.</summary>
        public void ReloadLock(bool isHeld, long nowMs)
        {
            var waits = isHeld && State == EditorState.Compiling && !_compilationRuns;
            _lockedSinceMs = waits ? _lockedSinceMs ?? nowMs : (long?)null;
            ReloadLocked = _lockedSinceMs != null && nowMs - _lockedSinceMs >= LockMs;
        }

        private void ExpectReload(bool expected)
        {
            _reloadExpected = expected;
            _idleUpdates = 0;
        }
    }
}
