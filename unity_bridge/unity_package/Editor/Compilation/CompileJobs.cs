using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Newtonsoft.Json.Linq;

namespace UnityMcpPlugin
{
    /// <summary>
    /// The <c>compile</c> jobs: one at a time, whoever else wants one joins it. Fed with the Editor's
    /// updates; without I/O of its own. Status may be asked for on any thread, and one other than the
    /// main thread tells whether that runs; all else happens on the main thread. Times are milliseconds of one clock, which begins anew in each domain.
    /// </summary>
    internal sealed class CompileJobs : IJobRunner
    {
        public const string Tool = "compile";

        /// <summary>How many that have ended are remembered at most.</summary>
        public const int MaxEnded = 8;

        /// <summary>How long a lock on loading assemblies may hold a compilation up before that is told.</summary>
        public const long LockLimitMs = 1000;

        /// <summary>How long the Editor may say that it compiles without having begun to, or not say of one how it ended.</summary>
        public const long OddLimitMs = 2000;

        /// <summary>In how many updates of the main loop it must have been so: one that was blocked has not looked.</summary>
        public const int OddUpdates = 5;

        /// <summary>How long play mode may take to end.</summary>
        public const long LeaveLimitMs = 30000;

        /// <summary>In how many updates what an import has led to shows for certain.</summary>
        public const int UpdatesToShow = 2;

        /// <summary>How often one job imports at most: each who joins wants to be sure, and an import may change scripts.</summary>
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

        /// <param name="stored">What <see cref="Save"/> returned in the last domain; empty for nothing.</param>
        /// <param name="testsRun">Whether tests run, which a reload would end.</param>
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

        /// <summary>A job has changed: it is told as it is now. Nobody must wait here.</summary>
        public event Action<Func<JObject>> Changed;

        /// <summary>Whether one is under way: nothing else that needs the loaded code is to begin.</summary>
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

        /// <summary>Short: a main thread that doesn't come is what its caller wants to hear of.</summary>
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

        /// <summary>A compilation can't be taken back.</summary>
        public string Cancel(string jobId)
        {
            lock (_gate)
            {
                return _jobs.Any(job => job.Id == jobId) ? "rejected" : null;
            }
        }

        /// <summary>One update of the main loop.</summary>
        /// <param name="editorIsReady">Nothing compiles and no domain reload is near.</param>
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

            // Not under the lock, for which a question about the job would wait.
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

        /// <summary>Whether the main thread runs, as another thread sees it: only that one can tell.</summary>
        /// <param name="blocked">What keeps it; null while it runs.</param>
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
                    // It may be an import or a compilation, which are waited for.
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

        /// <summary>Go on with what is next; true when an import is.</summary>
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

        /// <summary>Whether something keeps the Editor from compiling, or loading, which is then what the job comes to.</summary>
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
                    // Whether it compiles is known; that is what was asked.
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

        /// <summary>Whether the import has led to a compilation shows now: true when another import is next.</summary>
        private bool See(CompileJob job, bool editorIsReady)
        {
            if (_compiler.IsCompiling || _compiler.IsImporting || _record.IsRunning || !editorIsReady)
            {
                Enter(job, CompilePhase.Compiling, null);
            }
            else if (_updatesToShow <= 0 && _compiler.CodeIsBroken && !job.HasSeen(_record) && !job.Requested)
            {
                // It has failed some time before; only a compilation tells by what.
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

        /// <summary>All that was to be done is: true when another import is next, for somebody who has joined.</summary>
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
            // What was seen of the compilation counts: the Editor's flag is late after a good one.
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

        /// <summary>Keep what the server has not heard of yet as long as there is room.</summary>
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
