using System.Collections.Generic;
using System.Linq;

namespace UnityMcpPlugin
{
    /// <summary>A message as it goes to the server.</summary>
    internal sealed class Outgoing
    {
        /// <param name="isToldAnew">Whether it is told again to every server that accepts this Editor.</param>
        public Outgoing(string requestId, byte[] bytes, bool isToldAnew = false)
        {
            RequestId = requestId;
            Bytes = bytes;
            IsToldAnew = isToldAnew;
        }

        /// <summary>The request that it answers; null for what was not asked for.</summary>
        public string RequestId { get; }

        public bool IsToldAnew { get; }

        public byte[] Bytes { get; }
    }

    /// <summary>
    /// Answers on their way to the server, first in, first out. One stays here until it was sent
    /// whole, across lost connections and domain reloads; the server drops what it has twice.
    /// Bounded: what would be too much pushes the oldest out. Not thread-safe.
    /// </summary>
    internal sealed class Outbox
    {
        public const int MaxAnswers = 64;
        public const int MaxBytes = 4 * WireFrames.MaxMessageBytes;

        private readonly LinkedList<Outgoing> _answers = new LinkedList<Outgoing>();
        private int _bytes;

        public int Count => _answers.Count;

        /// <summary>What is to be sent next; null when there is nothing.</summary>
        public Outgoing First => _answers.First?.Value;

        public IReadOnlyList<Outgoing> All => _answers.ToArray();

        public void Add(Outgoing answer)
        {
            _answers.AddLast(answer);
            _bytes += answer.Bytes.Length;
            while (_answers.Count > 1 && (_answers.Count > MaxAnswers || _bytes > MaxBytes))
            {
                Remove(_answers.First.Value);
            }
        }

        /// <summary>It was sent; nothing happens when it was pushed out meanwhile.</summary>
        public void Remove(Outgoing answer)
        {
            if (_answers.Remove(answer))
            {
                _bytes -= answer.Bytes.Length;
            }
        }
    }
}
