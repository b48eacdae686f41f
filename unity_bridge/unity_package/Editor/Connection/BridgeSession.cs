using System;
using System.Diagnostics;
using System.Net.WebSockets;
using System.Threading;

namespace UnityMcpPlugin
{
    /// <summary>The sending side of one connection: one message at a time, from any thread.</summary>
    internal sealed class BridgeSession
    {
        private readonly object _sending = new object();
        private readonly BridgeSocket _socket;
        private volatile bool _accepted;

        public BridgeSession(BridgeSocket socket) => _socket = socket;

        /// <summary>Whether the server has answered the <c>hello</c>, and so serves this Editor.</summary>
        public bool Accepted
        {
            get => _accepted;
            set => _accepted = value;
        }

        /// <summary>The number of the last reported state; used by the worker's thread only.</summary>
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
        /// Send a close frame within <paramref name="budgetMs"/>. A message that is being sent gets half of
        /// that to end; no close frame is sent after one that doesn't.
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
                // The connection is already gone; it is aborted next.
            }
            finally
            {
                Monitor.Exit(_sending);
            }
        }

        public void Abort() => _socket.Abort();
    }
}
