using System.Linq;
using NUnit.Framework;

namespace UnityMcpPlugin.Tests
{
    public class OwnMessagesTests
    {
        [Test]
        public void EachIsGivenOnceInOrder()
        {
            var messages = new OwnMessages();
            messages.Add(true, "one");
            messages.Add(false, "two");
            var all = messages.TakeAll();
            Assert.That(all.Select(each => each.Text), Is.EqualTo(new[] { "one", "two" }));
            Assert.That(all.Select(each => each.IsWarning), Is.EqualTo(new[] { true, false }));
            Assert.That(messages.TakeAll(), Is.Empty);
        }

        [Test]
        public void AreBoundedInNumberAndLength()
        {
            var messages = new OwnMessages();
            for (var number = 0; number <= OwnMessages.MaxWaiting; number++)
            {
                messages.Add(true, $"{number} {new string('x', 10000)}");
            }

            var all = messages.TakeAll();
            Assert.That(all.Count, Is.EqualTo(OwnMessages.MaxWaiting));
            Assert.That(all[0].Text.StartsWith("1 x"), Is.True);
            Assert.That(all[0].Text.Length, Is.EqualTo(OwnMessages.MaxLength + 1));
        }

        [Test]
        public void SurviveAsText()
        {
            var messages = new OwnMessages();
            Assert.That(messages.Write(), Is.EqualTo(""));
            messages.Add(true, "two\nlines");
            var next = new OwnMessages();
            next.Read(messages.Write());
            Assert.That(next.TakeAll().Single().Text, Is.EqualTo("two\nlines"));
        }

        [TestCase(null)]
        [TestCase("")]
        [TestCase("2 1 99 short")]
        [TestCase("nonsense")]
        public void WhatAnotherVersionStoredIsNothing(string stored)
        {
            var messages = new OwnMessages();
            messages.Read(stored);
            Assert.That(messages.TakeAll(), Is.Empty);
        }
    }

    public class FieldTextTests
    {
        [Test]
        public void WhatUnitysStringsCannotHoldIsReplaced()
        {
            var fields = new FieldWriter();
            fields.Add("a\0b\uD800c😀");
            fields.Add("next");
            var stored = fields.ToString();
            Assert.That(stored.IndexOf('\0'), Is.EqualTo(-1));
            var reader = new FieldReader(stored);
            Assert.That(reader.Text(), Is.EqualTo("a\uFFFDb\uFFFDc😀"));
            Assert.That(reader.Text(), Is.EqualTo("next"));
        }
    }

    public class SettingsAssetTests
    {
        private const string Head = "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n--- !u!114 &1\nMonoBehaviour:\n";
        private const string Own = "  m_Script: {fileID: 11500000, guid: " + SettingsValidation.ScriptGuid + ", type: 3}\n";
        private const string Values = "  schemaVersion: 1\n  port: 5000\n";

        [TestCase(Head + Own + Values)]
        [TestCase("%YAML 1.1\r\n--- !u!114 &1\r\nMonoBehaviour:\r\n  m_Script: {fileID: 11500000, guid: c730635e6b59a900f69d073105a3dc60, type: 3}\r\n")]
        [TestCase(null)]
        [TestCase("\0\0\u0001 a binary asset")]
        public void WhatUnityReadsIsNoProblem(string asset) =>
            Assert.That(SettingsValidation.Ignored(asset, 48091), Is.Null);

        [TestCase(Head + Values)]
        [TestCase(Head + "  m_Script: {fileID: 0}\n" + Values)]
        [TestCase(Head + "  m_Script: {fileID: 11500000, guid: 00000000000000000000000000000001, type: 3}\n" + Values)]
        [TestCase("port: 5000\n")]
        [TestCase(Own)]
        [TestCase("")]
        public void WhatUnityIgnoresIsTold(string asset)
        {
            var told = SettingsValidation.Ignored(asset, 48091);
            Assert.That(told.Contains("m_Script"), Is.True);
            Assert.That(told.Contains("port 48091 is used"), Is.True);
        }
    }
}
