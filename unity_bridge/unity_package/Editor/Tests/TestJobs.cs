using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Newtonsoft.Json.Linq;

namespace UnityMcpPlugin
{
    /// <summary>Where jobs outlive a domain reload. Main thread.</summary>
    internal interface ITestJobStorage
    {
        /// <summary>What was saved last; empty when nothing was.</summary>
        string LoadJobs();

        void SaveJobs(string jobs);
    }

    /// <summary>
    /// The <c>run_tests</c> jobs: one at a time, the others wait. Fed with the test runner's events
    /// and the Editor's updates; without I/O of its own. Status may be asked for on any thread,
    /// all else happens on the main thread. Times are milliseconds of one clock.
    /// </summary>
    internal sealed class TestJobs : IJobRunner
    {
        public const int MaxWaiting = 16;

        /// <summary>How many jobs are remembered whose end the server has confirmed to know.</summary>
        public const int MaxConfirmed = 8;

        /// <summary>How many jobs that have ended are remembered at most, confirmed or not.</summary>
        public const int MaxEnded = 64;

        /// <summary>How much text of failed tests is kept of all jobs, in UTF-16 code units.</summary>
        public const int MaxKeptLength = 2000000;

        /// <summary>How long the test runner may take to begin a run.</summary>
        public const long StartLimitMs = 120000;

        /// <summary>How long a cancelled run gives no sign of itself before it counts as ended: Unity tells of the end of some only.</summary>
        public const long CancelLimitMs = 5000;

        /// <summary>How long after the end of a run the next one is started: the test runner still cleans up.</summary>
        public const long BetweenRunsMs = 1000;

        /// <summary>How long the runner may take to count tests; then they are run uncounted.</summary>
        public const long CountLimitMs = 30000;

        /// <summary>How long a run that isn't ours counts as running without a sign of it.</summary>
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

        /// <summary>A job's state has changed: it is told as it is now. On the main thread, which must not wait here.</summary>
        public event Action<Func<JObject>> Changed;

        public string ToolName => "run_tests";

        public long LongestWaitMs => CommandRouter.MaxWaitMs;

        /// <summary>Whether tests run, a job's or those that somebody started in the Editor.</summary>
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

        /// <summary>The job whose run the test runner has.</summary>
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
                // Not while the runner cleans up: its scene may still be open, or play mode be left yet.
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
                // What was edited outside counts; an Editor without focus has not seen it yet.
                _runner.Refresh();
            }

            // For one that waits, what counts is what holds when its turn has come.
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

        /// <summary>Each run is its own.</summary>
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

        /// <summary>One update of the main loop.</summary>
        /// <param name="editorIsReady">Nothing compiles and no domain reload is near.</param>
        public void Update(bool editorIsReady)
        {
            if (Step(editorIsReady))
            {
                // Not under the lock, for which a question about a job would wait.
                _runner.Refresh();
            }
        }

        /// <summary>Go on with what is next; true when an import is.</summary>
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
                            // Once: an import that changes scripts each time would reload for ever.
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

        /// <summary>A run begins, with so many tests; ours, or one that somebody started in the Editor.</summary>
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

        /// <summary>One test has ended.</summary>
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

        /// <summary>A run has ended.</summary>
        /// <param name="counts">As the runner counts.</param>
        /// <param name="failed">Its failed tests: name, message, stack trace; only asked for when some are not known yet.</param>
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

                // A runner that was interrupted by a reload may have forgotten what came before.
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

        /// <summary>A run could not be carried out.</summary>
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

        /// <summary>The domain is about to go down: keep what is known. Only then is anything stored.</summary>
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

        /// <summary>The job whose run gives a sign of itself; null when the run isn't ours.</summary>
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

        /// <summary>Whether the run that is under way will end early.</summary>
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
        /// Start the job's next run, once it is known which tests are meant. Where there is none the run
        /// is left out; so is a second one that would enter play mode for no test.
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

        /// <summary>A run is over: on to the next one, or to the job's end.</summary>
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

        /// <summary>Change a job's state, and tell of it; false when it has ended already.</summary>
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

        /// <summary>A job as it is now; its JSON is not for the main thread to make.</summary>
        private static Func<JObject> Told(TestJob job)
        {
            var status = job.Snapshot();
            return () => status.ToJson();
        }

        /// <summary>Keep what the server has not heard of yet as long as there is room, and the last of the others.</summary>
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

        /// <summary>The tests of a job's next run, while the runner lists them.</summary>
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
