using System.Linq;
using System.Text;
using Newtonsoft.Json.Linq;
using NUnit.Framework;

namespace UnityMcpPlugin.Tests
{
    public class IncomingFrameTests
    {
        [Test]
        public void ReadsACommand()
        {
            var frame = IncomingFrame.Read(
                "{\"type\":\"execute\",\"protocol_version\":1,\"request_id\":\"req-1\",\"tool_name\":\"read_console\"," +
                "\"params\":{\"max_entries\":5},\"timeout_ms\":9000,\"new_field\":[]}");
            Assert.That(frame.Problem, Is.Null);
            Assert.That(frame.Type, Is.EqualTo("execute"));
            Assert.That(frame.RequestId, Is.EqualTo("req-1"));
            Assert.That(frame.ToolName, Is.EqualTo("read_console"));
            Assert.That((int)frame.Params["max_entries"], Is.EqualTo(5));
            Assert.That(frame.TimeoutMs, Is.EqualTo(9000));
        }

        [Test]
        public void WhatLooksLikeADateStaysAsItIs()
        {
            var frame = IncomingFrame.Read("{\"type\":\"x\",\"params\":{\"contains\":\"2026-01-02T03:04:05+09:00\"}}");
            Assert.That((string)frame.Params["contains"], Is.EqualTo("2026-01-02T03:04:05+09:00"));
        }

        [TestCase("")]
        [TestCase("nonsense")]
        [TestCase("[]")]
        [TestCase("null")]
        [TestCase("\"text\"")]
        [TestCase("{\"type\":\"ping\"")]
        [TestCase("{\"type\":\"ping\"} {}")]
        [TestCase("{}")]
        [TestCase("{\"type\":3}")]
        public void GarbageIsAProblemAndNoException(string message) =>
            Assert.That(IncomingFrame.Read(message).Problem, Is.Not.Null);

        [Test]
        public void WhatIsNestedWithoutEndIsAProblem()
        {
            var deep = "{\"type\":\"ping\",\"x\":" + new string('[', 100000) + new string(']', 100000) + "}";
            Assert.That(IncomingFrame.Read(deep).Problem, Is.Not.Null);
        }

        [Test]
        public void FieldsOfWrongTypesAreMissing()
        {
            var frame = IncomingFrame.Read("{\"type\":\"execute\",\"request_id\":7,\"params\":[],\"timeout_ms\":\"soon\"}");
            Assert.That(frame.RequestId, Is.Null);
            Assert.That(frame.Params.Count, Is.EqualTo(0));
            Assert.That(frame.TimeoutMs, Is.EqualTo(0));
        }
    }

    public class WireFramesTests
    {
        [Test]
        public void HelloSaysWhoItIsAndAsksForPings()
        {
            var who = new EditorIdentity("editor", "1.2.3", "2022.3.1f1", "/project");
            var hello = WireFrames.Hello(who, new PluginState("session", "memory"), new[] { "r1" }, EditorState.Compiling);
            Assert.That((string)hello["type"], Is.EqualTo("hello"));
            Assert.That((int)hello["protocol_version"], Is.EqualTo(1));
            Assert.That((string)hello["state"], Is.EqualTo("compiling"));
            Assert.That((string)hello["heartbeat"], Is.EqualTo("ping"));
            Assert.That((string)hello["editor_instance_id"], Is.EqualTo("editor"));
            Assert.That((string)hello["plugin_session_id"], Is.EqualTo("session"));
            Assert.That((string)hello["request_memory_id"], Is.EqualTo("memory"));
            Assert.That(hello["open_requests"].Select(each => (string)each), Is.EqualTo(new[] { "r1" }));
        }

