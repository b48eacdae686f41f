using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Newtonsoft.Json.Linq;

namespace UnityMcpPlugin
{
    /// <summary>
    /// The <c>compile</c> jobs: one at a time; further callers join it. Driven by the Editor's updates;
    /// without I/O of its own. Any thread may ask for a job's status, and a background thread reports whether
    /// the main thread runs; everything else happens on the main thread. Times are milliseconds of one clock,
    /// which restarts in each domain.
    /// </summary>
    internal sealed class CompileJobs : IJobRunner
    {
        public const string Tool = "compile";

        /// <summary>Most ended jobs that are remembered.</summary>
        public const int MaxEnded = 8;

        /// <summary>
        /// How long a lock on loading assemblies may delay a compilation before the job reports it.
        /// </summary>
        public const long LockLimitMs = 1000;

        /// <summary>
        /// How long the Editor may claim to compile without beginning, or not report the end of a
        /// compilation.
        /// </summary>
        public const long OddLimitMs = 2000;

        /// <summary>
        /// Least number of main loop updates in that time: during a blocked update nothing was checked.
        /// </summary>
        public const int OddUpdates = 5;

        /// <summary>How long the Editor may take to leave play mode.</summary>
        public const long LeaveLimitMs = 30000;

        /// <summary>Number of updates after which the effect of an import is certain.</summary>
        public const int UpdatesToShow = 2;

        /// <summary>
        /// Most imports of one job: each caller who joins needs one, and an import may change scripts.
        /// </summary>
        public const int MaxImports = 4;

        private const long StorageVersion = 1;

        private const string Locked =
            "EditorApplication.LockReloadAssemblies is held, so scripts aren't compiled. " +
            "End what holds it (a tool, a drag), or restart the Editor.";

        private const string NotLoaded =
            "Compiled, but not loaded: EditorApplication.LockReloadAssemblies is held.";

        private const string Unseen =
            "Unity says that the scripts don't compile, but not by which error; read_console may have it " +
            "(one about an assembly definition, for example).";

        private readonly object _gate = new object();
        private readonly List<CompileJob> _jobs = new List<CompileJob>();
        private readonly ICompiler _compiler;
        private readonly CompilationRecord _record;
        private readonly Func<bool> _testsRun;
        private readonly Func<long> _nowMs;
        private readonly Func<DateTime> _utcNow;
        private long _phaseSinceMs;
        private long? _lockedSinceMs;
        private long? _oddSinceMs;
        private int _oddUpdates;
        private int _updatesToShow;
        private string _doing;

        /// <param name="stored">The result of <see cref="Save"/> in the last domain; may be empty.</param>
        /// <param name="testsRun">Whether tests are running, which a reload would end.</param>
        public CompileJobs(
            ICompiler compiler,
            CompilationRecord record,
            string stored,
            Func<bool> testsRun,
            Func<long> nowMs,
            Func<DateTime> utcNow)
        {
            _compiler = compiler;
            _record = record;
            _testsRun = testsRun;
            _nowMs = nowMs;
            _utcNow = utcNow;
            _jobs.AddRange(StoredList.Read(stored, StorageVersion, MaxEnded + 1, CompileJob.Read));
            _phaseSinceMs = nowMs();
            _updatesToShow = UpdatesToShow;
        }

        /// <summary>
        /// Raised when a job has changed, with its present status. Handlers must not block.
        /// </summary>
        public event Action<Func<JObject>> Changed;

        /// <summary>Whether a job is running: nothing else that needs the loaded code may begin.</summary>
        public bool IsOn
        {
            get
            {
                lock (_gate)
                {
                    return Active != null;
                }
            }
        }

        public string ToolName => Tool;

        /// <summary>
        /// Short, because a caller of <c>compile</c> wants to know soon that the main thread is blocked.
        /// </summary>
        public long LongestWaitMs => 2000;

        private CompileJob Active => _jobs.FirstOrDefault(job => !job.Ended);

        public Func<ToolOutcome> Submit(JObject parameters)
        {
            var stopsPlaying = parameters["stop_play_mode"]?.Type == JTokenType.Boolean && (bool)parameters["stop_play_mode"];
            return () => Accept(stopsPlaying);
        }

        public ToolOutcome Join()
        {
            lock (_gate)
            {
                return Active == null ? null : Joined(Active);
            }
        }

        public JObject Status(string jobId)
        {
            Func<JObject> told;
            lock (_gate)
            {
                told = _jobs.FirstOrDefault(job => job.Id == jobId)?.Told(_doing);
            }

            return told?.Invoke();
        }

        public IReadOnlyList<Func<JObject>> Unconfirmed()
        {
            lock (_gate)
            {
                return _jobs.Where(job => !job.Confirmed).Select(job => job.Told(_doing)).ToArray();
            }
        }

        public void Confirm(string jobId)
        {
            lock (_gate)
            {
                var job = _jobs.FirstOrDefault(each => each.Id == jobId && each.Ended);
                if (job != null)
                {
                    job.Confirmed = true;
                }
            }
        }

