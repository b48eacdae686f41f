using System;
using Newtonsoft.Json.Linq;

namespace UnityMcpPlugin
{
    /// <summary>How many tests came to what, and how long they took. A value.</summary>
    internal sealed class TestCounts
    {
        public TestCounts()
        {
        }

        /// <param name="skipped">Those that came to no verdict too.</param>
        public TestCounts(int passed, int failed, int skipped, double durationMs)
        {
            Passed = passed;
            Failed = failed;
            Skipped = skipped;
            DurationMs = durationMs;
        }

        public int Passed { get; }

        public int Failed { get; }

        public int Skipped { get; }

        public double DurationMs { get; }

        public int Total => Passed + Failed + Skipped;

        public TestCounts Plus(TestCounts more) => new TestCounts(
            Passed + more.Passed, Failed + more.Failed, Skipped + more.Skipped, DurationMs + more.DurationMs);

        /// <summary>The summary of a job's result.</summary>
        public JObject ToSummary() => new JObject
        {
            ["total"] = Total,
            ["passed"] = Passed,
            ["failed"] = Failed,
            ["skipped"] = Skipped,
            ["duration_ms"] = Math.Round(Math.Max(0, DurationMs)),
        };

        public void Write(FieldWriter fields)
        {
            fields.Add(Passed);
            fields.Add(Failed);
            fields.Add(Skipped);
            fields.Add((long)DurationMs);
        }

        public static TestCounts Read(FieldReader fields) => new TestCounts(
            (int)fields.Number(), (int)fields.Number(), (int)fields.Number(), fields.Number());
    }
}
