using NUnit.Framework;

namespace UnityMcpPlugin.Tests
{
    public class PortChangeTests
    {
        private readonly PortChange _change = new PortChange(48091, 48092, 1000);

        [Test]
        public void AnAcceptedPortIsKept()
        {
            var outcome = _change.Accepted();
            Assert.That(outcome.Succeeded, Is.True);
            Assert.That(outcome.Port, Is.EqualTo(48092));
        }

        [Test]
        public void AnUnreachablePortIsTriedForFiveSeconds()
        {
            Assert.That(_change.Failed(ConnectionEnd.NotReached, 5999), Is.Null);
            Assert.That(_change.LeftMs(5999), Is.EqualTo(1));
            AssertRolledBack(_change.Failed(ConnectionEnd.NotReached, 6000), "ERR_RECONFIG_UNREACHABLE");
        }

        [Test]
        public void AServerWithAnotherEditorIsGivenUpAtOnce() =>
            AssertRolledBack(_change.Failed(ConnectionEnd.Rejected, 1001), "ERR_RECONFIG_REJECTED");

        [Test]
        public void AServerWithAnotherTokenIsGivenUpAtOnce() =>
            AssertRolledBack(_change.Failed(ConnectionEnd.NotAuthorized, 1001), "ERR_RECONFIG_NOT_AUTHORIZED");

        [Test]
        public void AStrangerIsGivenUpAtOnce() =>
            AssertRolledBack(_change.Failed(ConnectionEnd.NotProven, 1001), "ERR_RECONFIG_NOT_AUTHORIZED");

        private static void AssertRolledBack(PortChangeOutcome? outcome, string code)
        {
            Assert.That(outcome.HasValue, Is.True);
            Assert.That(outcome.Value.Succeeded, Is.False);
            Assert.That(outcome.Value.Port, Is.EqualTo(48091));
            Assert.That(outcome.Value.Message.StartsWith(code + ": "), Is.True);
            Assert.That(outcome.Value.Message.EndsWith("The port is 48091 again."), Is.True);
            Assert.That(outcome.Value.Message.Length, Is.LessThanOrEqualTo(200));
        }
    }

    public class SettingsValidationTests
    {
        [TestCase(1)]
        [TestCase(48091)]
        [TestCase(65535)]
        public void APortMayBe(int port) => Assert.That(SettingsValidation.Problem(1, port), Is.Null);

        [TestCase(1, 0)]
        [TestCase(1, -1)]
        [TestCase(1, 65536)]
        [TestCase(0, 48091)]
        [TestCase(2, 48091)]
        public void WrongSettingsAreNamed(int schemaVersion, int port)
        {
            var problem = SettingsValidation.Problem(schemaVersion, port);
            Assert.That(problem.StartsWith("ERR_CONFIG_VALIDATION: ProjectSettings/UnityMcpPluginSettings.asset"), Is.True);
            Assert.That(problem.Contains((schemaVersion == 1 ? port : schemaVersion).ToString()), Is.True);
            Assert.That(problem.Length, Is.LessThanOrEqualTo(200));
        }
    }
}
