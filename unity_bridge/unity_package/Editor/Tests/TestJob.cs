using System;
using System.Collections.Generic;
using System.Linq;
using Newtonsoft.Json.Linq;

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
    /// through a domain reload as JSON. Its state changes in <see cref="Enter"/> only, never out
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

        /// <summary>What it came to; null before it ended, and for a cancelled one.</summary>
        public JObject Result { get; private set; }

        public DateTime EndedUtc { get; private set; }

        /// <summary>Change the state; false when it has ended already.</summary>
        public bool Enter(TestJobState state, JObject result, DateTime nowUtc)
        {
            if (Ended)
            {
                return false;
            }

            State = state;
            if (Ended)
            {
                Result = result;
                EndedUtc = nowUtc;
            }

            return true;
        }

        /// <summary>A run was handed to the test runner.</summary>
        public void RunHandedOver(string runId) => RunId = runId;

        /// <param name="underWay">The test runner ends the run.</param>
        public void RequestCancel(bool underWay)
        {
            CancelRequested = true;
            CancelUnderWay = underWay;
        }

        public void RunBegan(int total)
        {
            RunStarted = true;
            Total = total;
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

        /// <summary>The fields of <c>job_status</c>.</summary>
        public JObject ToStatus() => new JObject
        {
            ["job_id"] = Id,
            ["state"] = State.ToString().ToLowerInvariant(),
            ["progress"] = Progress(),
            ["result"] = Result,
        };

        public JObject ToJson() => new JObject
        {
            ["id"] = Id,
            ["filter"] = Filter,
            ["phases"] = new JArray(Phases.Select(phase => (object)(int)phase).ToArray()),
            ["state"] = (int)State,
            ["ended_runs"] = RunsEnded,
            ["run"] = RunId,
            ["began"] = RunStarted,
            ["cancel"] = CancelRequested,
            ["cancel_under_way"] = CancelUnderWay,
            ["before"] = Before.ToJson(),
            ["now"] = Now.ToJson(),
            ["total"] = Total,
            ["current"] = Current,
            ["failures"] = Failures.ToJson(),
            ["result"] = Result,
            ["ended_at"] = EndedUtc.Ticks,
        };

        public static TestJob FromJson(JObject json) => new TestJob(
            (string)json["id"], (string)json["filter"], json["phases"].Select(phase => (TestPhase)(int)phase))
        {
            State = (TestJobState)(int)json["state"],
            RunsEnded = (int)json["ended_runs"],
            RunId = (string)json["run"],
            RunStarted = (bool)json["began"],
            CancelRequested = (bool)json["cancel"],
            CancelUnderWay = (bool)json["cancel_under_way"],
            Before = TestCounts.FromJson((JObject)json["before"]),
            Now = TestCounts.FromJson((JObject)json["now"]),
            Total = (int)json["total"],
            Current = (string)json["current"],
            Failures = FailedTests.FromJson((JObject)json["failures"]),
            Result = json["result"] as JObject,
            EndedUtc = new DateTime((long)json["ended_at"], DateTimeKind.Utc),
        };

        private JToken Progress()
        {
            if (State == TestJobState.Queued)
            {
                return JValue.CreateNull();
            }

            // After a reload a runner may tell of a test again: never more than there are.
            var completed = Before.Total + (Total > 0 ? Math.Min(Now.Total, Total) : Now.Total);
            var progress = new JObject
            {
                ["completed"] = completed,
                ["total"] = Math.Max(completed, Before.Total + Total),
            };
            if (Current != null)
            {
                progress["current"] = Current;
            }

            return progress;
        }
    }
}
