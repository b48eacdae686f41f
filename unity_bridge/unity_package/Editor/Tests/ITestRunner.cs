using System;

namespace UnityMcpPlugin
{
    /// <summary>Unity's test runner, as the jobs need it. Main thread.</summary>
    internal interface ITestRunner
    {
        /// <summary>Whether the project's code doesn't compile: tests would run what compiled last.</summary>
        bool CodeIsBroken { get; }

        bool IsPlaying { get; }

        /// <summary>Whether a run is under way, anybody's, as far as the runner tells.</summary>
        bool IsBusy { get; }

        /// <summary>Find out how many tests a run would have; it calls back in a later update, or never.</summary>
        void Count(TestPhase phase, string filter, Action<int> counted);

        /// <summary>Start a run and return what the runner calls it; the events that follow are its own.</summary>
        string Start(TestPhase phase, string filter);

        /// <summary>Cancel a run; false where the runner can't.</summary>
        bool Cancel(string runId);

        /// <summary>Leave play mode, which ends a run of PlayMode tests.</summary>
        void LeavePlayMode();
    }
}
