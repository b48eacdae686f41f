using System;
using System.IO;
using System.Net.WebSockets;
using System.Threading;

namespace UnityMcpPlugin
{
    /// <summary>
    /// The connection to the server during this domain: connects, sends <c>hello</c>, receives, and
    /// reconnects. One thread does all of it; it answers pings itself.
    /// </summary>
    internal sealed class BridgeConnection
    {
        public const int OpenTimeoutMs = 5000;

        /// <summary>How long notifying the old server of a changed port may block the main thread.</summary>
        private const int LeaveBudgetMs = 4;

        /// <summary>
        /// The server's message that it serves another Editor; see unity_bridge/plugin/session_hello.py.
        /// </summary>
        private const string SecondEditorMessage = "another Unity websocket session is already active";

        /// <summary>
        /// The server's message that it works in another project than this Editor; see there.
        /// </summary>
        private const string OtherProjectMessage = "this server works in another project";

        /// <summary>How often to look for the project's own server between two attempts.</summary>
        private const int LookMs = 1000;

        private readonly object _gate = new object();
        private readonly EditorIdentity _who;
        private readonly StatusBoard _board;
        private readonly BridgeWorker _worker;
        private readonly Action<IncomingFrame> _route;
        private readonly IBridgeLog _log;
        private readonly Func<long> _nowMs;
        private readonly ReconnectPolicy _policy;
        private readonly Thread _thread;
        private readonly PluginState _plugin;
        private readonly ServerAccess _access;
        private readonly Func<int?> _ownPort;
        private int _port;
        private bool _named;
        private PortChange _change;
        private PortChangeOutcome? _outcome;
        private BridgeSocket _socket;
        private BridgeSession _session;
        private ConnectionState _state = ConnectionState.Connecting;
        private long _connectedMs;
        private bool _again;
        private bool _stopped;

        public BridgeConnection(
            int port,
            ServerAccess access,
            EditorIdentity who,
            PluginState plugin,
            StatusBoard board,
            BridgeWorker worker,
            Action<IncomingFrame> route,
            IBridgeLog log,
            Func<long> nowMs,
            Func<double> random,
            string told,
            Func<int?> ownPort = null)
        {
            _ownPort = ownPort ?? (() => null);
            _port = port;
            _access = access;
            _who = who;
            _plugin = plugin;
            _board = board;
            _worker = worker;
            _route = route;
            _log = log;
            _nowMs = nowMs;
            _policy = new ReconnectPolicy(random, told);
            _thread = new Thread(Run) { IsBackground = true, Name = "Unity MCP connection" };
        }

        public ConnectionState State
        {
            get
            {
                lock (_gate)
                {
                    return _state;
                }
            }
        }

        /// <summary>The port that is in use, or being tried.</summary>
        public int Port
        {
            get
            {
                lock (_gate)
                {
                    return _port;
                }
            }
        }

        /// <summary>How long the server has been connected, in milliseconds; 0 while it isn't.</summary>
        public long ConnectedForMs
        {
            get
            {
                lock (_gate)
                {
                    return _state == ConnectionState.Connected ? Math.Max(1, _nowMs() - _connectedMs) : 0;
                }
            }
        }

        /// <summary>Whether another port is being tried.</summary>
        public bool ChangesPort
        {
            get
            {
                lock (_gate)
                {
                    return _change != null;
                }
            }
        }

        /// <summary>The last message to the user about a conflict that isn't over; null for none.</summary>
        public string Told
        {
            get
            {
                lock (_gate)
                {
                    return _policy.Told;
                }
            }
        }

        public void Start() => _thread.Start();

        /// <summary>
        /// Leave the server and try another port; false if a change is already in progress.
        /// </summary>
        public bool ChangePort(int port)
        {
            BridgeSession session;
            lock (_gate)
            {
                if (_change != null || _stopped)
                {
                    return false;
                }

                _change = new PortChange(_port, port, _nowMs());
                _outcome = null;
                session = _session;
                UsePort(port);
            }

            Leave(session, "the port was changed");
            return true;
        }

