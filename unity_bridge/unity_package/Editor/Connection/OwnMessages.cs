using System;
using System.Collections.Generic;

namespace UnityMcpPlugin
{
    /// <summary>A message from the bridge itself.</summary>
    internal readonly struct OwnMessage
    {
        public OwnMessage(bool isWarning, string text)
        {
            IsWarning = isWarning;
            Text = text;
        }

        public bool IsWarning { get; }

        public string Text { get; }
    }

    /// <summary>
    /// The bridge's messages to the console, first in, first out; stored as text during a domain reload.
    /// Thread-safe; bounded: the oldest are dropped.
    /// </summary>
    internal sealed class OwnMessages
    {
        public const int MaxWaiting = 64;

        /// <summary>Longest message, in UTF-16 code units.</summary>
        public const int MaxLength = 8192;

        private readonly object _gate = new object();
        private readonly Queue<OwnMessage> _waiting = new Queue<OwnMessage>();

        public void Add(bool isWarning, string text)
        {
            var kept = text.Length <= MaxLength ? text : text.Substring(0, MaxLength) + "…";
            lock (_gate)
            {
                _waiting.Enqueue(new OwnMessage(isWarning, kept));
                if (_waiting.Count > MaxWaiting)
                {
                    _waiting.Dequeue();
                }
            }
        }

        /// <summary>Removes and returns all waiting messages.</summary>
        public IReadOnlyList<OwnMessage> TakeAll()
        {
            lock (_gate)
            {
                if (_waiting.Count == 0)
                {
                    return Array.Empty<OwnMessage>();
                }

                var all = _waiting.ToArray();
                _waiting.Clear();
                return all;
            }
        }

        /// <summary>The waiting messages as text; empty if none wait.</summary>
        public string Write()
        {
            lock (_gate)
            {
                if (_waiting.Count == 0)
                {
                    return "";
                }

                var fields = new FieldWriter();
                fields.Add(_waiting.Count);
                foreach (var message in _waiting)
                {
                    fields.Add(message.IsWarning);
                    fields.Add(message.Text);
                }

                return fields.ToString();
            }
        }

        /// <summary>
        /// Add the messages that an earlier domain wrote; no effect if the text has another format.
        /// </summary>
        public void Read(string text)
        {
            if (string.IsNullOrEmpty(text))
            {
                return;
            }

            try
            {
                var fields = new FieldReader(text);
                for (var left = fields.Count(MaxWaiting); left > 0; left--)
                {
                    Add(fields.Flag(), fields.Text() ?? "");
                }
            }
            catch (FormatException)
            {
                // Another version of the package wrote the text.
            }
        }
    }
}
