using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Newtonsoft.Json.Linq;

namespace UnityMcpPlugin
{
    /// <summary>Stores jobs during a domain reload. Main thread.</summary>
    internal interface ITestJobStorage
    {
        /// <summary>The last saved text; empty if there is none.</summary>
        string LoadJobs();

        void SaveJobs(string jobs);
    }

    /// <summary>
    /// The <c>run_tests</c> jobs: one at a time, the others wait. Driven by the test runner's events and the
    /// Editor's updates; without I/O of its own. Any thread may ask for a status, everything else happens on
    /// the main thread. Times are milliseconds of one clock.
    /// </summary>
    internal sealed class TestJobs : IJobRunner
    {
        public const int MaxWaiting = 16;

        /// <summary>Most jobs that are remembered after the server has confirmed their end.</summary>
        public const int MaxConfirmed = 8;

        /// <summary>Most ended jobs that are remembered, confirmed or not.</summary>
        public const int MaxEnded = 64;

        /// <summary>Most text of failed tests over all jobs, in UTF-16 code units.</summary>
        public const int MaxKeptLength = 2000000;

        /// <summary>How long the test runner may take to begin a run.</summary>
        public const long StartLimitMs = 120000;

        /// <summary>
        /// How long a cancelled run may be silent before it counts as ended: Unity reports the end of only
        /// some.
        /// </summary>
        public const long CancelLimitMs = 5000;

        /// <summary>The delay between two runs: the test runner cleans up in that time.</summary>
        public const long BetweenRunsMs = 1000;

        /// <summary>How long the runner may take to count tests; after that they run uncounted.</summary>
        public const long CountLimitMs = 30000;

        /// <summary>How long a foreign run without any event counts as running.</summary>
        public const long ForeignLimitMs = 600000;

        private const long StorageVersion = 5;

        private readonly object _gate = new object();
        private readonly List<TestJob> _jobs = new List<TestJob>();
        private readonly ITestRunner _runner;
        private readonly ITestJobStorage _storage;
        private readonly Func<long> _nowMs;
        private readonly Func<DateTime> _utcNow;
        private long _lastSignMs;
        private long _notBeforeMs;
        private long? _foreignSeenMs;
        private Counting _counting;

        public TestJobs(ITestRunner runner, ITestJobStorage storage, Func<long> nowMs, Func<DateTime> utcNow)
        {
            _runner = runner;
            _storage = storage;
            _nowMs = nowMs;
            _utcNow = utcNow;
            _jobs.AddRange(StoredList.Read(storage.LoadJobs(), StorageVersion, MaxWaiting + MaxEnded, TestJob.Read));
            _lastSignMs = nowMs();
        }

        /// <summary>
        /// Raised when a job's state has changed, with its present status. On the main thread: handlers must
        /// not block.
        /// </summary>
        public event Action<Func<JObject>> Changed;

        public string ToolName => "run_tests";

        public long LongestWaitMs => CommandRouter.MaxWaitMs;

        /// <summary>Whether tests are running, of a job or started in the Editor.</summary>
        public bool RunIsOn
        {
            get
            {
                lock (_gate)
                {
                    return Running != null || ForeignRunIsOn(_nowMs());
                }
            }
        }

        private TestJob Active => _jobs.FirstOrDefault(job => job.State == TestJobState.Running);

        /// <summary>The job whose run is in progress.</summary>
        private TestJob Running => _jobs.FirstOrDefault(job => job.State == TestJobState.Running && job.RunId != null);

        public Func<ToolOutcome> Submit(JObject parameters)
        {
            var mode = parameters["mode"]?.ToString() ?? "all";
            var filter = parameters["filter"]?.ToString();
            var compileFirst = parameters["compile_first"]?.Type != JTokenType.Boolean || (bool)parameters["compile_first"];
            var phases = new List<TestPhase>();
            if (mode == "all" || mode == "edit")
            {
                phases.Add(TestPhase.Edit);
            }

            if (mode == "all" || mode == "play")
            {
                phases.Add(TestPhase.Play);
            }

            if (phases.Count == 0)
            {
                return () => ToolOutcome.Refused(ToolFailure.InvalidParams, "mode is one of all, edit and play.");
            }

            return () => Accept(filter == null ? null : ConsoleText.Clean(filter), phases, compileFirst);
        }

