using System;
using System.Collections.Generic;

namespace UnityMcpPlugin
{
    /// <summary>Unity's test runner, as the jobs need it. Main thread.</summary>
    internal interface ITestRunner
    {
        /// <summary>Whether the project's code doesn't compile: tests would run what compiled last.</summary>
        bool CodeIsBroken { get; }

        /// <summary>The compiler's errors of the last compilation, as far as they were seen.</summary>
        IReadOnlyList<CompilerIssue> CompilerErrors { get; }

        /// <summary>Whether scripts are being compiled, or will be at once.</summary>
        bool IsCompiling { get; }

        /// <summary>Whether it can't be seen yet if the last import has led to a compilation.</summary>
        bool IsSettling { get; }

        bool IsPlaying { get; }

        /// <summary>Whether a run is under way, anybody's, as far as the runner tells.</summary>
        bool IsBusy { get; }

        /// <summary>Import what was changed outside the Editor, which may begin a compilation; it takes what time it takes.</summary>
        void Refresh();

        /// <summary>What is open and not saved, by name: the runner would ask about it with a dialog.</summary>
        IReadOnlyList<string> UnsavedScenes();

        /// <summary>Find out which tests a run would have; it calls back in a later update, or never.</summary>
        /// <param name="filter">Part of their full names; null for all.</param>
        void Select(TestPhase phase, string filter, Action<TestSelection> selected);

        /// <summary>Start a run and return what the runner calls it; the events that follow are its own.</summary>
        /// <param name="names">Of tests and suites, as selected; null for all.</param>
        string Start(TestPhase phase, string[] names);

        /// <summary>Cancel a run; false where the runner can't.</summary>
        bool Cancel(string runId);

        /// <summary>Leave play mode, which ends a run of PlayMode tests.</summary>
        void LeavePlayMode();
    }
}
