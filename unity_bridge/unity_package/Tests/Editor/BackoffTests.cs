using System.Linq;
using NUnit.Framework;

namespace UnityMcpPlugin.Tests
{
    public class BackoffTests
    {
        [Test]
        public void GrowsFrom100MsTo1200Ms()
        {
            var backoff = new Backoff(() => 0.5);
            var delays = Enumerable.Range(0, 8).Select(_ => backoff.Next()).ToArray();
            Assert.That(delays, Is.EqualTo(new[] { 100, 170, 289, 491, 835, 1200, 1200, 1200 }));
        }

        [TestCase(0.0, 90, 1080)]
        [TestCase(1.0, 110, 1320)]
        public void JitterIsTenPercent(double random, int first, int last)
        {
            var backoff = new Backoff(() => random);
            Assert.That(backoff.Next(), Is.EqualTo(first));
            for (var tries = 0; tries < 10; tries++)
            {
                backoff.Next();
            }

            Assert.That(backoff.Next(), Is.EqualTo(last));
        }

        [Test]
        public void BeginsAnewAfterASession()
        {
            var backoff = new Backoff(() => 0.5);
            backoff.Next();
            backoff.Next();
            backoff.Reset();
            Assert.That(backoff.Next(), Is.EqualTo(100));
        }
    }

    public class ReconnectPolicyTests
    {
        private ReconnectPolicy _policy;

        [SetUp]
        public void SetUp() => _policy = new ReconnectPolicy(() => 0.5);

        [Test]
        public void ARejectedEditorRetriesEveryTenSecondsAndSaysSoOnce()
        {
            Assert.That(_policy.AfterEnd(ConnectionEnd.Rejected, out var first), Is.EqualTo(10000));
            Assert.That(first, Is.EqualTo(ReconnectPolicy.SecondEditor));
            Assert.That(_policy.AfterEnd(ConnectionEnd.Rejected, out var second), Is.EqualTo(10000));
            Assert.That(second, Is.Null);
        }

        [Test]
        public void TheConflictOutlivesAServerThatIsGoneForAWhile()
        {
            _policy.AfterEnd(ConnectionEnd.Rejected, out _);
            _policy.AfterEnd(ConnectionEnd.NotReached, out _);
            _policy.AfterEnd(ConnectionEnd.Rejected, out var told);
            Assert.That(told, Is.Null);
        }

        [Test]
        public void AnAcceptedHelloEndsTheConflict()
        {
            _policy.AfterEnd(ConnectionEnd.Rejected, out _);
            _policy.SessionOpened();
            _policy.AfterEnd(ConnectionEnd.Rejected, out var told);
            Assert.That(told, Is.EqualTo(ReconnectPolicy.SecondEditor));
        }

        [Test]
        public void WhatAnEarlierDomainToldIsNotToldAgain()
        {
            _policy.AfterEnd(ConnectionEnd.Rejected, out _);
            var next = new ReconnectPolicy(() => 0.5, _policy.Told);
            next.AfterEnd(ConnectionEnd.Rejected, out var again);
            Assert.That(again, Is.Null);
            next.SessionOpened();
            Assert.That(next.Told, Is.Null);
        }

        [Test]
        public void ATokenIsAskedForOnce()
        {
            _policy.AfterEnd(ConnectionEnd.NotAuthorized, out var first);
            _policy.AfterEnd(ConnectionEnd.NotAuthorized, out var second);
            Assert.That(first, Is.EqualTo(ReconnectPolicy.NotAuthorized));
            Assert.That(second, Is.Null);
        }

        [Test]
        public void AStrangerIsToldOfOnce()
        {
            Assert.That(_policy.AfterEnd(ConnectionEnd.NotProven, out var first), Is.EqualTo(ReconnectPolicy.RejectedRetryMs));
            _policy.AfterEnd(ConnectionEnd.NotProven, out var second);
            Assert.That(first, Is.EqualTo(ReconnectPolicy.NotProven));
            Assert.That(second, Is.Null);
        }

        [Test]
        public void ALostSessionIsTriedAgainAtOnce()
        {
            _policy.AfterEnd(ConnectionEnd.NotReached, out _);
            _policy.AfterEnd(ConnectionEnd.NotReached, out _);
            _policy.SessionOpened();
            Assert.That(_policy.AfterEnd(ConnectionEnd.Lost, out var told), Is.EqualTo(100));
            Assert.That(told, Is.Null);
        }
    }
}
