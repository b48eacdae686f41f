using System.Linq;
using NUnit.Framework;

namespace UnityMcpPlugin.Tests
{
    public class TestSelectionTests
    {
        [Test]
        public void AnAssemblysNameSelectsNothing() =>
            Assert.That(Names("Game.Tests.dll"), Is.Empty);

        [Test]
        public void WhatOnlyAnAssemblyIsCalledIsLookedForInTests()
        {
            // The assembly is Game.Tests.dll: the runner's own patterns would take all in it.
            var selection = Select("Tests");
            Assert.That(selection.Names, Is.EqualTo(new[] { "Game.PlayerTests" }));
            Assert.That(selection.Count, Is.EqualTo(3));
        }

        [TestCase("Game", "Game", 6)]
        [TestCase("Game.PlayerTests.Jumps", "Game.PlayerTests.Jumps", 1)]
        [TestCase(".", "Game", 6)]
        [TestCase("Falls", "Game.PlayerTests.Falls,Game.Sky.RainFalls", 3)]
        [TestCase("Falls(2)", "Game.PlayerTests.Falls(2)", 1)]
        [TestCase("game", "", 0)]
        [TestCase("!Jumps", "", 0)]
        [TestCase("J.mps", "", 0)]
        public void WholeSuitesAreNamedOnce(string filter, string names, int count)
        {
            var selection = Select(filter);
            Assert.That(string.Join(",", selection.Names), Is.EqualTo(names));
            Assert.That(selection.Count, Is.EqualTo(count));
        }

        [Test]
        public void WithoutAFilterNothingIsNamed()
        {
            var selection = Select(null);
            Assert.That(selection.Names, Is.Null);
            Assert.That(selection.Count, Is.EqualTo(6));
        }

        [TestCase("Slow", "", 0)]
        [TestCase("Lab.Slow.Soaks", "Lab.Slow.Soaks", 1)]
        [TestCase("Lab.Slow", "Lab.Slow.Soaks,Lab.Slow.Burns", 2)]
        [TestCase("Lab", "Lab.Quick", 1)]
        public void ExplicitTestsRunOnlyByTheirWholeName(string filter, string names, int count)
        {
            var root = Suite("", Suite("Lab.dll", Suite(
                "Lab",
                new TestNode("Lab.Slow", true, true, new[] { Test("Lab.Slow.Soaks"), Test("Lab.Slow.Burns") }),
                Suite("Lab.Quick", Test("Lab.Quick.Runs")))));
            var selection = TestSelection.Of(root, filter);
            Assert.That(selection.Names, Is.EquivalentTo(names.Split(',').Where(name => name != "")));
            Assert.That(selection.Count, Is.EqualTo(count));
        }

        [Test]
        public void ASuiteOfTheSameNameElsewhereIsNotTakenAlong()
        {
            var root = Suite(
                "",
                Suite("A.dll", Suite("Shared", Suite("Shared.Fixture", Test("Shared.Fixture.One")))),
                Suite("B.dll", Suite("Shared", Suite("Shared.Fixture", Test("Renamed")))));
            var selection = TestSelection.Of(root, "Shared");
            Assert.That(selection.Names, Is.EqualTo(new[] { "Shared.Fixture.One" }));
            Assert.That(selection.Count, Is.EqualTo(1));
        }

        [Test]
        public void CasesOfOneNameAreSelectedAndCountedTogether()
        {
            // The runner numbers them in what it tells and knows them by one name.
            var root = Suite("", Suite("A.dll", Suite(
                "A.F",
                Test("A.F.Case(Data GeneratedTestCase0)"), Test("A.F.Case(Data GeneratedTestCase1)"), Test("A.F.Other"))));
            var selection = TestSelection.Of(root, "GeneratedTestCase1");
            Assert.That(selection.Names, Is.EqualTo(new[] { "A.F.Case(Data)" }));
            Assert.That(selection.Count, Is.EqualTo(2));
        }

        private static string[] Names(string filter) => Select(filter).Names;

        private static TestSelection Select(string filter) => TestSelection.Of(
            Suite("My Game", Suite("Game.Tests.dll", Suite(
                "Game",
                Suite(
                    "Game.PlayerTests",
                    Test("Game.PlayerTests.Jumps"),
                    Suite("Game.PlayerTests.Falls", Test("Game.PlayerTests.Falls(1)"), Test("Game.PlayerTests.Falls(2)"))),
                Suite("Game.Sky", Test("Game.Sky.RainFalls"), Test("Game.Sky.Clouds"), Test("Game.Sky.Sun"))))),
            filter);

        private static TestNode Test(string name) => new TestNode(name, false, true, null);

        private static TestNode Suite(string name, params TestNode[] children) =>
            new TestNode(name, false, name.Contains("Game.Tests") == false && name != "" && name != "My Game" && !name.EndsWith(".dll"), children);
    }

    public class RunnerMembersTests
    {
        [TestCase(typeof(First), false, false)]
        [TestCase(typeof(Second), true, true)]
        [TestCase(typeof(Third), true, true)]
        [TestCase(typeof(Broken), false, false)]
        public void EveryVersionOfTheFrameworkIsAsked(System.Type api, bool active, bool cancelled)
        {
            var members = new RunnerMembers(api);
            Assert.That(members.IsAnyRunActive(), Is.EqualTo(active));
            Assert.That(members.CancelTestRun("run"), Is.EqualTo(cancelled));
        }

        private static class First
        {
        }

        private static class Second
        {
            internal static bool IsRunActive() => true;

            internal static bool CancelTestRun(string guid) => guid == "run";
        }

        private static class Third
        {
            public static bool IsAnyRunActive() => true;

            public static bool IsRunActive(string guid) => throw new System.ArgumentException(guid);

            public static bool CancelTestRun(string guid) => guid == "run";
        }

        private static class Broken
        {
            internal static bool IsRunActive() => throw new System.NullReferenceException();

            public static void CancelTestRun(string guid)
            {
            }
        }
    }
}
