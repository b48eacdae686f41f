using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Newtonsoft.Json.Linq;

namespace UnityMcpPlugin
{
    /// <summary>A command that the worker runs.</summary>
    internal sealed class WorkerCommand
    {
        public WorkerCommand(string requestId, string name, Func<JObject> run)
        {
            RequestId = requestId;
            Name = name;
            Run = run;
        }

        public string RequestId { get; }

        /// <summary>The tool's name, for messages.</summary>
        public string Name { get; }

        /// <summary>Runs it and returns the answer's frame.</summary>
        public Func<JObject> Run { get; }
    }

    /// <summary>
    /// The thread that works for the connection: it runs the commands that don't need the main thread, gives
    /// up those that wait for it too long, and sends answers and states. So a slow command never delays the
    /// receiving thread, and a slow socket never delays the main thread.
    /// </summary>
    internal sealed class BridgeWorker
    {
        public const int MaxCommands = 64;

        /// <summary>Most open requests that a <c>hello</c> can name; see unity_bridge/plugin/wire_schemas.py.</summary>
        private const int MaxOpen = 256;

        /// <summary>How often the worker looks for answers while the main thread runs commands.</summary>
        private const int LookMs = 2;

        private readonly object _gate = new object();
        private readonly Queue<WorkerCommand> _commands = new Queue<WorkerCommand>();
        private readonly Queue<Func<JObject>> _answers = new Queue<Func<JObject>>();
        private readonly Outbox _outbox = new Outbox();
        private readonly HashSet<string> _open = new HashSet<string>();
        private readonly MainThreadDispatcher _dispatcher;
        private readonly StatusBoard _board;
        private readonly Action _look;
        private readonly IBridgeLog _log;
        private readonly Func<long> _nowMs;
        private readonly Thread _thread;
        private BridgeSession _session;
        private bool _busy;
        private bool _stopped;
        private long _lookAtMs;
        private string _toldFailure;

        /// <param name="look">Called every <see cref="MainThreadWatch.LookMs"/>, on this thread.</param>
        public BridgeWorker(
            MainThreadDispatcher dispatcher, StatusBoard board, Action look, IBridgeLog log, Func<long> nowMs)
        {
            _dispatcher = dispatcher;
            _board = board;
            _look = look;
            _log = log;
            _nowMs = nowMs;
            _thread = new Thread(Run) { IsBackground = true, Name = "Unity MCP worker" };
        }

        public void Start()
        {
            _board.Changed += OnStatusChanged;
            _thread.Start();
        }

        /// <summary>Note a new request; it is open until its answer is sent.</summary>
        public void Took(string requestId)
        {
            lock (_gate)
            {
                _open.Add(requestId);
            }
        }

        /// <summary>
        /// The requests whose answers are not sent yet, including those of earlier domains.
        /// </summary>
        public IReadOnlyList<string> OpenRequests()
        {
            lock (_gate)
            {
                var unsent = _outbox.All.Select(answer => answer.RequestId).Where(id => id != null);
                return _open.Concat(unsent).Distinct().Take(MaxOpen).ToArray();
            }
        }

        /// <summary>Run a command on this thread; returns a failure if that is impossible.</summary>
        public ToolFailure Post(WorkerCommand command)
        {
            lock (_gate)
            {
                if (_stopped)
                {
                    return ToolFailure.Reloading(command.Name);
                }

                if (_commands.Count >= MaxCommands)
                {
                    return new ToolFailure(
                        ToolFailure.QueueFull, $"{MaxCommands} commands wait already; {command.Name} did not run.");
                }

                _commands.Enqueue(command);
                Monitor.PulseAll(_gate);
                return null;
            }
        }

        /// <summary>
        /// Send an answer, now or in the next session. Any thread; never waits for the socket.
        /// </summary>
        /// <param name="frame">Makes the frame, on this thread.</param>
        public void Answer(Func<JObject> frame)
        {
            lock (_gate)
            {
                _answers.Enqueue(frame);
                Monitor.PulseAll(_gate);
            }
        }

        /// <summary>
        /// Send an answer from the main thread. This does not wake the worker, which would then compete with
        /// the main thread; the worker finds the answer within <see cref="LookMs"/>.
        /// </summary>
        public void AnswerFromMainThread(Func<JObject> frame)
        {
            lock (_gate)
            {
                _answers.Enqueue(frame);
            }
        }

        /// <summary>Send the answers that an earlier domain could not send.</summary>
        public void Restore(IEnumerable<Outgoing> answers)
        {
            lock (_gate)
            {
                foreach (var answer in answers)
                {
                    _outbox.Add(answer);
                }
            }
        }

        /// <summary>Send through this session, which the server has accepted.</summary>
        public void SessionOpened(BridgeSession session)
        {
            lock (_gate)
            {
                _session = session;
                Monitor.PulseAll(_gate);
            }
        }

        /// <summary>End the use of a session; no effect if another one is already in use.</summary>
        public void SessionClosed(BridgeSession session)
        {
            lock (_gate)
            {
                if (_session == session)
                {
                    _session = null;
                    Monitor.PulseAll(_gate);
                }
            }
        }

        /// <summary>Wake this thread, because something has changed, for example a deadline.</summary>
        public void Wake()
        {
            lock (_gate)
            {
                Monitor.PulseAll(_gate);
            }
        }

        /// <summary>Wait until everything is sent, the session is gone, or the time is over.</summary>
        public void Drain(int budgetMs)
        {
            var until = _nowMs() + budgetMs;
            lock (_gate)
            {
                while (_session != null && (_busy || HasWork()))
                {
                    var left = (int)(until - _nowMs());
                    if (left <= 0)
                    {
                        return;
                    }

                    Monitor.Wait(_gate, left);
                }
            }
        }