        /// <summary>
        /// Returns the outcome of the last change of the port, once; null while it is in progress or if there
        /// was none.
        /// </summary>
        public PortChangeOutcome? TakeOutcome()
        {
            lock (_gate)
            {
                var outcome = _outcome;
                _outcome = null;
                return outcome;
            }
        }

        /// <summary>
        /// End for good, within the budget plus a moment for the threads: notify the server if it listens,
        /// then abort everything in progress.
        /// </summary>
        public void Stop(string reason, int budgetMs)
        {
            var until = _nowMs() + budgetMs;
            BridgeSession session;
            lock (_gate)
            {
                _stopped = true;
                session = _session;
                Monitor.PulseAll(_gate);
            }

            if (session != null && session.Accepted)
            {
                session.Close(WebSocketCloseStatus.EndpointUnavailable, reason, Left(until));

                // The server's own close frame ends the thread, so nothing is cut off.
                _thread.Join(Left(until));
            }

            lock (_gate)
            {
                _socket?.Abort();
            }
        }

        /// <summary>Wait for the thread to end; false after a timeout.</summary>
        public bool Join(int timeoutMs) => !_thread.IsAlive || _thread.Join(timeoutMs);

        private int Left(long until) => (int)Math.Max(0, until - _nowMs());

        private void Leave(BridgeSession session, string reason)
        {
            if (session != null)
            {
                session.Close(WebSocketCloseStatus.NormalClosure, reason, LeaveBudgetMs);
                session.Abort();
            }
        }

        private void UsePort(int port)
        {
            _port = port;
            _named = true;
            _again = true;
            Monitor.PulseAll(_gate);
        }

        private void Run()
        {
            while (BeginAttempt(out var socket, out var port))
            {
                var end = Attempt(socket, port);
                if (!Ended(end))
                {
                    return;
                }
            }
        }

        private bool BeginAttempt(out BridgeSocket socket, out int port)
        {
            // Outside of the lock, for which the main thread may wait.
            socket = new BridgeSocket();
            var own = _ownPort();
            lock (_gate)
            {
                if (!_named && own != null && own != _port)
                {
                    _port = own.Value;
                    _policy.PortChanged();
                }

                port = _port;
                _socket = socket;
                if (_stopped)
                {
                    socket.Dispose();
                }

                if (_again)
                {
                    _again = false;
                    _policy.PortChanged();
                }

                return !_stopped;
            }
        }

        /// <summary>
        /// Handles the end of an attempt: gives up a port, or waits; returns false if this was the last.
        /// </summary>
        private bool Ended(ConnectionEnd end)
        {
            string toTell;
            int delay;
            lock (_gate)
            {
                if (_stopped)
                {
                    return false;
                }

                var outcome = _again ? null : _change?.Failed(end, _nowMs());
                if (outcome != null)
                {
                    SettleChange(outcome.Value);
                }

                if (_again)
                {
                    _state = ConnectionState.Connecting;
                    return true;
                }

                delay = _policy.AfterEnd(end, out toTell);
                _state = end == ConnectionEnd.Rejected ? ConnectionState.Rejected
                    : end == ConnectionEnd.NotAuthorized ? ConnectionState.NotAuthorized
                    : end == ConnectionEnd.NotProven ? ConnectionState.NotProven
                    : ConnectionState.Connecting;
            }

            if (toTell != null)
            {
                _log.Warning(toTell);
            }

            return Pause(delay);
        }

        private bool Pause(int delayMs)
        {
            var until = _nowMs() + delayMs;
            while (true)
            {
                // Outside of the lock, for which the main thread may wait.
                var own = _ownPort();
                lock (_gate)
                {
                    if (_stopped || _again || Left(until) == 0 || (!_named && own != null && own != _port))
                    {
                        return !_stopped;
                    }

                    Monitor.Wait(_gate, Math.Min(LookMs, Left(until)));
                }
            }
        }

