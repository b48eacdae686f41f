using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Text.RegularExpressions;
using UnityEditor;
using UnityEditor.TestTools.TestRunner.Api;
using UnityEngine;

namespace UnityMcpPlugin
{
    /// <summary>Unity's test runner: starts and cancels runs, and passes its events on to the jobs.</summary>
    internal sealed class UnityTestRunner : ITestRunner, IErrorCallbacks
    {
        // Public since version 1.4 of the test framework; Unity 2021.3 comes with 1.1, which has none.
        private static readonly MethodInfo CancelTestRun = typeof(TestRunnerApi).GetMethod(
            "CancelTestRun",
            BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic,
            null,
            new[] { typeof(string) },
            null);

        // Internal in every version so far; where there is none, runs are told apart by their events alone.
        private static readonly MethodInfo IsRunActive = typeof(TestRunnerApi).GetMethod(
            "IsRunActive", BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic, null, Type.EmptyTypes, null);

        private readonly TestRunnerApi _api = ScriptableObject.CreateInstance<TestRunnerApi>();
        private TestJobs _jobs;

        public bool CodeIsBroken => EditorUtility.scriptCompilationFailed;

        public bool IsPlaying => EditorApplication.isPlayingOrWillChangePlaymode;

        public bool IsBusy => IsRunActive != null && (bool)IsRunActive.Invoke(null, null);

        /// <summary>Tell the jobs of every run from now on, also of one that was under way before a domain reload.</summary>
        public void Listen(TestJobs jobs)
        {
            _jobs = jobs;
            _api.hideFlags = HideFlags.HideAndDontSave;
            _api.RegisterCallbacks(this);
        }

        public void StopListening()
        {
            _api.UnregisterCallbacks(this);
            UnityEngine.Object.DestroyImmediate(_api);
        }

        public string Start(TestPhase phase, string filter)
        {
            var tests = new Filter { testMode = phase == TestPhase.Play ? TestMode.PlayMode : TestMode.EditMode };
            if (filter != null)
            {
                // The runner's group names are patterns that are looked for anywhere in a full name.
                tests.groupNames = new[] { Regex.Escape(filter) };
            }

            return _api.Execute(new ExecutionSettings(tests));
        }

        public void Count(TestPhase phase, string filter, Action<int> counted) => _api.RetrieveTestList(
            phase == TestPhase.Play ? TestMode.PlayMode : TestMode.EditMode,
            root => counted(Leaves(root).Count(name => filter == null || name.Contains(filter))));

        public bool Cancel(string runId) => CancelTestRun != null && (bool)CancelTestRun.Invoke(null, new object[] { runId });

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
                var failed = result.TestStatus == TestStatus.Failed;
                var passed = result.TestStatus == TestStatus.Passed;
                var one = new TestCounts(
                    passed ? 1 : 0, failed ? 1 : 0, passed || failed ? 0 : 1, result.Duration * 1000);
                _jobs.OnTestFinished(result.FullName, one, result.Message, result.StackTrace);
            }
        }

        void ICallbacks.RunFinished(ITestResultAdaptor result) => _jobs.OnRunFinished(
            new TestCounts(
                result.PassCount,
                result.FailCount,
                result.SkipCount + result.InconclusiveCount,
                result.Duration * 1000),
            () => FailedIn(result));

        void IErrorCallbacks.OnError(string message) => _jobs.OnError(message);

        private static IEnumerable<string> Leaves(ITestAdaptor test) => test.IsSuite
            ? test.Children.SelectMany(Leaves)
            : new[] { test.FullName };

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
