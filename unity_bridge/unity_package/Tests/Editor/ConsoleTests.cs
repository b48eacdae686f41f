using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;
using NUnit.Framework;

namespace UnityMcpPlugin.Tests
{
    public class ConsoleBufferTests
    {
        private static readonly DateTime Noon = new DateTime(2026, 1, 2, 12, 0, 0, DateTimeKind.Utc);

        [Test]
        public void KeepsTheNewest5000()
        {
            var buffer = new ConsoleBuffer();
            for (var number = 1; number <= 5003; number++)
            {
                buffer.Logged(ConsoleEntryType.Log, $"m{number}", "", Noon);
            }

            var entries = buffer.Snapshot(out var lastId);
            Assert.That(entries.Count, Is.EqualTo(5000));
            Assert.That(entries[0].Message, Is.EqualTo("m4"));
            Assert.That(entries[0].Id, Is.EqualTo(4));
            Assert.That(lastId, Is.EqualTo(5003));
        }

        [Test]
        public void IsBoundedInSize()
        {
            var buffer = new ConsoleBuffer(100, 1000);
            for (var number = 0; number < 20; number++)
            {
                buffer.Logged(ConsoleEntryType.Log, new string('x', 200), "", Noon);
            }

            Assert.That(buffer.Snapshot(out _).Count, Is.EqualTo(5));
        }

        [Test]
        public void LeavesItsOwnMessagesOut()
        {
            var buffer = new ConsoleBuffer();
            buffer.Logged(ConsoleEntryType.Error, "[Unity MCP] Connection rejected", "", Noon);
            buffer.Logged(ConsoleEntryType.Error, "not [Unity MCP]", "", Noon);
            Assert.That(buffer.Snapshot(out _).Single().Message, Is.EqualTo("not [Unity MCP]"));
        }

        [TestCase(true, "Assets/A.cs(5,36): error CS0029: no")]
        [TestCase(false, "Assets/A.cs(5,36): error CS0029: no")]
        [TestCase(true, "error CS2001: Source file 'Assets/Gone.cs' could not be found.")]
        [TestCase(false, "error CS2001: Source file 'Assets/Gone.cs' could not be found.")]
        [TestCase(true, "warning UNT0001: A message of an analyzer without a place")]
        [TestCase(false, "A tool beside the compiler says so in its own form")]
        public void ACompilerMessageThatComesTwoWaysIsKeptOnce(bool loggedFirst, string message)
        {
            var buffer = new ConsoleBuffer();
            for (var compilation = 0; compilation < 2; compilation++)
            {
                buffer.CompilationStarted();
                if (loggedFirst)
                {
                    buffer.Logged(ConsoleEntryType.Error, message, "", Noon);
                }

                buffer.Compiled(ConsoleEntryType.Error, message, Noon);
                if (!loggedFirst)
                {
                    buffer.Logged(ConsoleEntryType.Error, message, "", Noon);
                }
            }

            Assert.That(buffer.Snapshot(out _).Count, Is.EqualTo(2));
        }

        [Test]
        public void TheSameErrorLoggedTwiceIsTwoEntries()
        {
            var buffer = new ConsoleBuffer();
            buffer.Logged(ConsoleEntryType.Error, "boom", "", Noon);
            buffer.Logged(ConsoleEntryType.Error, "boom", "", Noon);
            Assert.That(buffer.Snapshot(out _).Count, Is.EqualTo(2));
        }

        [Test]
        public void LongTextIsCutAndSaysSo()
        {
            var kept = ConsoleText.Kept(new string('x', ConsoleText.MaxLength + 10));
            Assert.That(kept.EndsWith("x… [10 more characters]"), Is.True);
        }

        [Test]
        public void HalvesOfCharactersAndNulAreReplaced()
        {
            Assert.That(ConsoleText.Kept("a\0b\uD83Dc\uDE00"), Is.EqualTo("a\uFFFDb\uFFFDc\uFFFD"));
            Assert.That(ConsoleText.Kept("😀"), Is.EqualTo("😀"));
            Assert.That(ConsoleText.Kept(null), Is.EqualTo(""));
        }

        [Test]
        public void ACharacterIsNeverCutInHalf()
        {
            var kept = ConsoleText.Kept(new string('x', ConsoleText.MaxLength - 1) + "😀y");
            Assert.That(kept.Any(char.IsSurrogate), Is.False);
        }

