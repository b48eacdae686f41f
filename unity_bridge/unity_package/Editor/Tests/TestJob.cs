using System;
using System.Collections.Generic;
using System.Linq;

namespace UnityMcpPlugin
{
    /// <summary>The state of a job, in the words of the wire.</summary>
    internal enum TestJobState
    {
        Queued,
        Running,
        Succeeded,
        Failed,
        Cancelled,
    }

    /// <summary>The kind of a run: Unity runs EditMode and PlayMode tests separately.</summary>
    internal enum TestPhase
    {
        Edit,
        Play,
    }

    /// <summary>
    /// One <c>run_tests</c> job: its runs, one after the other, and their outcomes. Survives a domain reload
    /// as text. Only <see cref="Enter"/> changes its state, and never out of a final one.
    /// </summary>
    internal sealed class TestJob
    {
        public TestJob(string id, string filter, IEnumerable<TestPhase> phases)
        {
            Id = id;
            Filter = filter;
            Phases = phases.ToArray();
        }

        public string Id { get; }

        /// <summary>Part of the full names of its tests; null for all.</summary>
        public string Filter { get; }

        public IReadOnlyList<TestPhase> Phases { get; }

        public TestJobState State { get; private set; }

        public bool Ended => State != TestJobState.Queued && State != TestJobState.Running;

        /// <summary>How many of its runs have ended.</summary>
        public int RunsEnded { get; private set; }

        public bool AllRunsEnded => RunsEnded == Phases.Count;

        /// <summary>The kind of the current or the next run.</summary>
        public TestPhase Phase => Phases[Math.Min(RunsEnded, Phases.Count - 1)];

        /// <summary>The test runner's id for the current run; null between runs.</summary>
        public string RunId { get; private set; }

        /// <summary>Whether the test runner has begun the current run.</summary>
        public bool RunStarted { get; private set; }

        /// <summary>Whether files changed outside the Editor were imported for this job.</summary>
        public bool Refreshed { get; set; }

        /// <summary>Whether to test the loaded code even if it is older than the scripts.</summary>
        public bool MayBeOld { get; set; }

        public bool CancelRequested { get; private set; }

        /// <summary>Whether the run will end early, possibly without an event.</summary>
        public bool CancelUnderWay { get; private set; }

        /// <summary>The tests of the ended runs.</summary>
        public TestCounts Before { get; private set; } = new TestCounts();

        /// <summary>The tests of the current run that have ended.</summary>
        public TestCounts Now { get; private set; } = new TestCounts();

        /// <summary>How many tests the current run has.</summary>
        public int Total { get; private set; }

        /// <summary>The running test; null between tests.</summary>
        public string Current { get; set; }

        public FailedTests Failures { get; private set; } = new FailedTests();

        /// <summary>Why it failed; null if it has not.</summary>
        public ToolFailure Failure { get; private set; }

        public DateTime EndedUtc { get; private set; }

        /// <summary>Whether the server knows the outcome.</summary>
        public bool Confirmed { get; set; }

        /// <summary>Change the state; false if it is already final.</summary>
        public bool Enter(TestJobState state, ToolFailure failure, DateTime nowUtc)
        {
            if (Ended)
            {
                return false;
            }

            State = state;
            if (Ended)
            {
                Failure = failure;
                EndedUtc = nowUtc;
            }

            return true;
        }

        /// <summary>Note that a run was started.</summary>
        /// <param name="total">How many tests it has; 0 if unknown.</param>
        public void RunHandedOver(string runId, int total)
        {
            RunId = runId;
            Total = total;
        }

        /// <param name="underWay">Whether the test runner is ending the run.</param>
        public void RequestCancel(bool underWay)
        {
            CancelRequested = true;
            CancelUnderWay = underWay;
        }

        /// <param name="total">How many tests the runner knows, which may be more than it runs.</param>
        public void RunBegan(int total)
        {
            RunStarted = true;
            Total = Total > 0 ? Total : total;
        }

        /// <summary>Note that the current run has ended; the next one follows.</summary>
        public void RunEnded(TestCounts counts)
        {
            Before = Before.Plus(counts);
            Now = new TestCounts();
            Total = 0;
            Current = null;
            RunStarted = false;
            RunId = null;
            RunsEnded++;
        }

        public void TestEnded(TestCounts one)
        {
            Now = Now.Plus(one);
            Current = null;
        }

        /// <summary>
        /// The beginning of a failure's message: what did not run, if some tests have run; otherwise empty.
        /// </summary>
        public string WhatHasNotRun()
        {
            if (Ran.Total == 0)
            {
                return "";
            }

            if (Now.Total == 0 && !AllRunsEnded)
            {
                return $"The {Phases[0]}Mode tests have run, the {Phase}Mode tests have not. ";
            }

            return AllRunsEnded ? "" : $"Not all {Phase}Mode tests have run. ";
        }

        /// <summary>The tests that have run, of all runs.</summary>
        private TestCounts Ran => Before.Plus(Now);

        /// <summary>The job as it is now.</summary>
        public TestJobStatus Snapshot()
        {
            // After a reload a runner may report a test again: never count more than there are.
            var completed = Before.Total + (Total > 0 ? Math.Min(Now.Total, Total) : Now.Total);
            var total = Math.Max(completed, Before.Total + Total);
            var failures = Ended ? Failures.ToList() : null;
            return new TestJobStatus(Id, State, completed, total, Current, Ran, failures, Failure);
        }

        public void Write(FieldWriter fields)
        {
            fields.Add(Id);
            fields.Add(Filter);
            fields.Add(Phases.Count);
            foreach (var phase in Phases)
            {
                fields.Add((long)phase);
            }

            fields.Add((long)State);
            fields.Add(RunsEnded);
            fields.Add(RunId);
            fields.Add(RunStarted);
            fields.Add(CancelRequested);
            fields.Add(CancelUnderWay);
            Before.Write(fields);
            Now.Write(fields);
            fields.Add(Total);
            fields.Add(Current);
            Failures.Write(fields);
            ToolFailure.Write(Failure, fields);
            fields.Add(EndedUtc.Ticks);
            fields.Add(Confirmed);
            fields.Add(Refreshed);
            fields.Add(MayBeOld);
        }

        public static TestJob Read(FieldReader fields)
        {
            var id = fields.Text();
            var filter = fields.Text();
            var phases = Enumerable.Range(0, fields.Count(2)).Select(_ => (TestPhase)fields.Number()).ToArray();
            var job = new TestJob(id, filter, phases)
            {
                State = (TestJobState)fields.Number(),
                RunsEnded = (int)fields.Number(),
                RunId = fields.Text(),
                RunStarted = fields.Flag(),
                CancelRequested = fields.Flag(),
                CancelUnderWay = fields.Flag(),
                Before = TestCounts.Read(fields),
                Now = TestCounts.Read(fields),
                Total = (int)fields.Number(),
                Current = fields.Text(),
                Failures = FailedTests.Read(fields),
            };
            job.Failure = ToolFailure.Read(fields);
            job.EndedUtc = new DateTime(fields.Number(), DateTimeKind.Utc);
            job.Confirmed = fields.Flag();
            job.Refreshed = fields.Flag();
            job.MayBeOld = fields.Flag();
            return job;
        }
    }
}
