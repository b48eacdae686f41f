using System.Collections.Generic;
using System.Linq;

namespace UnityMcpPlugin
{
    /// <summary>A message to the server.</summary>
    internal sealed class Outgoing
    {
        /// <param name="isToldAnew">
        /// Whether it is sent again to every server that accepts this Editor.
        /// </param>
        public Outgoing(string requestId, byte[] bytes, bool isToldAnew = false)
        {
            RequestId = requestId;
            Bytes = bytes;
            IsToldAnew = isToldAnew;
        }

        /// <summary>The request that it answers; null for an unsolicited message.</summary>
        public string RequestId { get; }

        public bool IsToldAnew { get; }

        public byte[] Bytes { get; }
    }

    /// <summary>
    /// Answers to the server, first in, first out. An answer stays here until it was sent completely, across
    /// lost connections and domain reloads; the server drops duplicates. Bounded: the oldest are dropped. Not
    /// thread-safe.
    /// </summary>
    internal sealed class Outbox
    {
        public const int MaxAnswers = 64;
        public const int MaxBytes = 4 * WireFrames.MaxMessageBytes;

        private readonly LinkedList<Outgoing> _answers = new LinkedList<Outgoing>();
        private int _bytes;

        public int Count => _answers.Count;

        /// <summary>The next message to send; null if there is none.</summary>
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

        /// <summary>Remove a sent message; no effect if it was already dropped.</summary>
        public void Remove(Outgoing answer)
        {
            if (_answers.Remove(answer))
            {
                _bytes -= answer.Bytes.Length;
            }
        }
    }
}