        /// <summary>Begin no more work; aborting the socket ends what is being sent.</summary>
        public void Stop()
        {
            _board.Changed -= OnStatusChanged;
            lock (_gate)
            {
                _stopped = true;
                Monitor.PulseAll(_gate);
            }
        }

        /// <summary>Wait for the thread to end; false after a timeout.</summary>
        public bool Join(int timeoutMs) => !_thread.IsAlive || _thread.Join(timeoutMs);

        /// <summary>
        /// The answers that were not sent, including those of commands that never started. Job states are not
        /// among them: they are reported again.
        /// </summary>
        public IReadOnlyList<Outgoing> Unsent()
        {
            lock (_gate)
            {
                foreach (var command in _commands)
                {
                    _answers.Enqueue(() => WireFrames.Error(command.RequestId, ToolFailure.Reloading(command.Name)));
                }

                _commands.Clear();
                return _outbox.All.Concat(_answers.Select(Bounded)).Where(answer => !answer.IsToldAnew).ToArray();
            }
        }

        private void OnStatusChanged(StatusReport report) => Wake();

        private void Run()
        {
            while (TakeWork(out var command, out var session))
            {
                try
                {
                    Work(command, session);
                }
                catch (Exception failure) when (!(failure is ThreadAbortException))
                {
                    // An unhandled exception on a thread ends the whole Editor.
                    Failed(failure);
                }

                lock (_gate)
                {
                    _busy = false;
                    Monitor.PulseAll(_gate);
                }
            }
        }

        // A failed task may still be there, and fail again at once: it is logged once, and retried at the
        // pace of the other checks.
        private void Failed(Exception failure)
        {
            var told = failure.ToString();
            if (told != _toldFailure)
            {
                _toldFailure = told;
                _log.Warning($"A command failed unexpectedly: {told}");
            }

            lock (_gate)
            {
                if (!_stopped)
                {
                    Monitor.Wait(_gate, MainThreadWatch.LookMs);
                }
            }
        }

        private void Work(WorkerCommand command, BridgeSession session)
        {
            if (command != null)
            {
                var answer = command.Run();
                Answer(() => answer);
            }

            if (_nowMs() >= _lookAtMs)
            {
                _lookAtMs = _nowMs() + MainThreadWatch.LookMs;
                _look();
            }

            foreach (var answer in _dispatcher.Expired(_board.Now.Blocked?.Dialog))
            {
                Answer(answer);
            }

            if (session != null)
            {
                Send(session);
            }
        }

        private bool TakeWork(out WorkerCommand command, out BridgeSession session)
        {
            lock (_gate)
            {
                while (!_stopped && !HasWork() && !(_dispatcher.NextDeadlineMs <= _nowMs()) && _nowMs() < _lookAtMs)
                {
                    Monitor.Wait(_gate, _dispatcher.IsBusy ? LookMs : MainThreadWatch.LookMs);
                }

                command = !_stopped && _commands.Count > 0 ? _commands.Dequeue() : null;
                session = _session;
                _busy = !_stopped;
                return !_stopped;
            }
        }

        private bool HasWork() => _commands.Count > 0 ||
            (_session != null && (_answers.Count > 0 || _outbox.Count > 0 || _board.Now.Seq > _session.ToldSeq));

        private void Send(BridgeSession session)
        {
            try
            {
                var report = _board.Now;
                if (report.Seq > session.ToldSeq)
                {
                    session.ToldSeq = report.Seq;
                    session.Send(WireFrames.ToBytes(WireFrames.EditorStatus(report, _nowMs())));
                }

                for (var next = NextAnswer(); next != null; next = NextAnswer())
                {
                    session.Send(next.Bytes);
                    lock (_gate)
                    {
                        _outbox.Remove(next);
                    }
                }
            }
            catch (Exception failure) when (!(failure is ThreadAbortException))
            {
                // What was not sent stays for the next session, which the receiving thread opens.
                SessionClosed(session);
                session.Abort();
            }
        }

        private Outgoing NextAnswer()
        {
            Func<JObject> fresh;
            lock (_gate)
            {
                if (_stopped)
                {
                    return null;
                }

                if (_answers.Count == 0)
                {
                    return _outbox.First;
                }

                fresh = _answers.Dequeue();
            }

            var answer = Bounded(fresh);
            lock (_gate)
            {
                _outbox.Add(answer);
                if (answer.RequestId != null)
                {
                    _open.Remove(answer.RequestId);
                }

                return _outbox.First;
            }
        }

        /// <summary>The answer's bytes, or those of an error with the answer's size.</summary>
        private Outgoing Bounded(Func<JObject> makes)
        {
            var answer = makes();
            var requestId = (string)answer["request_id"];
            var bytes = WireFrames.ToBytes(answer);
            if (bytes.Length <= WireFrames.MaxMessageBytes)
            {
                return new Outgoing(requestId, bytes, requestId == null && (string)answer["type"] == "job_status");
            }

            _log.Warning($"The answer to {requestId} has {bytes.Length} bytes and was not sent.");
            var failure = TooLarge(bytes.Length);
            return new Outgoing(requestId, WireFrames.ToBytes((string)answer["type"] == "result"
                ? WireFrames.FailedResult(requestId, failure)
                : WireFrames.Error(requestId, failure)));
        }

        private static ToolFailure TooLarge(long bytes) => new ToolFailure(
            ToolFailure.ResultTooLarge,
            $"The answer has {bytes} bytes; at most {WireFrames.MaxMessageBytes} can be sent. Ask for less.");
    }
}
