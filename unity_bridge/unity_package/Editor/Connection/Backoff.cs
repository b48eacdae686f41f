using System;

namespace UnityMcpPlugin
{
    /// <summary>
    /// The delay before the next attempt to connect: 100 ms, then 1.7 times as long each time, up to 1200 ms,
    /// each ±10 %.
    /// </summary>
    internal sealed class Backoff
    {
        public const double InitialMs = 100;
        public const double Multiplier = 1.7;
        public const double MaxMs = 1200;
        public const double JitterRatio = 0.1;

        private readonly Func<double> _random;
        private double _nextMs = InitialMs;

        /// <param name="random">Returns numbers from 0 up to 1.</param>
        public Backoff(Func<double> random) => _random = random;

        /// <summary>The next delay, in milliseconds.</summary>
        public int Next()
        {
            var delay = _nextMs * (1 + (JitterRatio * ((2 * _random()) - 1)));
            _nextMs = Math.Min(_nextMs * Multiplier, MaxMs);
            return (int)Math.Round(delay);
        }

        public void Reset() => _nextMs = InitialMs;
    }
}
