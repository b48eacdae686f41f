using System;
using System.Collections.Generic;

namespace UnityMcpPlugin
{
    /// <summary>Unity's test runner, as the jobs need it. Main thread.</summary>
    internal interface ITestRunner
    {
        /// <summary>
        /// Whether the project's code doesn't compile: tests would run the last code that did.
        /// </summary>
        bool CodeIsBroken { get; }

        /// <summary>The errors of the last compilation, as far as known.</summary>
        IReadOnlyList<CompilerIssue> CompilerErrors { get; }

        /// <summary>Whether scripts are being compiled, or will be at once.</summary>
        bool IsCompiling { get; }

        /// <summary>Whether it isn't clear yet if the last import has led to a compilation.</summary>
        bool IsSettling { get; }

        bool IsPlaying { get; }

        /// <summary>Whether any run is in progress, as far as the runner reports it.</summary>
        bool IsBusy { get; }

        /// <summary>
        /// Import files changed outside the Editor, which may begin a compilation; may take long.
        /// </summary>
        void Refresh();

        /// <summary>
        /// The names of open scenes with unsaved changes: the runner would ask about them with a dialog.
        /// </summary>
        IReadOnlyList<string> UnsavedScenes();

        /// <summary>Find the tests of a run; calls back in a later update, or never.</summary>
        /// <param name="filter">Part of their full names; null for all.</param>
        void Select(TestPhase phase, string filter, Action<TestSelection> selected);

        /// <summary>
        /// Start a run and return the runner's id for it; the following events are about this run.
        /// </summary>
        /// <param name="names">The names of the selected tests and suites; null for all.</param>
        string Start(TestPhase phase, string[] names);

        /// <summary>Cancel a run; false if the runner can't.</summary>
        bool Cancel(string runId);

        /// <summary>Leave play mode, which ends a run of PlayMode tests.</summary>
        void LeavePlayMode();
    }
}
