namespace UnityMcpPlugin
{
    /// <summary>Unity's test runner, as the jobs need it. Main thread.</summary>
    internal interface ITestRunner
    {
        /// <summary>Whether the project's code doesn't compile: tests would run what compiled last.</summary>
        bool CodeIsBroken { get; }

        bool IsPlaying { get; }

        /// <summary>Start a run and return what the runner calls it; the events that follow are its own.</summary>
        string Start(TestPhase phase, string filter);

        /// <summary>Cancel a run; false where the runner can't.</summary>
        bool Cancel(string runId);

        /// <summary>Leave play mode, which ends a run of PlayMode tests.</summary>
        void LeavePlayMode();
    }
}
