using System.IO;
using System.Text;
using NUnit.Framework;

namespace UnityMcpPlugin.Tests
{
    public class ServerProofTests
    {
        private const string Key = "abababababababababababababababababababababababababababababababab";

        // HMAC-SHA256 of "unity-snippet 127.0.0.1:48091 " and 64 zeros, as the server computes it.
        private const string Proof = "a86086d25b553a77ffc18718fda2ca463657852e9bb1444057bc537a7bf36c38";

        private readonly ServerProof _proof = new ServerProof(new byte[ServerProof.NonceBytes]);

        [Test]
        public void AsksWithItsNonce() => Assert.That(
            Encoding.ASCII.GetString(_proof.Request(48091)),
            Is.EqualTo($"GET /identity?nonce={new string('0', 64)} HTTP/1.1\r\nHost: 127.0.0.1:48091\r\n\r\n"));

        [TestCase("HTTP/1.1 200 OK\r\ncontent-length: 12\r\n\r\n", 12)]
        [TestCase("HTTP/1.1 200 OK\r\n\r\n", -1)]
        [TestCase("HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n", -1)]
        [TestCase("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", -1)]
        [TestCase("HTTP/1.1 401 Unauthorized\r\nContent-Length: 12\r\n\r\n", -1)]
        [TestCase("SSH-2.0-OpenSSH_9.2\r\n", -1)]
        [TestCase("", -1)]
        public void ReadsTheHead(string head, int length) => Assert.That(ServerProof.LengthOf(head), Is.EqualTo(length));

        [Test]
        public void BelievesTheServerOfTheFile() => Assert.That(IsProof($"{{\"proof\":\"{Proof}\"}}", 48091, Key), Is.True);

        [Test]
        public void BelievesNoOther()
        {
            Assert.That(IsProof($"{{\"proof\":\"{Proof}\"}}", 48092, Key), Is.False);
            Assert.That(IsProof($"{{\"proof\":\"{Proof}\"}}", 48091, Key.Replace('a', 'c')), Is.False);
            Assert.That(_proof.IsProof($"{{\"proof\":\"{Proof}\"}}", 48091, null), Is.False);
        }

        [TestCase("")]
        [TestCase("{}")]
        [TestCase("[]")]
        [TestCase("{\"proof\":null}")]
        [TestCase("{\"proof\":{}}")]
        [TestCase("{\"proof\":\"\"}")]
        public void BelievesNothingElse(string body) => Assert.That(IsProof(body, 48091, Key), Is.False);

        [Test]
        public void TheNewestFileOfThePortCounts()
        {
            var folder = Directory.CreateDirectory(Path.Combine(Path.GetTempPath(), Path.GetRandomFileName())).FullName;
            try
            {
                var old = Write(folder, "old", 48091, "2026-01-01T00:00:00.000+00:00", "\"old\"");
                var current = Write(folder, "new", 48091, "2026-01-02T00:00:00.000+00:00", "\"new\"");
                var other = Write(folder, "other", 48092, "2026-01-03T00:00:00.000+00:00", "\"other\"");
                var none = Path.Combine(folder, "none");
                var access = new ServerAccess(null, _ => new[] { none, old, current, other });
                Assert.That(access.TokenFor(48091), Is.EqualTo("new"));
                Assert.That(access.FileOf(48091).Key, Is.EqualTo(Key));
                Assert.That(access.FileOf(48093), Is.Null);
                Assert.That(access.TokenFor(48093), Is.Null);
                Assert.That(new ServerAccess("given", _ => new[] { old }).TokenFor(48091), Is.EqualTo("given"));
            }
            finally
            {
                Directory.Delete(folder, true);
            }
        }

        [TestCase("")]
        [TestCase("{}")]
        [TestCase("[]")]
        [TestCase("{\"port\":\"48091\",\"key\":\"ab\"}")]
        [TestCase("{\"port\":99999999999,\"key\":\"abababababababababababababababababababababababababababababababab\"}")]
        public void WhatIsNoFileIsNone(string text) => Assert.That(ServerFile.Parse(text), Is.Null);

        private bool IsProof(string body, int port, string key) =>
            _proof.IsProof(body, port, ServerFile.Parse(Text(48091, "", "null", key)));

        private static string Write(string folder, string name, int port, string started, string token)
        {
            var path = Path.Combine(folder, name);
            File.WriteAllText(path, Text(port, started, token, Key));
            return path;
        }

        private static string Text(int port, string started, string token, string key) =>
            $"{{\"port\":{port},\"pid\":1,\"started\":\"{started}\",\"key\":\"{key}\",\"token\":{token}}}";
    }
}
