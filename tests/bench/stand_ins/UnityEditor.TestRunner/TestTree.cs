using System;
using System.Collections.Generic;
using System.Linq;
using UnityBench.Contract;

namespace UnityEditor.TestTools.TestRunner.Api
{
    /// <summary>The tests of a run as a tree: project, assembly, class, test.</summary>
    internal sealed class TestTree
    {
        private readonly List<TestNode> m_Tests = new List<TestNode>();

        internal TestTree(TestStep step)
        {
            var mode = step.Play ? TestMode.PlayMode : TestMode.EditMode;
            Root = new TestNode(null, "Project", "Project", mode, null);
            var name = TestStep.AssemblyOf(step.Play);
            var assembly = new TestNode(Root, name, name, mode, null) { IsTestAssembly = true };
            var suites = new Dictionary<string, TestNode> { [""] = assembly };
            foreach (var test in step.Tests)
            {
                var dot = test.FullName.LastIndexOf('.');
                var parent = Suite(suites, mode, test.FullName.Substring(0, Math.Max(0, dot)));
                m_Tests.Add(new TestNode(parent, test.FullName.Substring(dot + 1), test.FullName, mode, test));
            }
        }

        internal TestNode Root { get; }

        /// <summary>A class or a namespace, inside of those that it is in.</summary>
        private static TestNode Suite(Dictionary<string, TestNode> suites, TestMode mode, string fullName)
        {
            if (!suites.TryGetValue(fullName, out var suite))
            {
                var dot = fullName.LastIndexOf('.');
                var parent = Suite(suites, mode, fullName.Substring(0, Math.Max(0, dot)));
                suites[fullName] = suite = new TestNode(parent, fullName.Substring(dot + 1), fullName, mode, null);
            }

            return suite;
        }

        /// <summary>A test, after the suites that begin with it.</summary>
        internal IEnumerable<TestNode> BeginningWith(int index)
        {
            var suites = m_Tests[index].Ancestors().Where(suite => suite.Cases().First() == m_Tests[index]);
            return suites.Reverse().Append(m_Tests[index]);
        }

        /// <summary>A test, before the suites that end with it.</summary>
        internal IEnumerable<TestNode> EndingWith(int index)
        {
            var suites = m_Tests[index].Ancestors().Where(suite => suite.Cases().Last() == m_Tests[index]);
            return suites.Prepend(m_Tests[index]);
        }
    }

    /// <summary>A test or suite, and what came of it.</summary>
    internal sealed class TestNode : ITestAdaptor, ITestResultAdaptor
    {
        private readonly List<TestNode> m_Children = new List<TestNode>();
        private readonly TestCase m_Case;
        private readonly TestNode m_Parent;

        internal TestNode(TestNode parent, string name, string fullName, TestMode mode, TestCase test)
        {
            m_Parent = parent;
            m_Case = test;
            Name = name;
            FullName = fullName;
            TestMode = mode;
            parent?.m_Children.Add(this);
        }

        public string Id => UniqueName;

        public string Name { get; }

        public string FullName { get; }

        public string UniqueName => (m_Parent == null ? "" : m_Parent.UniqueName + "/") + FullName;

        public TestMode TestMode { get; }

        public bool IsTestAssembly { get; set; }

        public bool IsSuite => m_Case == null;

        public bool HasChildren => m_Children.Count > 0;

        public int TestCaseCount => Cases().Count();

        public RunState RunState => RunState.Runnable;

        public ITestAdaptor Parent => m_Parent;

        public ITestAdaptor Test => this;

        IEnumerable<ITestAdaptor> ITestAdaptor.Children => m_Children;

        IEnumerable<ITestResultAdaptor> ITestResultAdaptor.Children => m_Children;

        public int FailCount => Count(TestStatus.Failed);

        public int PassCount => Count(TestStatus.Passed);

        public int SkipCount => Count(TestStatus.Skipped);

        public int InconclusiveCount => Count(TestStatus.Inconclusive);

        public int AssertCount => PassCount + FailCount;

        public double Duration => IsSuite ? m_Children.Sum(child => child.Duration) : m_Case.Duration;

        public DateTime StartTime => DateTime.UtcNow.AddSeconds(-Duration);

        public DateTime EndTime => DateTime.UtcNow;

        public string Output => "";

        public string Message =>
            !IsSuite ? m_Case.Message ?? "" : FailCount > 0 ? "One or more child tests had errors" : "";

        public string StackTrace => IsSuite ? "" : m_Case.StackTrace ?? "";

        public string ResultState => TestStatus.ToString();

        public TestStatus TestStatus
        {
            get
            {
                if (!IsSuite)
                {
                    return m_Case.Outcome == null
                        ? TestStatus.Inconclusive
                        : (TestStatus)Enum.Parse(typeof(TestStatus), m_Case.Outcome);
                }

                return FailCount > 0 ? TestStatus.Failed
                    : PassCount > 0 ? TestStatus.Passed
                    : SkipCount > 0 ? TestStatus.Skipped
                    : TestStatus.Inconclusive;
            }
        }

        internal IEnumerable<TestNode> Cases() => IsSuite ? m_Children.SelectMany(child => child.Cases()) : new[] { this };

        internal IEnumerable<TestNode> Ancestors()
        {
            for (var suite = m_Parent; suite != null; suite = suite.m_Parent)
            {
                yield return suite;
            }
        }

        private int Count(TestStatus status) =>
            Cases().Count(test => test.m_Case.Outcome != null && test.TestStatus == status);
    }
}