        private void SettleChange(PortChangeOutcome outcome)
        {
            _outcome = outcome;
            _change = null;
            if (!outcome.Succeeded)
            {
                UsePort(outcome.Port);
            }
        }

        private ConnectionEnd Attempt(BridgeSocket socket, int port)
        {
            var session = new BridgeSession(socket);
            var reached = new Progress();
            try
            {
                var status = socket.Open(port, _access, OpenTimeout());
                if (status == 101)
                {
                    Introduce(session);
                    ReceiveAll(socket, session, port, reached);
                }

                reached.NotAuthorized = status == 401;
                reached.NotProven = status == BridgeSocket.NotProven;
            }
            catch (Exception failure) when (!(failure is ThreadAbortException))
            {
                // Nobody listens, the connection broke, or it was aborted: all are handled alike.
            }
            finally
            {
                _worker.SessionClosed(session);
                lock (_gate)
                {
                    _session = null;
                }

                socket.Abort();
            }

            return reached.OtherProject ? ConnectionEnd.OtherProject
                : reached.Rejected ? ConnectionEnd.Rejected
                : reached.NotAuthorized ? ConnectionEnd.NotAuthorized
                : reached.NotProven ? ConnectionEnd.NotProven
                : session.Accepted ? ConnectionEnd.Lost
                : ConnectionEnd.NotReached;
        }

        private int OpenTimeout()
        {
            lock (_gate)
            {
                return _change == null ? OpenTimeoutMs : (int)Math.Max(1, Math.Min(OpenTimeoutMs, _change.LeftMs(_nowMs())));
            }
        }

        private void Introduce(BridgeSession session)
        {
            var state = _board.Restart();
            session.Send(WireFrames.ToBytes(WireFrames.Hello(_who, _plugin, _worker.OpenRequests(), state)));
            lock (_gate)
            {
                if (_stopped)
                {
                    throw new IOException("The domain goes down.");
                }

                _session = session;
            }
        }

        private void ReceiveAll(BridgeSocket socket, BridgeSession session, int port, Progress reached)
        {
            while (true)
            {
                // A running server answers a hello at once.
                var text = socket.Receive(session.Accepted ? Timeout.Infinite : OpenTimeout());
                if (text == null)
                {
                    return;
                }

                var frame = IncomingFrame.Read(text);
                if (frame.Problem != null)
                {
                    _worker.Answer(() => WireFrames.Error(null, new ToolFailure(ToolFailure.InvalidRequest, frame.Problem)));
                }
                else if (frame.Type == "ping")
                {
                    session.Send(WireFrames.ToBytes(WireFrames.Pong(_board.Now, _nowMs())));
                }
                else if (frame.Type == "hello")
                {
                    Accepted(session, port);
                }
                else if (frame.Type == "error")
                {
                    reached.Rejected = !session.Accepted && frame.ErrorMessage.Contains(SecondEditorMessage);
                    reached.OtherProject = !session.Accepted && frame.ErrorMessage.Contains(OtherProjectMessage);
                    if (!reached.Rejected && !reached.OtherProject)
                    {
                        _log.Warning($"The server reports {frame.ErrorCode}: {frame.ErrorMessage}");
                    }
                }
                else
                {
                    _route(frame);
                }
            }
        }

        private void Accepted(BridgeSession session, int port)
        {
            session.Accepted = true;
            lock (_gate)
            {
                _policy.SessionOpened();
                if (_stopped || _again)
                {
                    return;
                }

                _state = ConnectionState.Connected;
                _connectedMs = _nowMs();
                if (_change != null && port == _change.NewPort)
                {
                    SettleChange(_change.Accepted());
                }
            }

            _worker.SessionOpened(session);
        }

        /// <summary>How far an attempt came.</summary>
        private sealed class Progress
        {
            public bool Rejected;
            public bool OtherProject;
            public bool NotAuthorized;
            public bool NotProven;
        }
    }
}
