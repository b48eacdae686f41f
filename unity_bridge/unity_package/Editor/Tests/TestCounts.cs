using System;
using Newtonsoft.Json.Linq;

namespace UnityMcpPlugin
{
    /// <summary>The number of tests by outcome, and their duration. A value.</summary>
    internal sealed class TestCounts
    {
        public TestCounts()
        {
        }

        /// <param name="inconclusive">Tests that ran without a verdict.</param>
        public TestCounts(int passed, int failed, int skipped, int inconclusive, double durationMs)
        {
            Passed = passed;
            Failed = failed;
            Skipped = skipped;
            Inconclusive = inconclusive;
            DurationMs = durationMs;
        }

        public int Passed { get; }

        public int Failed { get; }

        public int Skipped { get; }

        public int Inconclusive { get; }

        public double DurationMs { get; }

        public int Total => Passed + Failed + Skipped + Inconclusive;

        public TestCounts Plus(TestCounts more) => new TestCounts(
            Passed + more.Passed,
            Failed + more.Failed,
            Skipped + more.Skipped,
            Inconclusive + more.Inconclusive,
            DurationMs + more.DurationMs);

        /// <summary>The summary of a job's result.</summary>
        public JObject ToSummary()
        {
            var summary = new JObject
            {
                ["total"] = Total,
                ["passed"] = Passed,
                ["failed"] = Failed,
                ["skipped"] = Skipped,
                ["duration_ms"] = Math.Round(Math.Max(0, DurationMs)),
            };
            if (Inconclusive > 0)
            {
                summary["inconclusive"] = Inconclusive;
            }

            return summary;
        }

        public void Write(FieldWriter fields)
        {
            fields.Add(Passed);
            fields.Add(Failed);
            fields.Add(Skipped);
            fields.Add(Inconclusive);
            fields.Add((long)DurationMs);
        }

        public static TestCounts Read(FieldReader fields) => new TestCounts(
            (int)fields.Number(), (int)fields.Number(), (int)fields.Number(), (int)fields.Number(), fields.Number());
    }
}