        private ToolOutcome Accept(string filter, IReadOnlyList<TestPhase> phases, bool compileFirst)
        {
            bool idle;
            lock (_gate)
            {
                // Not while the runner cleans up: its scene may still be open, or play mode not left yet.
                idle = Active == null && _foreignSeenMs == null && !_runner.IsBusy && _nowMs() >= _notBeforeMs;
                if (_runner.IsPlaying && idle)
                {
                    return ToolOutcome.Refused(
                        ToolFailure.InvalidState,
                        "The Editor is in play mode, where tests can't be started. End it first, with control_play_mode.");
                }
            }

            if (idle && compileFirst)
            {
                // Files edited outside must be imported; an Editor without focus has not seen them yet.
                _runner.Refresh();
            }

            // For a waiting job, the state at its turn decides.
            var problem = idle ? TestPreconditions.Problem(_runner, !compileFirst) : null;
            if (problem != null)
            {
                return ToolOutcome.Refused(problem);
            }

            lock (_gate)
            {
                if (_jobs.Count(each => !each.Ended) >= MaxWaiting)
                {
                    return ToolOutcome.Refused(
                        ToolFailure.QueueFull, $"{MaxWaiting} test jobs wait already. Cancel some, or wait for them to end.");
                }

                var job = new TestJob($"job-{Guid.NewGuid():N}", filter, phases)
                {
                    MayBeOld = !compileFirst,
                    Refreshed = idle || !compileFirst,
                };
                _jobs.Add(job);
                return ToolOutcome.Ok(() => new JObject { ["job_id"] = job.Id });
            }
        }

        /// <summary>No job serves two callers.</summary>
        public ToolOutcome Join() => null;

        public JObject Status(string jobId)
        {
            TestJobStatus status;
            lock (_gate)
            {
                status = Find(jobId)?.Snapshot();
            }

            return status?.ToJson();
        }

        public IReadOnlyList<Func<JObject>> Unconfirmed()
        {
            lock (_gate)
            {
                return _jobs.Where(job => job.Ended && !job.Confirmed).Select(Told).ToArray();
            }
        }

        public void Confirm(string jobId)
        {
            lock (_gate)
            {
                var job = Find(jobId);
                if (job != null && job.Ended)
                {
                    job.Confirmed = true;
                    DropOld();
                }
            }
        }

        public string Cancel(string jobId)
        {
            lock (_gate)
            {
                var job = Find(jobId);
                if (job == null)
                {
                    return null;
                }

                if (job.Ended)
                {
                    return "rejected";
                }

                if (job.RunId == null)
                {
                    // It waits for its turn, or for its next run.
                    End(job, TestJobState.Cancelled, null);
                    return "cancelled";
                }

                if (!job.CancelRequested)
                {
                    job.RequestCancel(EndRun(job));
                    _lastSignMs = _nowMs();
                }

                return "cancel_requested";
            }
        }

        /// <summary>Called in each update of the main loop.</summary>
        /// <param name="editorIsReady">Nothing compiles and no domain reload is expected.</param>
        public void Update(bool editorIsReady)
        {
            if (Step(editorIsReady))
            {
                // Outside of the lock: a status request would wait for it.
                _runner.Refresh();
            }
        }

        /// <summary>Does the next step; returns true if that is an import.</summary>
        private bool Step(bool editorIsReady)
        {
            lock (_gate)
            {
                if (_jobs.Count == 0)
                {
                    return false;
                }

                var now = _nowMs();
                var job = Active ?? _jobs.FirstOrDefault(each => each.State == TestJobState.Queued);
                if (job == null)
                {
                    return false;
                }

                if (job.RunId == null)
                {
                    if (editorIsReady && !_runner.IsSettling && now >= _notBeforeMs && !ForeignRunIsOn(now) &&
                        !_runner.IsPlaying && !_runner.IsBusy)
                    {
                        if (!job.Refreshed)
                        {
                            // Only once: an import that changes scripts each time would reload forever.
                            job.Refreshed = true;
                            return true;
                        }

                        StartOrSkip(job, now);
                    }
                }
                else if (!editorIsReady)
                {
                    _lastSignMs = now;
                }
                else if (job.CancelUnderWay && now - _lastSignMs >= CancelLimitMs)
                {
                    End(job, TestJobState.Cancelled, null);
                }
                else if (!job.RunStarted && now - _lastSignMs >= StartLimitMs)
                {
                    Fail(
                        job,
                        ToolFailure.TestRunFailed,
                        $"Unity's test runner did not begin within {StartLimitMs / 1000} s. Restarting the Editor may help.");
                }
            }

            return false;
        }