        [Test]
        public void ThreadsLogAtOnce()
        {
            var buffer = new ConsoleBuffer();
            var threads = Enumerable.Range(0, 4).Select(_ => new Thread(() =>
            {
                for (var number = 0; number < 500; number++)
                {
                    buffer.Logged(ConsoleEntryType.Log, "x", "", Noon);
                    buffer.Snapshot(out var _);
                }
            })).ToArray();
            foreach (var thread in threads)
            {
                thread.Start();
            }

            foreach (var thread in threads)
            {
                thread.Join();
            }

            var entries = buffer.Snapshot(out _);
            Assert.That(entries.Select(entry => entry.Id), Is.EqualTo(Enumerable.Range(1, 2000).Select(id => (long)id)));
        }
    }

    public class ConsoleStorageTests
    {
        private static readonly DateTime Noon = new DateTime(2026, 1, 2, 12, 0, 0, DateTimeKind.Utc);

        [Test]
        public void WhatIsWrittenIsRead()
        {
            var buffer = new ConsoleBuffer();
            buffer.Logged(ConsoleEntryType.Exception, "日本 😀\r\n 1 2 3", "at A.B ()\n", Noon);
            buffer.Logged(ConsoleEntryType.Log, "", "", Noon.AddTicks(1));
            var stored = ConsoleStorage.Write(buffer.Snapshot(out var lastId), lastId);
            var read = ConsoleStorage.Read(stored, out var readId);
            Assert.That(readId, Is.EqualTo(2));
            Assert.That(
                read.Select(entry => entry.ToJson().ToString()),
                Is.EqualTo(buffer.Snapshot(out _).Select(entry => entry.ToJson().ToString())));
        }

        [Test]
        public void TheNewestThatFitAreWritten()
        {
            var buffer = new ConsoleBuffer();
            for (var number = 0; number < 10; number++)
            {
                buffer.Logged(ConsoleEntryType.Log, new string('x', 100), "", Noon);
            }

            var stored = ConsoleStorage.Write(buffer.Snapshot(out var lastId), lastId, 350);
            Assert.That(ConsoleStorage.Read(stored, out var readId).Select(entry => entry.Id), Is.EqualTo(new long[] { 8, 9, 10 }));
            Assert.That(readId, Is.EqualTo(10));
        }

        [TestCase("")]
        [TestCase(null)]
        [TestCase("1 5 1 ")]
        [TestCase("2 5 1 1 0 3 99 short")]
        [TestCase("2 5 -1 ")]
        [TestCase("2 5 2 ")]
        [TestCase("2 x 0 ")]
        [TestCase("nonsense")]
        public void WhatIsNoneOfItsOwnIsNothing(string stored) =>
            Assert.That(ConsoleStorage.Read(stored, out _).Count, Is.EqualTo(0));

        [Test]
        public void WhatWasLoggedMeanwhileComesAfterWhatIsRestored()
        {
            var before = new ConsoleBuffer();
            before.Logged(ConsoleEntryType.Log, "before", "", Noon);
            var stored = ConsoleStorage.Write(before.Snapshot(out var lastId), lastId);
            var after = new ConsoleBuffer();
            after.Logged(ConsoleEntryType.Log, "after", "", Noon);
            after.Restore(ConsoleStorage.Read(stored, out var readId), readId);
            var entries = after.Snapshot(out _);
            Assert.That(entries.Select(entry => entry.Message), Is.EqualTo(new[] { "before", "after" }));
            Assert.That(entries.Select(entry => entry.Id), Is.EqualTo(new long[] { 1, 2 }));
        }
    }

    public class ReadConsoleToolTests
    {
        private static readonly DateTime Noon = new DateTime(2026, 1, 2, 12, 0, 0, 7, DateTimeKind.Utc);

        private ConsoleBuffer _buffer;
        private ReadConsoleTool _tool;

        [SetUp]
        public void SetUp()
        {
            _buffer = new ConsoleBuffer();
            _tool = new ReadConsoleTool(_buffer, "run");
            foreach (ConsoleEntryType type in Enum.GetValues(typeof(ConsoleEntryType)))
            {
                _buffer.Logged(type, $"Message {type}", "stack", Noon);
            }
        }

        [Test]
        public void GivesAllOldestFirst()
        {
            var result = Read("{}");
            Assert.That((int)result["count"], Is.EqualTo(5));
            Assert.That((bool)result["truncated"], Is.False);
            Assert.That(
                result["entries"].Select(entry => (string)entry["type"]),
                Is.EqualTo(new[] { "log", "warning", "error", "assert", "exception" }));
            var first = result["entries"][0];
            Assert.That((string)first["message"], Is.EqualTo("Message Log"));
            Assert.That((string)first["stack_trace"], Is.EqualTo("stack"));
            Assert.That((string)first["timestamp"], Is.EqualTo("2026-01-02T12:00:00.007Z"));
            Assert.That((int)first["id"], Is.EqualTo(1));
        }

