using System.Collections.Generic;
using System.Linq;

namespace UnityMcpPlugin
{
    /// <summary>
    /// Answers on their way to the server, first in, first out. One stays here until it was sent
    /// whole, across lost connections and domain reloads; the server drops what it has twice.
    /// Bounded: what would be too much pushes the oldest out. Not thread-safe.
    /// </summary>
    internal sealed class Outbox
    {
        public const int MaxAnswers = 64;
        public const int MaxBytes = 4 * WireFrames.MaxMessageBytes;

        private readonly LinkedList<byte[]> _answers = new LinkedList<byte[]>();
        private int _bytes;

        public int Count => _answers.Count;

        /// <summary>What is to be sent next; null when there is nothing.</summary>
        public byte[] First => _answers.First?.Value;

        public IReadOnlyList<byte[]> All => _answers.ToArray();

        public void Add(byte[] answer)
        {
            _answers.AddLast(answer);
            _bytes += answer.Length;
            while (_answers.Count > 1 && (_answers.Count > MaxAnswers || _bytes > MaxBytes))
            {
                Remove(_answers.First.Value);
            }
        }

        /// <summary>It was sent; nothing happens when it was pushed out meanwhile.</summary>
        public void Remove(byte[] answer)
        {
            if (_answers.Remove(answer))
            {
                _bytes -= answer.Length;
            }
        }
    }
}
