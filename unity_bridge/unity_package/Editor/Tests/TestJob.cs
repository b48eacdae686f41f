using System;
using System.Collections.Generic;
using System.Linq;

namespace UnityMcpPlugin
{
    /// <summary>Where a job stands, in the words of the wire.</summary>
    internal enum TestJobState
    {
        Queued,
        Running,
        Succeeded,
        Failed,
        Cancelled,
    }

    /// <summary>Which tests a run has: Unity runs EditMode and PlayMode tests in separate runs.</summary>
    internal enum TestPhase
    {
        Edit,
        Play,
    }

    /// <summary>
    /// One <c>run_tests</c> job: its runs, one after the other, and what they came to. It goes
    /// through a domain reload as text. Its state changes in <see cref="Enter"/> only, never out
    /// of one in which it has ended.
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

        /// <summary>Part of the full names of the tests that it runs; null for all.</summary>
        public string Filter { get; }

        public IReadOnlyList<TestPhase> Phases { get; }

        public TestJobState State { get; private set; }

        public bool Ended => State != TestJobState.Queued && State != TestJobState.Running;

        /// <summary>How many of its runs are over.</summary>
        public int RunsEnded { get; private set; }

        public bool AllRunsEnded => RunsEnded == Phases.Count;

        /// <summary>The kind of the run that is under way, or next.</summary>
        public TestPhase Phase => Phases[Math.Min(RunsEnded, Phases.Count - 1)];

        /// <summary>What the test runner calls the run that is under way; null between runs.</summary>
        public string RunId { get; private set; }

        /// <summary>The test runner has begun the run that is under way.</summary>
        public bool RunStarted { get; private set; }

        /// <summary>What was changed outside the Editor has been imported for it.</summary>
        public bool Refreshed { get; set; }

        /// <summary>What is loaded is tested, whether or not it is what the scripts say.</summary>
        public bool MayBeOld { get; set; }

        public bool CancelRequested { get; private set; }

        /// <summary>The run will end early; the test runner need not tell of it.</summary>
        public bool CancelUnderWay { get; private set; }

        /// <summary>The tests of the runs that are over.</summary>
        public TestCounts Before { get; private set; } = new TestCounts();

        /// <summary>The tests of the run that is under way, as they end.</summary>
        public TestCounts Now { get; private set; } = new TestCounts();

        /// <summary>How many tests the run that is under way has.</summary>
        public int Total { get; private set; }

        /// <summary>The test that runs; null between tests.</summary>
        public string Current { get; set; }

        public FailedTests Failures { get; private set; } = new FailedTests();

        /// <summary>Why it failed; null unless it did.</summary>
        public ToolFailure Failure { get; private set; }

        public DateTime EndedUtc { get; private set; }

        /// <summary>The server knows how it ended.</summary>
        public bool Confirmed { get; set; }

        /// <summary>Change the state; false when it has ended already.</summary>
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

        /// <summary>A run was handed to the test runner.</summary>
        /// <param name="total">How many tests it has; 0 where that isn't known.</param>
        public void RunHandedOver(string runId, int total)
        {
            RunId = runId;
            Total = total;
        }

        /// <param name="underWay">The test runner ends the run.</param>
        public void RequestCancel(bool underWay)
        {
            CancelRequested = true;
            CancelUnderWay = underWay;
        }

        /// <param name="total">How many tests the runner knows of, which may be more than it runs.</param>
        public void RunBegan(int total)
        {
            RunStarted = true;
            Total = Total > 0 ? Total : total;
        }

        /// <summary>The run that was under way is over; the next one is up.</summary>
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

        /// <summary>Before the reason of a failure: what it kept from running, where some tests have run. Else empty.</summary>
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
            // After a reload a runner may tell of a test again: never more than there are.
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