        /// <summary>
        /// Handles the beginning of a run with so many tests; it may have been started in the Editor.
        /// </summary>
        public void OnRunStarted(int total)
        {
            lock (_gate)
            {
                var active = WithSign();
                if (active != null && !active.RunStarted)
                {
                    active.RunBegan(total);
                }
            }
        }

        public void OnTestStarted(string name)
        {
            lock (_gate)
            {
                var active = WithSign();
                if (active != null)
                {
                    active.Current = name;
                }
            }
        }

        /// <summary>Handles the end of one test.</summary>
        /// <param name="name">Its full name.</param>
        /// <param name="one">Counts it.</param>
        public void OnTestFinished(string name, TestCounts one, string message, string stackTrace)
        {
            lock (_gate)
            {
                var active = WithSign();
                if (active == null)
                {
                    return;
                }

                active.TestEnded(one);
                if (one.Failed > 0)
                {
                    active.Failures.Add(name, message, stackTrace);
                }
            }
        }

        /// <summary>Handles the end of a run.</summary>
        /// <param name="counts">The runner's counts.</param>
        /// <param name="failed">
        /// Its failed tests: name, message, stack trace; called only if some are not known yet.
        /// </param>
        public void OnRunFinished(TestCounts counts, Func<IEnumerable<(string Name, string Message, string StackTrace)>> failed)
        {
            lock (_gate)
            {
                var active = Running;
                _foreignSeenMs = null;
                _notBeforeMs = _nowMs() + BetweenRunsMs;
                if (active == null)
                {
                    return;
                }

                // After a reload the runner may have forgotten the earlier tests.
                var counted = counts.Total >= active.Now.Total ? counts : active.Now;
                var known = active.Failures.Count;
                active.RunEnded(counted);
                if (active.Before.Failed > known)
                {
                    foreach (var (name, message, stackTrace) in failed())
                    {
                        active.Failures.Add(name, message, stackTrace);
                    }
                }

                Proceed(active);
            }
        }

        /// <summary>Handles that a run could not be carried out.</summary>
        public void OnError(string message)
        {
            lock (_gate)
            {
                var active = Running;
                _foreignSeenMs = null;
                _notBeforeMs = _nowMs() + BetweenRunsMs;
                if (active == null)
                {
                    return;
                }

                if (active.CancelRequested)
                {
                    End(active, TestJobState.Cancelled, null);
                }
                else
                {
                    Fail(active, ToolFailure.TestRunFailed, message);
                }
            }
        }

        /// <summary>
        /// Store everything known before the domain is unloaded. Nothing is stored at other times.
        /// </summary>
        public void Save()
        {
            string stored;
            lock (_gate)
            {
                stored = StoredList.Write(StorageVersion, _jobs, (job, fields) => job.Write(fields));
            }

            _storage.SaveJobs(stored);
        }

        private bool ForeignRunIsOn(long now) => _foreignSeenMs != null && now - _foreignSeenMs < ForeignLimitMs;

        /// <summary>The job whose run has just sent an event; null if the run isn't ours.</summary>
        private TestJob WithSign()
        {
            var running = Running;
            _lastSignMs = _nowMs();
            if (running == null)
            {
                _foreignSeenMs = _lastSignMs;
            }

            return running;
        }

        /// <summary>Ends the current run early, if possible; returns whether it will end early.</summary>
        private bool EndRun(TestJob job)
        {
            if (_runner.Cancel(job.RunId))
            {
                return true;
            }

            if (job.Phase == TestPhase.Play)
            {
                _runner.LeavePlayMode();
            }

            return job.Phase == TestPhase.Play;
        }

