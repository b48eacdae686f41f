using System;

namespace UnityBench.Contract
{
    /// <summary>What happens in a test run.</summary>
    public enum TestMoment
    {
        /// <summary>The run begins; every test is named.</summary>
        RunStarted,

        /// <summary>A test begins.</summary>
        Started,

        /// <summary>A test has ended.</summary>
        Finished,

        /// <summary>The run has ended, or was cancelled: tests that did not run have no outcome.</summary>
        RunFinished,

        /// <summary>The run could not be carried out.</summary>
        Error,
    }

    /// <summary>One moment of a test run, with the whole run as it is then.</summary>
    [Serializable]
    public sealed class TestStep
    {
        /// <summary>What happens.</summary>
        public TestMoment Moment;

        /// <summary>The test that it happens to.</summary>
        public int Index;

        /// <summary>Whether the run is one of PlayMode tests.</summary>
        public bool Play;

        /// <summary>For an error, its message.</summary>
        public string Message;

        /// <summary>
        /// The tests of the run, in order; as it begins all of the project's, as the test framework
        /// tells of the whole tree then.
        /// </summary>
        public TestCase[] Tests;

        /// <summary>The file of the assembly that the tests of a mode are in.</summary>
        public static string AssemblyOf(bool play) => play ? "Bench.PlayTests.dll" : "Bench.EditTests.dll";
    }

    /// <summary>One test, and what came of it.</summary>
    [Serializable]
    public sealed class TestCase
    {
        /// <summary>Namespace, class and method, joined by dots.</summary>
        public string FullName;

        /// <summary>Passed, Failed, Skipped or Inconclusive; null before it ended.</summary>
        public string Outcome;

        /// <summary>Why it failed or was skipped.</summary>
        public string Message;

        /// <summary>Where it failed.</summary>
        public string StackTrace;

        /// <summary>How long it took, in seconds.</summary>
        public double Duration;
    }
}
