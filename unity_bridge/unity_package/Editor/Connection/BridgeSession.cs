using System;
using System.Diagnostics;
using System.Net.WebSockets;
using System.Threading;

namespace UnityMcpPlugin
{
    /// <summary>The sending side of one connection: one message at a time, whichever thread sends.</summary>
    internal sealed class BridgeSession
    {
        private readonly object _sending = new object();
        private readonly BridgeSocket _socket;
        private volatile bool _accepted;

        public BridgeSession(BridgeSocket socket) => _socket = socket;

        /// <summary>The server has answered the <c>hello</c>: from now on this is the Editor that it serves.</summary>
        public bool Accepted
        {
            get => _accepted;
            set => _accepted = value;
        }

        /// <summary>The number of the state that was told last; only the worker's thread uses it.</summary>
        public long ToldSeq { get; set; }

        /// <exception cref="Exception">The connection is gone.</exception>
        public void Send(byte[] message)
        {
            lock (_sending)
            {
                _socket.Send(message);
            }
        }

        /// <summary>
        /// Send a close frame within <paramref name="budgetMs"/>. A message that is being sent gets
        /// half of that to come to its end; a close frame is never put behind one that doesn't.
        /// </summary>
        public void Close(WebSocketCloseStatus status, string reason, int budgetMs)
        {
            var clock = Stopwatch.StartNew();
            if (!Monitor.TryEnter(_sending, budgetMs / 2))
            {
                return;
            }

            try
            {
                _socket.SendClose(status, reason, (int)Math.Max(1, budgetMs - clock.ElapsedMilliseconds));
            }
            catch (Exception failure) when (!(failure is ThreadAbortException))
            {
                // The connection is gone already; it is aborted next.
            }
            finally
            {
                Monitor.Exit(_sending);
            }
        }

        public void Abort() => _socket.Abort();
    }
}
