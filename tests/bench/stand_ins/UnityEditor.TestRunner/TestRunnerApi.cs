using System;
using System.Collections.Generic;
using System.Linq;
using UnityBench.Contract;
using UnityEngine;

namespace UnityEditor.TestTools.TestRunner.Api
{
    public class TestRunnerApi : ScriptableObject
    {
        private static readonly SortedList<int, List<ICallbacks>> s_Callbacks = new SortedList<int, List<ICallbacks>>();

        /// <summary>Begins a run. Where a filter has both modes, EditMode tests are all that runs.</summary>
        public string Execute(ExecutionSettings executionSettings)
        {
            BenchSide.MainThreadOnly("Execute");
            var filters = executionSettings.filters ?? new Filter[0];
            var modes = filters.Aggregate((TestMode)0, (all, filter) => all | filter.testMode);
            if (modes == 0)
            {
                throw new ArgumentException("Filters need a test mode");
            }

            var names = filters.SelectMany(filter => filter.testNames ?? new string[0]).ToArray();
            var groups = filters.SelectMany(filter => filter.groupNames ?? new string[0]).ToArray();
            return BenchSide.Editor.StartTests((modes & TestMode.EditMode) == 0, names, groups);
        }

        public void RegisterCallbacks<T>(T testCallbacks, int priority = 0) where T : ICallbacks
        {
            if (!s_Callbacks.TryGetValue(-priority, out var same))
            {
                s_Callbacks[-priority] = same = new List<ICallbacks>();
            }

            same.Add(testCallbacks);
        }

        public void UnregisterCallbacks<T>(T testCallbacks) where T : ICallbacks
        {
            foreach (var same in s_Callbacks.Values)
            {
                same.Remove(testCallbacks);
            }
        }

        /// <summary>Calls back after the current update, as Unity does.</summary>
        public void RetrieveTestList(TestMode testMode, Action<ITestAdaptor> callback)
        {
            BenchSide.MainThreadOnly("RetrieveTestList");
            var names = BenchSide.Editor.TestNames(testMode == TestMode.PlayMode);
            var step = new TestStep
            {
                Play = testMode == TestMode.PlayMode,
                Tests = names.Select(name => new TestCase { FullName = name }).ToArray(),
            };
            EditorApplication.delayCall += () => callback(new TestTree(step).Root);
        }

        /// <summary>Not public in any version; what it tells of runs by hand is right since 1.4.</summary>
        internal static bool IsRunActive() => BenchSide.Editor.TestsActive;

        /// <summary>Only EditMode runs can be cancelled; in older versions it is not public.</summary>
        internal static bool CancelTestRun(string guid) => BenchSide.Editor.CancelTests(guid);

        internal static void Step(TestStep step)
        {
            var run = new TestTree(step);
            switch (step.Moment)
            {
                case TestMoment.RunStarted:
                    Each(callbacks => callbacks.RunStarted(run.Root));
                    break;
                case TestMoment.RunFinished:
                    Each(callbacks => callbacks.RunFinished(run.Root));
                    break;
                case TestMoment.Started:
                    foreach (var node in run.BeginningWith(step.Index))
                    {
                        Each(callbacks => callbacks.TestStarted(node));
                    }

                    break;
                case TestMoment.Finished:
                    foreach (var node in run.EndingWith(step.Index))
                    {
                        Each(callbacks => callbacks.TestFinished(node));
                    }

                    break;
                default:
                    Each(callbacks => (callbacks as IErrorCallbacks)?.OnError(step.Message));
                    break;
            }
        }

        private static void Each(Action<ICallbacks> call)
        {
            foreach (var callbacks in s_Callbacks.Values.SelectMany(same => same).ToArray())
            {
                try
                {
                    call(callbacks);
                }
                catch (Exception exception) when (!(exception is System.Threading.ThreadAbortException))
                {
                    Debug.LogException(exception);
                }
            }
        }
    }
}