        /// <summary>A compilation can't be cancelled.</summary>
        public string Cancel(string jobId)
        {
            lock (_gate)
            {
                return _jobs.Any(job => job.Id == jobId) ? "rejected" : null;
            }
        }

        /// <summary>Called in each update of the main loop.</summary>
        /// <param name="editorIsReady">Nothing compiles and no domain reload is expected.</param>
        public void Update(bool editorIsReady)
        {
            CompileJob job;
            bool imports;
            lock (_gate)
            {
                job = Active;
                if (job == null)
                {
                    return;
                }

                imports = Step(job, editorIsReady);
            }

            if (!imports)
            {
                return;
            }

            // Outside of the lock: a status request would wait for it.
            try
            {
                _compiler.Refresh();
            }
            catch (Exception failure) when (!(failure is ThreadAbortException))
            {
                lock (_gate)
                {
                    Fail(job, ToolFailure.Unexpected, $"The import failed: {failure.Message}");
                }
            }
        }

        /// <summary>Called by another thread, which sees whether the main thread runs.</summary>
        /// <param name="blocked">What blocks it; null while it runs.</param>
        public void MainThreadSeen(Blockage blocked)
        {
            if (blocked == null)
            {
                return;
            }

            lock (_gate)
            {
                var job = Active;
                if (job == null)
                {
                    return;
                }

                if (blocked.Dialog != null)
                {
                    Fail(
                        job,
                        ToolFailure.EditorBlocked,
                        $"The Editor shows the dialog \"{blocked.Dialog}\". Answer it there, then call compile again.");
                }
                else
                {
                    // It may be an import or a compilation, for which the job waits.
                    Tell(job, "the main thread is busy, or blocked by a dialog");
                }
            }
        }

        public string Save()
        {
            lock (_gate)
            {
                return StoredList.Write(StorageVersion, _jobs, (job, fields) => job.Write(fields));
            }
        }

        private ToolOutcome Accept(bool stopsPlaying)
        {
            lock (_gate)
            {
                var job = Active;
                if (job == null)
                {
                    if (_testsRun())
                    {
                        return ToolOutcome.Refused(
                            ToolFailure.InvalidState, "Tests are running, which new code would end. Wait for them, or cancel their job.");
                    }

                    if (_compiler.IsPlaying && !stopsPlaying)
                    {
                        return ToolOutcome.Refused(
                            ToolFailure.InvalidState,
                            "In play mode new code is not loaded. First send control_play_mode {\"action\": \"stop\"}, or compile {\"stop_play_mode\": true}.");
                    }

                    if (!_compiler.IsPlaying && _compiler.IsCompiling && !_record.IsRunning && _compiler.ReloadIsLocked)
                    {
                        return ToolOutcome.Refused(ToolFailure.ReloadLocked, Locked);
                    }

                    job = new CompileJob(
                        $"compile-{Guid.NewGuid():N}",
                        _compiler.IsPlaying ? CompilePhase.LeavingPlayMode : CompilePhase.Settling,
                        _utcNow(),
                        _record.Number);
                    _jobs.Add(job);
                    DropOld();
                    Enter(job, job.Phase, null);
                    if (job.Phase == CompilePhase.LeavingPlayMode)
                    {
                        _compiler.StopPlaying();
                    }
                }

                return Joined(job);
            }
        }

        private static ToolOutcome Joined(CompileJob job)
        {
            if (job.Imports >= MaxImports)
            {
                return ToolOutcome.Refused(
                    ToolFailure.EditorNotReady,
                    "A compile that many share is about to end, and may not see what was changed since. Call it again in a moment.");
            }

            var id = job.Id;
            job.LookAgain = true;
            return ToolOutcome.Ok(() => new JObject { ["job_id"] = id });
        }

        /// <summary>Does the next step; returns true if that is an import.</summary>
        private bool Step(CompileJob job, bool editorIsReady)
        {
            var now = _nowMs();
            NoteObstacles(editorIsReady, now);
            switch (job.Phase)
            {
                case CompilePhase.LeavingPlayMode:
                    if (!_compiler.IsPlaying)
                    {
                        Enter(job, CompilePhase.Settling, null);
                    }
                    else if (now - _phaseSinceMs >= LeaveLimitMs)
                    {
                        Fail(job, ToolFailure.InvalidState, $"Play mode did not end within {LeaveLimitMs / 1000} s.");
                    }

                    return false;
                case CompilePhase.Settling:
                    return !IsHeldUp(job, now) && IsIdle(editorIsReady) && Imports(job);
                case CompilePhase.Starting:
                    _updatesToShow--;
                    return !IsHeldUp(job, now) && See(job, editorIsReady);
                case CompilePhase.Compiling:
                    return !IsHeldUp(job, now) && IsIdle(editorIsReady) && GoOn(job);
                default:
                    return false;
            }
        }

