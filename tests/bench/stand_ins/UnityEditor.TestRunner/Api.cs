using System;
using System.Collections.Generic;

namespace UnityEditor.TestTools.TestRunner.Api
{
    [Flags]
    public enum TestMode
    {
        EditMode = 1,
        PlayMode = 2,
    }

    public enum TestStatus
    {
        Inconclusive,
        Skipped,
        Passed,
        Failed,
    }

    public enum RunState
    {
        NotRunnable,
        Runnable,
        Explicit,
        Skipped,
        Ignored,
    }

    public interface ITestAdaptor
    {
        string Id { get; }

        string Name { get; }

        string FullName { get; }

        int TestCaseCount { get; }

        bool HasChildren { get; }

        bool IsSuite { get; }

        IEnumerable<ITestAdaptor> Children { get; }

        ITestAdaptor Parent { get; }

        string UniqueName { get; }

        RunState RunState { get; }

        bool IsTestAssembly { get; }

        TestMode TestMode { get; }
    }

    public interface ITestResultAdaptor
    {
        ITestAdaptor Test { get; }

        string Name { get; }

        string FullName { get; }

        string ResultState { get; }

        TestStatus TestStatus { get; }

        double Duration { get; }

        DateTime StartTime { get; }

        DateTime EndTime { get; }

        string Message { get; }

        string StackTrace { get; }

        int AssertCount { get; }

        int FailCount { get; }

        int PassCount { get; }

        int SkipCount { get; }

        int InconclusiveCount { get; }

        bool HasChildren { get; }

        IEnumerable<ITestResultAdaptor> Children { get; }

        string Output { get; }
    }

    public interface ICallbacks
    {
        void RunStarted(ITestAdaptor testsToRun);

        void RunFinished(ITestResultAdaptor result);

        void TestStarted(ITestAdaptor test);

        void TestFinished(ITestResultAdaptor result);
    }

    public interface IErrorCallbacks : ICallbacks
    {
        void OnError(string message);
    }

    [Serializable]
    public class Filter
    {
        public TestMode testMode;
        public string[] testNames;
        public string[] groupNames;
        public string[] categoryNames;
        public string[] assemblyNames;
    }

    [Serializable]
    public class ExecutionSettings
    {
        public Filter[] filters;
        public bool runSynchronously;

        public ExecutionSettings(params Filter[] filtersToExecute) => filters = filtersToExecute;
    }
}
