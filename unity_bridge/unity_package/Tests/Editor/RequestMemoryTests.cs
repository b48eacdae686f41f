using NUnit.Framework;

namespace UnityMcpPlugin.Tests
{
    public class RequestMemoryTests
    {
        [Test]
        public void RemembersTheLastOfThem()
        {
            var memory = new RequestMemory("");
            for (var number = 0; number <= RequestMemory.MaxRemembered; number++)
            {
                memory.Add($"mine-{number}", "asked").Answer = "{}";
            }

            Assert.That(memory.Find("mine-0"), Is.Null);
            Assert.That(memory.Find("mine-1").Answer, Is.EqualTo("{}"));
            var next = new RequestMemory(memory.Save());
            Assert.That(next.Find("mine-0"), Is.Null);
            Assert.That(next.Find("mine-1").Asked, Is.EqualTo("asked"));
            next.Add("one more", "asked");
            Assert.That(next.Find("mine-1"), Is.Null);
        }

        [Test]
        public void SurvivesAsText()
        {
            var memory = new RequestMemory("");
            memory.Add("日本 1 2", "a\nb");
            var next = new RequestMemory(memory.Save());
            Assert.That(next.Id, Is.EqualTo(memory.Id));
            Assert.That(next.Find("日本 1 2").Asked, Is.EqualTo("a\nb"));
            Assert.That(next.Find("日本 1 2").Answer, Is.Null);
        }

        [TestCase("")]
        [TestCase(null)]
        [TestCase("nonsense")]
        [TestCase("1 2 ab5 ")]
        [TestCase("7 2 ab0 ")]
        public void WhatCannotBeReadIsANewMemory(string stored)
        {
            var memory = new RequestMemory(stored);
            Assert.That(memory.Id.Length, Is.EqualTo(32));
            memory.Add("mine", "asked");
            Assert.That(memory.Find("mine"), Is.Not.Null);
        }
    }
}