        [Test]
        public void WithoutACursorTheNewestAreGiven()
        {
            var result = Read("{\"max_entries\":2}");
            Assert.That(Ids(result), Is.EqualTo(new[] { 4, 5 }));
            Assert.That((bool)result["truncated"], Is.True);
            Assert.That((string)result["next_cursor"], Is.EqualTo("run-5"));
        }

        [Test]
        public void ACursorLeadsThroughAllWithoutGaps()
        {
            var page = Read("{\"max_entries\":2,\"since\":\"run-1\"}");
            Assert.That(Ids(page), Is.EqualTo(new[] { 2, 3 }));
            page = Read($"{{\"max_entries\":2,\"since\":\"{page["next_cursor"]}\"}}");
            Assert.That(Ids(page), Is.EqualTo(new[] { 4, 5 }));
            Assert.That((bool)page["truncated"], Is.False);
            page = Read($"{{\"since\":\"{page["next_cursor"]}\"}}");
            Assert.That(Ids(page), Is.Empty);
            Assert.That((string)page["next_cursor"], Is.EqualTo("run-5"));
        }

        [Test]
        public void ACursorOfAnEarlierEditorGivesAll() =>
            Assert.That(Ids(Read("{\"since\":\"other-4\"}")).Length, Is.EqualTo(5));

        [Test]
        public void AGapSinceTheCursorIsTold()
        {
            var small = new ConsoleBuffer(3);
            for (var number = 0; number < 10; number++)
            {
                small.Logged(ConsoleEntryType.Log, "x", "", Noon);
            }

            var result = new ReadConsoleTool(small, "run").Prepare(JObject.Parse("{\"since\":\"run-2\"}"))().Result();
            Assert.That((bool)result["truncated"], Is.True);
        }

        [Test]
        public void FiltersByTypeAndText()
        {
            Assert.That(Ids(Read("{\"types\":[\"error\",\"assert\"]}")), Is.EqualTo(new[] { 3, 4 }));
            Assert.That(Ids(Read("{\"contains\":\"message w\"}")), Is.EqualTo(new[] { 2 }));
        }

        [TestCase("{\"max_entries\":0}")]
        [TestCase("{\"max_entries\":2001}")]
        [TestCase("{\"max_entries\":\"5\"}")]
        [TestCase("{\"types\":[\"info\"]}")]
        [TestCase("{\"types\":\"log\"}")]
        [TestCase("{\"since\":\"yesterday\"}")]
        public void WrongParametersAreRefused(string parameters)
        {
            var outcome = _tool.Prepare(JObject.Parse(parameters))();
            Assert.That(outcome.Failure.Code, Is.EqualTo("ERR_INVALID_PARAMS"));
            Assert.That(outcome.Started, Is.False);
        }

        [Test]
        public void OfTooMuchTheNewestAreRead()
        {
            LogMuch();
            var result = Read("{\"max_entries\":2000}");
            AssertFits(result);
            Assert.That((bool)result["truncated"], Is.True);
            Assert.That((int)result["count"], Is.EqualTo(Ids(result).Length).And.GreaterThan(700));
            Assert.That(Ids(result).Last(), Is.EqualTo(_buffer.Snapshot(out _).Last().Id));
        }

        [Test]
        public void TooMuchAfterACursorIsReadInParts()
        {
            LogMuch();
            var all = _buffer.Snapshot(out _).Select(entry => (int)entry.Id).ToArray();
            var read = new List<int>();
            var since = "run-0";
            for (var truncated = true; truncated;)
            {
                var result = Read(new JObject { ["max_entries"] = 2000, ["since"] = since }.ToString());
                AssertFits(result);
                read.AddRange(Ids(result));
                since = (string)result["next_cursor"];
                truncated = (bool)result["truncated"];
            }

            Assert.That(read, Is.EqualTo(all));
        }

        [Test]
        public void TheLargestEntryCanBeRead()
        {
            _buffer.Logged(ConsoleEntryType.Log, new string('\u0001', 99999), new string('\u0001', 99999), Noon);
            var result = Read("{\"max_entries\":1}");
            AssertFits(result);
            Assert.That((int)result["count"], Is.EqualTo(1));
        }

        private static void AssertFits(JObject result) => Assert.That(
            Encoding.UTF8.GetByteCount(result.ToString(Formatting.None)), Is.LessThanOrEqualTo(ReadConsoleTool.MaxResultBytes));

        private void LogMuch()
        {
            for (var number = 0; number < 2000; number++)
            {
                _buffer.Logged(ConsoleEntryType.Log, "日" + new string('x', 1000), "", Noon);
            }
        }

        private static int[] Ids(JObject result) => result["entries"].Select(entry => (int)entry["id"]).ToArray();

        private JObject Read(string parameters) => _tool.Prepare(JObject.Parse(parameters))().Result();
    }
}
