using System;
using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace UnityMcpPlugin
{
    /// <summary>
    /// How a server proves that it is this user's before it gets a token, without I/O. It receives a nonce,
    /// and answers with an HMAC of the nonce and its address, under a key that only its user can read. Needed
    /// because any program can listen on a port.
    /// </summary>
    internal sealed class ServerProof
    {
        public const int NonceBytes = 32;
        public const int MaxAnswerBytes = 16384;

        private const int KeyLength = 64;

        private readonly string _nonce;

        /// <param name="nonce"><see cref="NonceBytes"/> random bytes.</param>
        public ServerProof(byte[] nonce) => _nonce = Hex(nonce);

        /// <summary>The HTTP request that asks for the proof; the connection stays open.</summary>
        public byte[] Request(int port) => Encoding.ASCII.GetBytes(
            $"GET /identity?nonce={_nonce} HTTP/1.1\r\nHost: {Address(port)}\r\n\r\n");

        /// <summary>The length of the answer's body, from its head; -1 if it is no answer to us.</summary>
        public static int LengthOf(string head)
        {
            var lines = head.Split(new[] { "\r\n" }, StringSplitOptions.None);
            if (!lines[0].StartsWith("HTTP/1.1 200", StringComparison.Ordinal))
            {
                return -1;
            }

            foreach (var line in lines)
            {
                var colon = line.IndexOf(':');
                if (colon > 0 && line.Substring(0, colon).Equals("Content-Length", StringComparison.OrdinalIgnoreCase))
                {
                    return int.TryParse(line.Substring(colon + 1).Trim(), NumberStyles.None, CultureInfo.InvariantCulture, out var length) &&
                        length <= MaxAnswerBytes ? length : -1;
                }
            }

            return -1;
        }

        /// <summary>Whether the answer proves that the server on the port has written that file.</summary>
        public bool IsProof(string body, int port, ServerFile file)
        {
            if (file == null)
            {
                return false;
            }

            try
            {
                var proof = StrictJson.Parse(body)["proof"];
                return proof?.Type == JTokenType.String && IsSame((string)proof, Expected(port, file.Key));
            }
            catch (JsonException)
            {
                return false;
            }
        }

        /// <summary>Whether a text is a key: 32 bytes in hexadecimal digits.</summary>
        public static bool IsKey(string text)
        {
            if (text == null || text.Length != KeyLength)
            {
                return false;
            }

            foreach (var digit in text)
            {
                if (!(digit >= '0' && digit <= '9') && !(digit >= 'a' && digit <= 'f'))
                {
                    return false;
                }
            }

            return true;
        }

        private string Expected(int port, string key)
        {
            var secret = new byte[key.Length / 2];
            for (var at = 0; at < secret.Length; at++)
            {
                secret[at] = byte.Parse(key.Substring(2 * at, 2), NumberStyles.HexNumber, CultureInfo.InvariantCulture);
            }

            using (var hmac = new HMACSHA256(secret))
            {
                return Hex(hmac.ComputeHash(Encoding.ASCII.GetBytes($"unity-snippet {Address(port)} {_nonce}")));
            }
        }

        private static string Address(int port) => "127.0.0.1:" + port.ToString(CultureInfo.InvariantCulture);

        /// <summary>Compares in constant time, so that the duration reveals nothing.</summary>
        private static bool IsSame(string found, string expected)
        {
            var differences = found.Length ^ expected.Length;
            for (var at = 0; at < found.Length && at < expected.Length; at++)
            {
                differences |= found[at] ^ expected[at];
            }

            return differences == 0;
        }

        private static string Hex(byte[] bytes)
        {
            var text = new StringBuilder(2 * bytes.Length);
            foreach (var each in bytes)
            {
                text.Append(each.ToString("x2", CultureInfo.InvariantCulture));
            }

            return text.ToString();
        }
    }
}
