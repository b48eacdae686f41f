using System;
using System.Collections.Generic;
using System.Diagnostics;

namespace UnityBench
{
    /// <summary>How long the domain kept the main loop, each time: in microseconds.</summary>
    internal sealed class Durations
    {
        private const long BudgetUs = 5000;

        private readonly List<long> m_Updates = new List<long>();
        private readonly List<long> m_Events = new List<long>();

        internal void Add(long update) => m_Updates.Add(update);

        internal void Time(Action call)
        {
            var started = Stopwatch.GetTimestamp();
            call();
            m_Events.Add((Stopwatch.GetTimestamp() - started) * 1000000 / Stopwatch.Frequency);
        }

        /// <summary>Reports and begins anew.</summary>
        internal void Report()
        {
            m_Updates.Sort();
            m_Events.Sort();
            Output.Write(
                "stats",
                "updates", m_Updates.Count,
                "p50_us", At(m_Updates, 0.5),
                "p99_us", At(m_Updates, 0.99),
                "p999_us", At(m_Updates, 0.999),
                "max_us", At(m_Updates, 1),
                "over_5_ms", m_Updates.FindAll(each => each > BudgetUs).Count,
                "events", m_Events.Count,
                "events_max_us", At(m_Events, 1));
            m_Updates.Clear();
            m_Events.Clear();
        }

        private static long At(List<long> sorted, double share) =>
            sorted.Count == 0 ? 0 : sorted[(int)Math.Min(sorted.Count - 1, share * sorted.Count)];
    }
}
