using System;
using System.Collections.Generic;
using System.Linq;
using UnityEditor;
using UnityEditor.TestTools.TestRunner.Api;
using UnityEngine;

namespace UnityMcpPlugin
{
    /// <summary>Unity's test runner: starts and cancels runs, and passes its events to the jobs.</summary>
    internal sealed class UnityTestRunner : ITestRunner, IErrorCallbacks
    {
        /// <summary>Number of updates after which the effect of an import is certain.</summary>
        private const int UpdatesToSettle = 2;

        private static readonly RunnerMembers Members = new RunnerMembers(typeof(TestRunnerApi));

        private readonly TestRunnerApi _api = ScriptableObject.CreateInstance<TestRunnerApi>();
        private readonly CompilationRecord _compilation;
        private TestJobs _jobs;
        private int _updatesToSettle;

        public UnityTestRunner(CompilationRecord compilation) => _compilation = compilation;

        public bool CodeIsBroken => EditorUtility.scriptCompilationFailed;

        public IReadOnlyList<CompilerIssue> CompilerErrors => _compilation.Errors;

        public bool IsCompiling => EditorApplication.isCompiling || EditorApplication.isUpdating;

        public bool IsSettling => _updatesToSettle > 0 || IsCompiling;

        public bool IsPlaying => EditorApplication.isPlayingOrWillChangePlaymode;

        public bool IsBusy => Members.IsAnyRunActive();

        /// <summary>
        /// Report every run to the jobs from now on, including one that began before a domain reload.
        /// </summary>
        public void Listen(TestJobs jobs)
        {
            _jobs = jobs;
            _api.hideFlags = HideFlags.HideAndDontSave;
            _api.RegisterCallbacks(this);
        }

        /// <summary>Called in each update of the main loop.</summary>
        public void Update() => _updatesToSettle = Math.Max(0, _updatesToSettle - 1);

        public void StopListening()
        {
            _api.UnregisterCallbacks(this);
            UnityEngine.Object.DestroyImmediate(_api);
        }

        public void Refresh()
        {
            _updatesToSettle = UpdatesToSettle;
            AssetDatabase.Refresh();
        }

        public IReadOnlyList<string> UnsavedScenes() => UnityMcpPlugin.UnsavedScenes.Names();

        public void Select(TestPhase phase, string filter, Action<TestSelection> selected) =>
            _api.RetrieveTestList(Mode(phase), root => selected(TestSelection.Of(Node(root, true), filter)));

        public string Start(TestPhase phase, string[] names) =>
            _api.Execute(new ExecutionSettings(new Filter { testMode = Mode(phase), testNames = names }));

        public bool Cancel(string runId) => Members.CancelTestRun(runId);

        public void LeavePlayMode() => EditorApplication.isPlaying = false;

        void ICallbacks.RunStarted(ITestAdaptor testsToRun) => _jobs.OnRunStarted(testsToRun == null ? 0 : testsToRun.TestCaseCount);

        void ICallbacks.TestStarted(ITestAdaptor test)
        {
            if (!test.IsSuite)
            {
                _jobs.OnTestStarted(test.FullName);
            }
        }

        void ICallbacks.TestFinished(ITestResultAdaptor result)
        {
            if (!result.Test.IsSuite)
            {
                _jobs.OnTestFinished(result.FullName, One(result), result.Message, result.StackTrace);
            }
        }

        void ICallbacks.RunFinished(ITestResultAdaptor result) => _jobs.OnRunFinished(
            new TestCounts(
                result.PassCount,
                result.FailCount,
                result.SkipCount,
                result.InconclusiveCount,
                result.Duration * 1000),
            () => FailedIn(result));

        void IErrorCallbacks.OnError(string message) => _jobs.OnError(message);

        private static TestCounts One(ITestResultAdaptor result)
        {
            int Is(TestStatus status) => result.TestStatus == status ? 1 : 0;
            return new TestCounts(
                Is(TestStatus.Passed),
                Is(TestStatus.Failed),
                Is(TestStatus.Skipped),
                Is(TestStatus.Inconclusive),
                result.Duration * 1000);
        }

        private static TestMode Mode(TestPhase phase) => phase == TestPhase.Play ? TestMode.PlayMode : TestMode.EditMode;

        private static TestNode Node(ITestAdaptor test, bool isRoot) => new TestNode(
            test.FullName ?? "",
            test.RunState == RunState.Explicit,
            !isRoot && !test.IsTestAssembly,
            test.IsSuite ? (test.Children ?? Enumerable.Empty<ITestAdaptor>()).Select(child => Node(child, false)) : null);

        private static IEnumerable<(string Name, string Message, string StackTrace)> FailedIn(ITestResultAdaptor result)
        {
            if (!result.HasChildren)
            {
                if (!result.Test.IsSuite && result.TestStatus == TestStatus.Failed)
                {
                    yield return (result.FullName, result.Message, result.StackTrace);
                }

                yield break;
            }

            foreach (var child in result.Children)
            {
                foreach (var failed in FailedIn(child))
                {
                    yield return failed;
                }
            }
        }
    }
}
