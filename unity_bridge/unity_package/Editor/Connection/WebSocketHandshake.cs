using System;
using System.Globalization;
using System.Security.Cryptography;
using System.Text;

namespace UnityMcpPlugin
{
    /// <summary>
    /// The HTTP request for a WebSocket, and the reading of its answer (RFC 6455, section 4), without I/O.
    /// <c>ClientWebSocket</c> does this too, but on Mono its handshake can't be aborted: its socket would
    /// outlive a domain reload.
    /// </summary>
    internal sealed class WebSocketHandshake
    {
        public const int MaxAnswerBytes = 16384;

        private const string AcceptSuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

        private readonly string _key;

        /// <param name="nonce">16 random bytes.</param>
        public WebSocketHandshake(byte[] nonce) => _key = Convert.ToBase64String(nonce);

        /// <param name="token">The bearer token to send; null or empty for none.</param>
        public byte[] Request(int port, string token)
        {
            var request = new StringBuilder()
                .Append("GET /unity HTTP/1.1\r\n")
                .Append("Host: 127.0.0.1:").Append(port.ToString(CultureInfo.InvariantCulture)).Append("\r\n")
                .Append("Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n")
                .Append("Sec-WebSocket-Key: ").Append(_key).Append("\r\n");
            if (!string.IsNullOrEmpty(token))
            {
                request.Append("Authorization: Bearer ").Append(token).Append("\r\n");
            }

            return Encoding.ASCII.GetBytes(request.Append("\r\n").ToString());
        }

        /// <summary>
        /// The HTTP status in the answer's head; 0 if it isn't HTTP, or answers another request.
        /// </summary>
        public int StatusOf(string head)
        {
            var lines = head.Split(new[] { "\r\n" }, StringSplitOptions.None);
            var first = lines[0].Split(' ');
            if (first.Length < 2 || !first[0].StartsWith("HTTP/1.", StringComparison.Ordinal) ||
                !int.TryParse(first[1], NumberStyles.None, CultureInfo.InvariantCulture, out var status))
            {
                return 0;
            }

            return status != 101 || IsAccepted(lines) ? status : 0;
        }

        private bool IsAccepted(string[] lines)
        {
            foreach (var line in lines)
            {
                var colon = line.IndexOf(':');
                if (colon > 0 && line.Substring(0, colon).Equals("Sec-WebSocket-Accept", StringComparison.OrdinalIgnoreCase))
                {
                    return line.Substring(colon + 1).Trim() == ExpectedAccept();
                }
            }

            return false;
        }

        private string ExpectedAccept()
        {
            // The protocol requires SHA-1; it protects no secret.
            using (var sha1 = SHA1.Create())
            {
                return Convert.ToBase64String(sha1.ComputeHash(Encoding.ASCII.GetBytes(_key + AcceptSuffix)));
            }
        }
    }
}
