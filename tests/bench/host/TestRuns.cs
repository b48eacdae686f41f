using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using UnityBench.Contract;

namespace UnityBench
{
    /// <summary>The test runner: one run at a time, a test takes its time, reloads do not end it.</summary>
    internal sealed class TestRuns
    {
        private readonly Editor m_Editor;
        private readonly List<DefinedTest> m_Defined = new List<DefinedTest>();
        private readonly Queue<Run> m_Waiting = new Queue<Run>();
        private readonly object m_Gate = new object();
        private Run m_Run;
        private string m_FirstLogged;
        private string m_FirstError;

        internal TestRuns(Editor editor) => m_Editor = editor;

        internal bool Active => m_Run != null || m_Waiting.Count > 0;

        internal string[] Names(bool play) =>
            m_Defined.Where(test => test.Play == play).Select(test => test.FullName).ToArray();

        internal void Clear() => m_Defined.Clear();

        internal void Define(DefinedTest test) => m_Defined.Add(test);

        /// <summary>Queues a run of the tests that the names or the patterns select; all without either.</summary>
        internal string Start(bool play, string[] names, string[] groups)
        {
            var filter = new TestFilter(names, groups);
            var chosen = m_Defined.Where(test => test.Play == play && filter.Passes(test));
            var run = new Run(Guid.NewGuid().ToString(), play, chosen.ToArray());
            m_Waiting.Enqueue(run);
            return run.Id;
        }

        /// <summary>Cancels the run that is under way, as the Test Runner window does.</summary>
        internal bool Cancel() => m_Run != null && Cancel(m_Run.Id);

        /// <summary>Cancels an EditMode run; PlayMode runs cannot be.</summary>
        internal bool Cancel(string id)
        {
            var run = m_Run?.Id == id ? m_Run : m_Waiting.FirstOrDefault(each => each.Id == id);
            if (run == null || run.Play || run.Cancelled)
            {
                return false;
            }

            run.Cancelled = true;
            return true;
        }

        /// <summary>Something was logged: an error fails the test that runs meanwhile, anything a strict one. Any thread.</summary>
        internal void Logged(string type, string message)
        {
            lock (m_Gate)
            {
                m_FirstLogged = m_FirstLogged ?? "[" + type + "] " + message;
                if (type == "Error" || type == "Assert" || type == "Exception")
                {
                    m_FirstError = m_FirstError ?? "[" + type + "] " + message;
                }
            }
        }

        internal void Update()
        {
            if (m_Run == null)
            {
                Begin();
            }
            else if (m_Run.Play && !m_Editor.PlayMode.Playing)
            {
                // It waits for play mode, which it has asked for; left early, it ends there.
                if (m_Run.Announced)
                {
                    m_Run.Cancelled = true;
                    Proceed();
                }
            }
            else
            {
                Proceed();
            }
        }

        private void Begin()
        {
            if (m_Waiting.Count == 0)
            {
                return;
            }

            m_Run = m_Waiting.Dequeue();
            if (!m_Editor.Scenes.SaveIfUserWantsTo())
            {
                m_Run = null; // Cancelled in the dialog, it is gone: nobody is told.
            }
            else if (m_Run.Play)
            {
                m_Editor.PlayMode.Request(true);
            }
        }

        private void Proceed()
        {
            if (!m_Run.Announced)
            {
                m_Run.Announced = true;
                Tell(TestMoment.RunStarted, 0);
                Output.Write("run_started", "tests", m_Run.Cases.Length, "play", m_Run.Play);
            }

            if (m_Run.Cancelled || m_Run.Next == m_Run.Cases.Length)
            {
                End();
                return;
            }

            if (m_Run.Watch == null)
            {
                m_Run.Watch = Stopwatch.StartNew();
                lock (m_Gate)
                {
                    m_FirstLogged = null;
                    m_FirstError = null;
                }

                Tell(TestMoment.Started, m_Run.Next);
                Output.Write("test_started", "name", m_Run.Cases[m_Run.Next].FullName);
            }

            var test = m_Run.Defined[m_Run.Next];
            if (m_Run.Watch.ElapsedMilliseconds >= test.DurationMs)
            {
                var ended = m_Run.Cases[m_Run.Next];
                var unexpected = Unexpected(test);
                ended.Outcome = unexpected != null ? "Failed" : test.Strict ? "Passed" : test.Outcome;
                ended.Message = unexpected ?? test.Message;
                ended.StackTrace = ended.Outcome == "Failed" ? "at " + test.FullName + " () [0x00000] in Tests.cs:1" : "";
                ended.Duration = m_Run.Watch.Elapsed.TotalSeconds;
                m_Run.Watch = null;
                Tell(TestMoment.Finished, m_Run.Next++);
                Output.Write("test_finished", "name", ended.FullName, "outcome", ended.Outcome);
            }
        }

        private void End()
        {
            var run = m_Run;
            Tell(TestMoment.RunFinished, 0);
            m_Run = null;
            if (run.Play)
            {
                m_Editor.PlayMode.Request(false);
            }

            Output.Write("run_finished", "cancelled", run.Cancelled);
        }

        private string Unexpected(DefinedTest test)
        {
            lock (m_Gate)
            {
                var unexpected = test.Strict ? m_FirstLogged : m_FirstError;
                return unexpected == null ? null : "Unhandled log message: '" + unexpected + "'";
            }
        }

        private void Tell(TestMoment moment, int index)
        {
            var tests = moment == TestMoment.RunStarted
                ? Names(m_Run.Play).Select(name => new TestCase { FullName = name }).ToArray()
                : m_Run.Cases;
            var step = new TestStep { Moment = moment, Index = index, Play = m_Run.Play, Tests = tests };
            m_Editor.Durations.Time(() => m_Editor.Domain.Tests(step));
        }

        private sealed class Run
        {
            internal Run(string id, bool play, DefinedTest[] tests)
            {
                Id = id;
                Play = play;
                Defined = tests;
                Cases = tests.Select(test => new TestCase { FullName = test.FullName }).ToArray();
            }

            internal string Id { get; }

            internal bool Play { get; }

            internal DefinedTest[] Defined { get; }

            internal TestCase[] Cases { get; }

            internal bool Announced { get; set; }

            internal bool Cancelled { get; set; }

            internal int Next { get; set; }

            internal Stopwatch Watch { get; set; }
        }
    }

    /// <summary>A test of the Editor's project: what it is called and what comes of it.</summary>
    internal sealed class DefinedTest
    {
        internal DefinedTest(bool play, string fullName, string outcome, int durationMs, string message)
        {
            Play = play;
            FullName = fullName;
            Outcome = outcome;
            DurationMs = durationMs;
            Message = message;
        }

        internal bool Play { get; }

        internal string FullName { get; }

        internal string Outcome { get; }

        /// <summary>It passes unless anything is logged meanwhile.</summary>
        internal bool Strict => Outcome == "Strict";

        internal int DurationMs { get; }

        internal string Message { get; }
    }
}
