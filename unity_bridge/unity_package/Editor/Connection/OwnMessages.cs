using System;
using System.Collections.Generic;

namespace UnityMcpPlugin
{
    /// <summary>A message of the bridge itself.</summary>
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
    /// Messages of the bridge on their way to the console, first in, first out, and as text while a
    /// domain reload lies between. Thread-safe; bounded: what would be too much pushes the oldest out.
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

        /// <summary>All that wait; they don't any more.</summary>
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

        /// <summary>Those that wait, as text; empty when none does.</summary>
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

        /// <summary>Let wait what an earlier domain wrote; nothing happens when it isn't one of these.</summary>
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
                // Another version of the package wrote it.
            }
        }
    }
}