        [Test]
        public void AFailedToolAndARefusedOneDiffer()
        {
            var failure = new ToolFailure("ERR_X", "no");
            var failed = WireFrames.FailedResult("r", failure);
            Assert.That((string)failed["status"], Is.EqualTo("error"));
            Assert.That((string)failed["result"]["code"], Is.EqualTo("ERR_X"));
            var refused = WireFrames.Error("r", failure);
            Assert.That((string)refused["type"], Is.EqualTo("error"));
            Assert.That((string)refused["error"]["message"], Is.EqualTo("no"));
            Assert.That(WireFrames.Error(null, failure)["request_id"], Is.Null);
        }

        [Test]
        public void TextGoesAsUtf8()
        {
            var bytes = WireFrames.ToBytes(new JObject { ["type"] = "日本\n" });
            Assert.That(Encoding.UTF8.GetString(bytes), Is.EqualTo("{\"type\":\"日本\\n\"}"));
        }
    }

    public class WebSocketHandshakeTests
    {
        // The example of RFC 6455, section 1.3.
        private readonly WebSocketHandshake _handshake = new WebSocketHandshake(Encoding.ASCII.GetBytes("the sample nonce"));

        [Test]
        public void AsksForTheBridge()
        {
            var request = Encoding.ASCII.GetString(_handshake.Request(48091, null));
            Assert.That(request.StartsWith("GET /unity HTTP/1.1\r\nHost: 127.0.0.1:48091\r\n"), Is.True);
            Assert.That(request.Contains("\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"), Is.True);
            Assert.That(request.EndsWith("\r\n\r\n"), Is.True);
            Assert.That(request.Contains("Origin"), Is.False);
            Assert.That(request.Contains("Authorization"), Is.False);
        }

        [Test]
        public void CarriesTheToken()
        {
            var request = Encoding.ASCII.GetString(_handshake.Request(48091, "secret"));
            Assert.That(request.Contains("\r\nAuthorization: Bearer secret\r\n"), Is.True);
        }

        [TestCase("HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n", 101)]
        [TestCase("HTTP/1.1 101 Switching Protocols\r\nsec-websocket-accept:s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n", 101)]
        [TestCase("HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: somebody else's\r\n\r\n", 0)]
        [TestCase("HTTP/1.1 101 Switching Protocols\r\n\r\n", 0)]
        [TestCase("HTTP/1.1 401 Unauthorized\r\n\r\n", 401)]
        [TestCase("HTTP/1.1 404 Not Found\r\nServer: another\r\n\r\n", 404)]
        [TestCase("SSH-2.0-OpenSSH_9.2\r\n", 0)]
        [TestCase("", 0)]
        public void ReadsTheAnswer(string head, int status) =>
            Assert.That(_handshake.StatusOf(head), Is.EqualTo(status));
    }

    public class OutboxTests
    {
        [Test]
        public void KeepsWhatWasNotSent()
        {
            var outbox = new Outbox();
            var first = Sent(1);
            outbox.Add(first);
            outbox.Add(Sent(2));
            Assert.That(outbox.First, Is.SameAs(first));
            outbox.Remove(first);
            Assert.That(outbox.First.Bytes[0], Is.EqualTo(2));
            Assert.That(outbox.All.Count, Is.EqualTo(1));
        }

        [Test]
        public void IsBoundedInNumber()
        {
            var outbox = new Outbox();
            for (var number = 0; number < Outbox.MaxAnswers + 5; number++)
            {
                outbox.Add(Sent((byte)number));
            }

            Assert.That(outbox.Count, Is.EqualTo(Outbox.MaxAnswers));
            Assert.That(outbox.First.Bytes[0], Is.EqualTo(5));
        }

        [Test]
        public void IsBoundedInSize()
        {
            var outbox = new Outbox();
            for (var number = 0; number < 10; number++)
            {
                outbox.Add(Sent(new byte[WireFrames.MaxMessageBytes]));
            }

            Assert.That(outbox.Count, Is.EqualTo(4));
        }

        private static Outgoing Sent(params byte[] bytes) => new Outgoing("r", bytes);
    }
}
