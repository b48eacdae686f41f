namespace UnityMcpPlugin
{
    /// <summary>
    /// Derives the Editor's state from its events. Between the end of a compilation and its domain reload the
    /// Editor looks idle; here it counts as <c>compiling</c> until the reload comes, or clearly does not.
    /// Times are milliseconds of one clock.
    /// </summary>
    internal sealed class EditorStateTracker
    {
        /// <summary>
        /// How many idle updates in a row prove that no reload follows. An Editor without focus may update
        /// only once a second, so <see cref="SettledMs"/> alone would pass in two.
        /// </summary>
        public const int SettledUpdates = 8;

        /// <summary>How long the Editor must be idle before no reload is expected any more.</summary>
        public const long SettledMs = 1000;

        /// <summary>
        /// How long a lock on reloads is held before it is reported: Unity itself holds one for moments.
        /// </summary>
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

        /// <summary>
        /// Whether the Editor compiles only because a lock on reloads is held, and until that ends.
        /// </summary>
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

        /// <summary>Play mode is about to be entered, usually with a domain reload.</summary>
        public void EnteringPlayMode()
        {
            _entersPlayMode = true;
            _idleUpdates = 0;
        }

        /// <summary>Play mode has been entered or left, with or without a domain reload.</summary>
        public void PlayModeSettled() => _entersPlayMode = false;

        public void DomainGoesDown() => _goesDown = true;

        /// <summary>Called in each update of the Editor's main loop, with its flags.</summary>
        public void Update(bool isCompiling, bool isUpdating, bool playModeWillChange, bool compilationFailed, long nowMs)
        {
            _started = true;
            if (_compilingSeen && !isCompiling && !_compilationRuns && !_reloadExpected)
            {
                // This update is the first to see the end of the compilation.
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

        /// <summary>The lock on reloads in this update, right after <see cref="Update"/>.</summary>
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