        /// <summary>
        /// Start the job's next run, once its tests are known. A run without tests is skipped, as is a second
        /// run that would enter play mode for no test.
        /// </summary>
        private void StartOrSkip(TestJob job, long now)
        {
            TestSelection selected = null;
            if (job.RunsEnded > 0 || job.Filter != null)
            {
                if (_counting == null || _counting.Job != job)
                {
                    var counting = new Counting(job, now);
                    _counting = counting;
                    _runner.Select(job.Phase, job.Filter, found => counting.Found = found);
                }

                if (_counting.Found == null && now - _counting.SinceMs < CountLimitMs)
                {
                    return;
                }

                selected = _counting.Found;
                if (selected == null && job.Filter != null)
                {
                    Fail(
                        job,
                        ToolFailure.TestRunFailed,
                        $"Unity's test runner did not list its tests within {CountLimitMs / 1000} s, so none could be selected.");
                    return;
                }

                _counting = null;
                if (selected != null && selected.Count == 0)
                {
                    job.RunEnded(new TestCounts());
                    Proceed(job);
                    return;
                }
            }

            StartRun(job, selected);
        }

        private void StartRun(TestJob job, TestSelection selected)
        {
            var problem = TestPreconditions.Problem(_runner, job.MayBeOld);
            if (problem != null)
            {
                Fail(job, problem.Code, problem.Message, problem.Errors);
                return;
            }

            _lastSignMs = _nowMs();
            Enter(job, TestJobState.Running, null);
            try
            {
                job.RunHandedOver(_runner.Start(job.Phase, selected?.Names) ?? "", selected == null ? 0 : selected.Count);
            }
            catch (Exception failure) when (!(failure is ThreadAbortException))
            {
                Fail(job, ToolFailure.TestRunFailed, $"Unity's test runner refused: {failure.Message}");
            }
        }

        /// <summary>Continue after the end of a run: with the next one, or with the job's end.</summary>
        private void Proceed(TestJob job)
        {
            if (job.CancelRequested)
            {
                End(job, TestJobState.Cancelled, null);
            }
            else if (job.AllRunsEnded && job.Before.Total == 0 && job.Filter != null)
            {
                Fail(job, ToolFailure.UnityExecution, $"0 tests matched the filter '{job.Filter}'.");
            }
            else if (job.AllRunsEnded)
            {
                End(job, TestJobState.Succeeded, null);
            }
        }

        private void Fail(TestJob job, string code, string message, IEnumerable<CompilerIssue> errors = null) =>
            End(job, TestJobState.Failed, new ToolFailure(code, job.WhatHasNotRun() + message, errors));

        private void End(TestJob job, TestJobState state, ToolFailure failure)
        {
            if (Enter(job, state, failure))
            {
                DropOld();
            }
        }

        /// <summary>Change a job's state, and report it; false if it is already final.</summary>
        private bool Enter(TestJob job, TestJobState state, ToolFailure failure)
        {
            var before = job.State;
            if (!job.Enter(state, failure, _utcNow()))
            {
                return false;
            }

            if (job.State != before)
            {
                Changed?.Invoke(Told(job));
            }

            return true;
        }

        /// <summary>A job's present status; its JSON is made on a background thread.</summary>
        private static Func<JObject> Told(TestJob job)
        {
            var status = job.Snapshot();
            return () => status.ToJson();
        }

        /// <summary>
        /// Keeps results that the server doesn't know yet, as long as there is room, and the latest of the
        /// others.
        /// </summary>
        private void DropOld()
        {
            var ended = _jobs.Where(each => each.Ended).OrderByDescending(each => each.EndedUtc).ToArray();
            var confirmed = ended.Where(each => each.Confirmed).ToArray();
            foreach (var old in confirmed.Skip(MaxConfirmed))
            {
                _jobs.Remove(old);
            }

            var kept = ended.Except(confirmed.Skip(MaxConfirmed)).OrderBy(each => each.Confirmed).ToArray();
            var length = 0L;
            for (var index = 0; index < kept.Length; index++)
            {
                length += kept[index].Failures.Length;
                if (index >= MaxEnded || (index > 0 && length > MaxKeptLength))
                {
                    _jobs.Remove(kept[index]);
                }
            }
        }

        /// <summary>The search for the tests of a job's next run.</summary>
        private sealed class Counting
        {
            public Counting(TestJob job, long sinceMs)
            {
                Job = job;
                SinceMs = sinceMs;
            }

            public TestJob Job { get; }

            public long SinceMs { get; }

            /// <summary>Null until the runner has listed them.</summary>
            public TestSelection Found { get; set; }
        }

        private TestJob Find(string jobId) => _jobs.FirstOrDefault(job => job.Id == jobId);
    }
}
