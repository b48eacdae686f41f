using System;
using System.Collections.Generic;

namespace UnityMcpPlugin
{
    /// <summary>
    /// The answers to the last named requests that changed something. A client whose answer was lost repeats
    /// its request under the same name: it gets the first answer, and nothing is done twice. Survives a
    /// domain reload as text. Thread-safe.
    /// </summary>
    internal sealed class RequestMemory
    {
        /// <summary>Most remembered requests; the server relies on it.</summary>
        public const int MaxRemembered = 64;

        private const long StorageVersion = 1;

        private readonly object _gate = new object();
        private readonly Queue<string> _order = new Queue<string>();
        private readonly Dictionary<string, Remembered> _known = new Dictionary<string, Remembered>();

        /// <param name="stored">
        /// The result of <see cref="Save"/> in the last domain; empty for a new memory.
        /// </param>
        public RequestMemory(string stored)
        {
            if (!TryLoad(stored))
            {
                Id = Guid.NewGuid().ToString("N");
                _order.Clear();
                _known.Clear();
            }
        }

        /// <summary>The id of this memory: unchanged as long as only old requests are dropped.</summary>
        public string Id { get; private set; }

        /// <summary>The request with that name; null if there is none.</summary>
        public Remembered Find(string clientRequestId)
        {
            lock (_gate)
            {
                return _known.TryGetValue(clientRequestId, out var found) ? found : null;
            }
        }

        /// <summary>
        /// Add a request that changed something; its answer is stored in the returned object.
        /// </summary>
        /// <param name="asked">The request's content, so that it isn't confused with another one.</param>
        public Remembered Add(string clientRequestId, string asked)
        {
            var added = new Remembered(asked, null);
            lock (_gate)
            {
                Add(clientRequestId, added);
            }

            return added;
        }

        public string Save()
        {
            var fields = new FieldWriter();
            lock (_gate)
            {
                fields.Add(StorageVersion);
                fields.Add(Id);
                fields.Add(_order.Count);
                foreach (var name in _order)
                {
                    fields.Add(name);
                    fields.Add(_known[name].Asked);
                    fields.Add(_known[name].Answer);
                }
            }

            return fields.ToString();
        }

        private bool TryLoad(string stored)
        {
            if (string.IsNullOrEmpty(stored))
            {
                return false;
            }

            try
            {
                var fields = new FieldReader(stored);
                if (fields.Number() != StorageVersion)
                {
                    return false;
                }

                Id = fields.Text();
                for (var left = fields.Count(MaxRemembered); left > 0; left--)
                {
                    Add(fields.Text(), new Remembered(fields.Text(), fields.Text()));
                }

                return !string.IsNullOrEmpty(Id);
            }
            catch (Exception failure) when (failure is FormatException || failure is ArgumentException)
            {
                // Another version of the package wrote the text.
                return false;
            }
        }

        private void Add(string clientRequestId, Remembered request)
        {
            _known.Add(clientRequestId, request);
            _order.Enqueue(clientRequestId);
            if (_order.Count > MaxRemembered)
            {
                _known.Remove(_order.Dequeue());
            }
        }
    }

    /// <summary>One request and its answer.</summary>
    internal sealed class Remembered
    {
        private volatile string _answer;

        public Remembered(string asked, string answer)
        {
            Asked = asked;
            _answer = answer;
        }

        public string Asked { get; }

        /// <summary>The answer's frame as text; null until it is made, on a background thread.</summary>
        public string Answer
        {
            get => _answer;
            set => _answer = value;
        }
    }
}
