using System;
using System.Collections.Generic;
using System.Globalization;
using Newtonsoft.Json.Linq;

namespace UnityMcpPlugin
{
    /// <summary>A command that has to run on the Editor's main thread.</summary>
    internal sealed class MainThreadCommand
    {
        public MainThreadCommand(string requestId, string name, long deadlineMs, Func<Func<JObject>> run)
        {
            RequestId = requestId;
            Name = name;
            DeadlineMs = deadlineMs;
            Run = run;
        }

        public string RequestId { get; }

        /// <summary>The tool's name, for messages.</summary>
        public string Name { get; }

        /// <summary>When it is given up if it has not started.</summary>
        public long DeadlineMs { get; }

        /// <summary>
        /// Runs it and returns a function that makes the answer's frame, on another thread.
        /// </summary>
        public Func<Func<JObject>> Run { get; }
    }

    /// <summary>
    /// Commands for the main thread, which takes them once per update. The wait is bounded: a caller of <see
    /// cref="Expired"/> answers for a blocked main thread. A command is run or given up, never both. Times
    /// are milliseconds of one clock.
    /// </summary>
    internal sealed class MainThreadDispatcher
    {
        public const int MaxWaiting = 64;

        /// <summary>How long one update may spend on commands; the rest waits for the next update.</summary>
        public const long UpdateBudgetMs = 3;

        private readonly object _gate = new object();
        private readonly LinkedList<MainThreadCommand> _waiting = new LinkedList<MainThreadCommand>();
        private readonly Func<long> _nowMs;
        private long _lastUpdateMs;
        private bool _running;
        private bool _closed;

        public MainThreadDispatcher(Func<long> nowMs)
        {
            _nowMs = nowMs;
            _lastUpdateMs = nowMs();
        }

        /// <summary>Whether a command waits for the main thread, or runs on it.</summary>
        public bool IsBusy
        {
            get
            {
                lock (_gate)
                {
                    return _running || _waiting.Count > 0;
                }
            }
        }

        /// <summary>When the main thread's last update was.</summary>
        public long LastUpdateMs
        {
            get
            {
                lock (_gate)
                {
                    return _lastUpdateMs;
                }
            }
        }

        /// <summary>When the next waiting command is given up; null if none waits.</summary>
        public long? NextDeadlineMs
        {
            get
            {
                lock (_gate)
                {
                    long? first = null;
                    foreach (var command in _waiting)
                    {
                        first = first < command.DeadlineMs ? first : command.DeadlineMs;
                    }

                    return first;
                }
            }
        }

        /// <summary>Queue a command for the main thread; returns a failure if that is impossible.</summary>
        public ToolFailure Post(MainThreadCommand command)
        {
            lock (_gate)
            {
                if (_closed)
                {
                    return ToolFailure.Reloading(command.Name);
                }

                if (_waiting.Count >= MaxWaiting)
                {
                    return new ToolFailure(
                        ToolFailure.QueueFull,
                        $"{MaxWaiting} commands wait for the Editor's main thread already; {command.Name} did not run.");
                }

                _waiting.AddLast(command);
                return null;
            }
        }

        /// <summary>
        /// Run waiting commands within the update's budget. Called in each update of the main loop.
        /// </summary>
        public void Update(Action<Func<JObject>> answer)
        {
            var started = _nowMs();
            lock (_gate)
            {
                _lastUpdateMs = started;
            }

            do
            {
                var command = Take();
                if (command == null)
                {
                    return;
                }

                try
                {
                    answer(command.Run());
                }
                finally
                {
                    lock (_gate)
                    {
                        _running = false;
                    }
                }
            }
            while (_nowMs() - started < UpdateBudgetMs);
        }

        /// <summary>Give up the commands whose time is over; returns their answers.</summary>
        /// <param name="dialog">The title of the open dialog; null if none is visible.</param>
        public IReadOnlyList<Func<JObject>> Expired(string dialog)
        {
            var expired = new List<MainThreadCommand>();
            long blockedMs;
            lock (_gate)
            {
                var now = _nowMs();
                blockedMs = now - _lastUpdateMs;
                for (var node = _waiting.First; node != null;)
                {
                    var next = node.Next;
                    if (node.Value.DeadlineMs <= now)
                    {
                        expired.Add(node.Value);
                        _waiting.Remove(node);
                    }

                    node = next;
                }
            }

            return Refused(expired, command => Blocked(command, blockedMs, dialog));
        }

        /// <summary>
        /// Give up all waiting commands before the domain is unloaded; returns their answers.
        /// </summary>
        public IReadOnlyList<Func<JObject>> Close()
        {
            List<MainThreadCommand> left;
            lock (_gate)
            {
                _closed = true;
                left = new List<MainThreadCommand>(_waiting);
                _waiting.Clear();
            }

            return Refused(left, command => ToolFailure.Reloading(command.Name));
        }

        private MainThreadCommand Take()
        {
            lock (_gate)
            {
                var first = _waiting.First?.Value;
                if (first != null)
                {
                    _waiting.RemoveFirst();
                    _running = true;
                }

                return first;
            }
        }

        // Loops, here and above, instead of Select and Where: during a domain unload, the worker and the main
        // thread may run this at the same moment for the first time. If two threads compile the same generic
        // method, Mono 6.8 can crash, or never load the type again.
        private static IReadOnlyList<Func<JObject>> Refused(
            IEnumerable<MainThreadCommand> commands, Func<MainThreadCommand, ToolFailure> why)
        {
            var answers = new List<Func<JObject>>();
            foreach (var command in commands)
            {
                answers.Add(() => WireFrames.Error(command.RequestId, why(command)));
            }

            return answers;
        }

        private static ToolFailure Blocked(MainThreadCommand command, long blockedMs, string dialog)
        {
            var seconds = (blockedMs / 1000.0).ToString("0.0", CultureInfo.InvariantCulture);
            var why = dialog == null
                ? "a dialog, an import or a script that doesn't return. Look at the Editor, then try again."
                : $"the dialog \"{dialog}\". Answer it in the Editor, then try again.";
            return new ToolFailure(
                ToolFailure.EditorNotReady,
                $"{command.Name} did not run: the Editor's main thread has been blocked for {seconds} s, by {why}");
        }
    }
}