        private void NoteObstacles(bool editorIsReady, long now)
        {
            var isLocked = !editorIsReady && _compiler.ReloadIsLocked;
            _lockedSinceMs = isLocked ? _lockedSinceMs ?? now : (long?)null;
            var isOdd = _compiler.IsCompiling != _record.IsRunning && !_compiler.IsImporting;
            _oddSinceMs = isOdd ? _oddSinceMs ?? now : (long?)null;
            _oddUpdates = isOdd ? _oddUpdates + 1 : 0;
        }

        /// <summary>
        /// Whether something prevents the Editor from compiling, or loading; that then ends the job.
        /// </summary>
        private bool IsHeldUp(CompileJob job, long now)
        {
            if (_compiler.IsPlaying)
            {
                Fail(job, ToolFailure.InvalidState, "Play mode was entered meanwhile; new code isn't loaded there. Call compile again when it has ended.");
                return true;
            }

            if (_lockedSinceMs != null && now - _lockedSinceMs >= LockLimitMs && !_record.IsRunning)
            {
                if (job.HasSeen(_record))
                {
                    // It is known whether the scripts compile, which answers the job.
                    End(job);
                }
                else
                {
                    Fail(job, ToolFailure.ReloadLocked, Locked);
                }

                return true;
            }

            if (_oddSinceMs != null && now - _oddSinceMs >= OddLimitMs && _oddUpdates >= OddUpdates)
            {
                var seconds = (now - _oddSinceMs.Value) / 1000;
                _oddSinceMs = null;
                var what = _record.IsRunning ? "not said how a compilation ended" : "said that it compiles, and hasn't begun";
                _record.GiveUp();
                Fail(
                    job,
                    ToolFailure.InvalidState,
                    $"For {seconds} s the Editor has {what}; why isn't known. Look at it, or call compile again: it looks anew.");
                return true;
            }

            return false;
        }

        private bool IsIdle(bool editorIsReady)
        {
            var doing = _compiler.IsImporting ? "importing assets"
                : _compiler.IsCompiling || _record.IsRunning ? "compiling"
                : editorIsReady ? null
                : "loading assemblies";
            if (doing != null)
            {
                Tell(Active, doing);
            }

            return doing == null;
        }

        private void Tell(CompileJob job, string doing)
        {
            if (doing != _doing)
            {
                _doing = doing;
                Changed?.Invoke(job.Told(doing));
            }
        }

        private bool Imports(CompileJob job)
        {
            job.LookAgain = false;
            job.Imports++;
            _updatesToShow = UpdatesToShow;
            Enter(job, CompilePhase.Starting, "importing assets");
            return true;
        }

        /// <summary>
        /// Checks whether the import has led to a compilation; returns true if another import is next.
        /// </summary>
        private bool See(CompileJob job, bool editorIsReady)
        {
            if (_compiler.IsCompiling || _compiler.IsImporting || _record.IsRunning || !editorIsReady)
            {
                Enter(job, CompilePhase.Compiling, null);
            }
            else if (_updatesToShow <= 0 && _compiler.CodeIsBroken && !job.HasSeen(_record) && !job.Requested)
            {
                // The scripts failed before; only a new compilation gives their errors.
                job.Requested = true;
                _updatesToShow = UpdatesToShow;
                _compiler.RequestCompilation();
            }
            else if (_updatesToShow <= 0)
            {
                return GoOn(job);
            }

            return false;
        }

        /// <summary>
        /// Ends the job, or returns true if another import is next for a caller who joined.
        /// </summary>
        private bool GoOn(CompileJob job)
        {
            if (job.LookAgain && job.Imports < MaxImports)
            {
                return Imports(job);
            }

            End(job);
            return false;
        }

        private void Enter(CompileJob job, CompilePhase phase, string doing)
        {
            job.Phase = phase;
            _phaseSinceMs = _nowMs();
            _doing = doing;
            Changed?.Invoke(job.Told(doing));
        }

        private void End(CompileJob job)
        {
            // A compilation that was seen counts: the Editor's flag is late after a successful one.
            var seen = job.HasSeen(_record);
            var failed = seen ? _record.Failed : _compiler.CodeIsBroken;
            var note = failed && !seen ? Unseen : !failed && seen && !job.Reloaded && _compiler.ReloadIsLocked ? NotLoaded : null;
            job.End(_record, failed, note, _utcNow());
            Changed?.Invoke(job.Told(null));
        }

        private void Fail(CompileJob job, string code, string message)
        {
            if (job.Ended)
            {
                return;
            }

            job.Fail(new ToolFailure(code, message));
            Changed?.Invoke(job.Told(null));
        }

        /// <summary>Keeps results that the server doesn't know yet, as long as there is room.</summary>
        private void DropOld()
        {
            var ended = _jobs.Where(job => job.Ended).OrderBy(job => job.Confirmed ? 0 : 1).ToArray();
            foreach (var old in ended.Take(Math.Max(0, ended.Length - MaxEnded)))
            {
                _jobs.Remove(old);
            }
        }
    }
}
