using System;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Net.WebSockets;
using System.Security.Cryptography;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace UnityMcpPlugin
{
    /// <summary>
    /// One WebSocket to the server, on our own TCP socket, so that <see cref="Abort"/> ends every operation
    /// on it at once, from any thread and in any state. Its calls block the calling thread, so no
    /// continuation of ours ever runs on a foreign thread.
    /// </summary>
    internal sealed class BridgeSocket : IDisposable
    {
        /// <summary>
        /// Returned by <see cref="Open"/> if a token would be sent, but the server did not prove itself.
        /// </summary>
        public const int NotProven = -1;

        private const int BufferBytes = 16384;

        private readonly Socket _tcp = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        private readonly byte[] _buffer = new byte[BufferBytes];
        private readonly ManualResetEvent _abortion = new ManualResetEvent(false);
        private WebSocket _webSocket;
        private int _aborted;

        public BridgeSocket() => _tcp.NoDelay = true;

        /// <summary>
        /// Connect and shake hands. Returns the HTTP status: 101 if the WebSocket is open, 0 if nobody
        /// listens or the listener isn't our server, or <see cref="NotProven"/>.
        /// </summary>
        /// <param name="access">
        /// The token to send once the server has proved itself on this connection.
        /// </param>
        /// <exception cref="TimeoutException">There was no answer in time.</exception>
        public int Open(int port, ServerAccess access, int timeoutMs)
        {
            var deadline = Deadline(timeoutMs);
            if (!Connect(port, deadline))
            {
                return 0;
            }

            var stream = new NetworkStream(_tcp, false);
            var token = access.TokenFor(port);
            if (!string.IsNullOrEmpty(token) && !Proves(stream, port, access, deadline))
            {
                return NotProven;
            }

            var handshake = new WebSocketHandshake(RandomBytes(16));
            var request = handshake.Request(port, token);
            Finish(stream.WriteAsync(request, 0, request.Length), deadline);
            var status = handshake.StatusOf(ReadHead(stream, deadline));
            if (status == 101)
            {
                _webSocket = WebSocket.CreateClientWebSocket(
                    stream,
                    null,
                    BufferBytes,
                    BufferBytes,
                    Timeout.InfiniteTimeSpan,
                    false,
                    WebSocket.CreateClientBuffer(BufferBytes, BufferBytes));
            }

            return status;
        }

        /// <summary>
        /// Receive one text message; null if the server has closed the connection. Binary messages and those
        /// above the limit end the connection.
        /// </summary>
        /// <param name="timeoutMs">
        /// How long to wait for each part; <c>Timeout.Infinite</c> for no limit.
        /// </param>
        /// <exception cref="TimeoutException">
        /// None came in time; the connection can't be used any more.
        /// </exception>
        public string Receive(int timeoutMs)
        {
            using (var message = new MemoryStream())
            {
                while (true)
                {
                    var receiving = _webSocket.ReceiveAsync(new ArraySegment<byte>(_buffer), CancellationToken.None);
                    Finish(receiving, () => timeoutMs);
                    var part = receiving.Result;
                    if (part.MessageType == WebSocketMessageType.Close)
                    {
                        return null;
                    }

                    message.Write(_buffer, 0, part.Count);
                    if (part.MessageType == WebSocketMessageType.Binary || message.Length > WireFrames.MaxMessageBytes)
                    {
                        throw new IOException("The server broke the protocol: a binary or oversize message.");
                    }

                    if (part.EndOfMessage)
                    {
                        return Encoding.UTF8.GetString(message.GetBuffer(), 0, (int)message.Length);
                    }
                }
            }
        }

        /// <summary>Send one text message. Only one thread at a time may call it.</summary>
        public void Send(byte[] message) => _webSocket
            .SendAsync(new ArraySegment<byte>(message), WebSocketMessageType.Text, true, CancellationToken.None)
            .GetAwaiter().GetResult();

        /// <summary>
        /// Send a close frame, within a time limit. Must not be called while a message is being sent.
        /// </summary>
        public void SendClose(WebSocketCloseStatus status, string reason, int timeoutMs)
        {
            if (_webSocket != null && _webSocket.State != WebSocketState.Aborted)
            {
                _webSocket.CloseOutputAsync(status, reason, CancellationToken.None).Wait(timeoutMs);
            }
        }

        /// <summary>
        /// End the connection at once: every call on it returns or throws. Callable from any thread,
        /// repeatedly.
        /// </summary>
        public void Abort()
        {
            if (Interlocked.Exchange(ref _aborted, 1) == 0)
            {
                _abortion.Set();
                try
                {
                    // Not a reset, so that a close frame sent before still arrives.
                    _tcp.Shutdown(SocketShutdown.Both);
                }
                catch (Exception failure) when (failure is SocketException || failure is ObjectDisposedException)
                {
                    // It was not connected, or no longer is.
                }

                _tcp.Close();
                _webSocket?.Dispose();
            }
        }

        public void Dispose() => Abort();

        /// <summary>
        /// Connect; false if nobody listens. No exception, because without a server that happens every
        /// second.
        /// </summary>
        private bool Connect(int port, Func<int> deadline)
        {
            using (var connecting = new SocketAsyncEventArgs())
            using (var connected = new ManualResetEvent(false))
            {
                connecting.RemoteEndPoint = new IPEndPoint(IPAddress.Loopback, port);
                connecting.Completed += (sender, arguments) => Set(connected);
                if (_tcp.ConnectAsync(connecting))
                {
                    WaitHandle.WaitAny(new WaitHandle[] { connected, _abortion }, deadline());
                }

                return connecting.SocketError == SocketError.Success && _tcp.Connected;
            }
        }

        private static void Set(EventWaitHandle handle)
        {
            try
            {
                handle.Set();
            }
            catch (ObjectDisposedException)
            {
                // Nobody waits any more.
            }
        }

        private static bool Proves(Stream stream, int port, ServerAccess access, Func<int> deadline)
        {
            var proof = new ServerProof(RandomBytes(ServerProof.NonceBytes));
            var question = proof.Request(port);
            Finish(stream.WriteAsync(question, 0, question.Length), deadline);
            var body = new byte[Math.Max(0, ServerProof.LengthOf(ReadHead(stream, deadline)))];
            for (var read = 0; read < body.Length;)
            {
                var reading = stream.ReadAsync(body, read, body.Length - read);
                Finish(reading, deadline);
                if (reading.Result == 0)
                {
                    return false;
                }

                read += reading.Result;
            }

            // A server that has just started writes its file before it answers.
            return proof.IsProof(Encoding.UTF8.GetString(body), port, access.FileOf(port));
        }

        private static byte[] RandomBytes(int count)
        {
            var bytes = new byte[count];
            using (var random = RandomNumberGenerator.Create())
            {
                random.GetBytes(bytes);
            }

            return bytes;
        }

        private static string ReadHead(Stream stream, Func<int> deadline)
        {
            // Byte by byte, so that no byte of the first frame is consumed.
            var one = new byte[1];
            var head = new StringBuilder();
            while (head.Length < WebSocketHandshake.MaxAnswerBytes)
            {
                var reading = stream.ReadAsync(one, 0, 1);
                Finish(reading, deadline);
                if (reading.Result == 0)
                {
                    break;
                }

                head.Append((char)one[0]);
                if (one[0] == '\n' && head.Length >= 4 && head.ToString(head.Length - 4, 4) == "\r\n\r\n")
                {
                    break;
                }
            }

            return head.ToString();
        }

        private static Func<int> Deadline(int timeoutMs)
        {
            var clock = System.Diagnostics.Stopwatch.StartNew();
            return () => (int)Math.Max(0, timeoutMs - clock.ElapsedMilliseconds);
        }

        private static void Finish(Task task, Func<int> deadline)
        {
            bool finished;
            try
            {
                finished = task.Wait(deadline());
            }
            catch (AggregateException failure)
            {
                System.Runtime.ExceptionServices.ExceptionDispatchInfo.Capture(failure.GetBaseException()).Throw();
                throw;
            }

            if (!finished)
            {
                throw new TimeoutException();
            }
        }
    }
}
