using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.RegularExpressions;

namespace UnityMcpPlugin
{
    /// <summary>
    /// The newest messages of the console, oldest first. Thread-safe; bounded in number and in size. Unity
    /// reports a compiler message twice, by event and by log; it is kept once.
    /// </summary>
    internal sealed class ConsoleBuffer
    {
        public const int MaxEntries = 5000;

        /// <summary>Most text that is kept, in UTF-16 code units.</summary>
        public const int MaxTotalLength = 24 * 1024 * 1024;

        /// <summary>The prefix of the package's own messages, which are not kept.</summary>
        public const string OwnPrefix = "[Unity MCP]";

        // Most messages have a place in a file; those about a missing file have none.
        private static readonly Regex Compilers = new Regex(
            @"\A(?:[^\n]*\([0-9]+,[0-9]+\): *)?(?:error|warning) [A-Za-z]+[0-9]+: ", RegexOptions.CultureInvariant);

        private readonly object _gate = new object();
        private readonly Queue<ConsoleEntry> _entries = new Queue<ConsoleEntry>();
        private readonly HashSet<string> _compilerMessages = new HashSet<string>();
        private readonly int _maxEntries;
        private readonly int _maxTotalLength;
        private long _lastId;
        private long _totalLength;

        public ConsoleBuffer(int maxEntries = MaxEntries, int maxTotalLength = MaxTotalLength)
        {
            _maxEntries = maxEntries;
            _maxTotalLength = maxTotalLength;
        }

        /// <summary>Keep a logged message.</summary>
        public void Logged(ConsoleEntryType type, string message, string stackTrace, DateTime timeUtc)
        {
            if (message != null && message.StartsWith(OwnPrefix, StringComparison.Ordinal))
            {
                return;
            }

            var kept = ConsoleText.Kept(message);
            var keptStack = ConsoleText.Kept(stackTrace);
            lock (_gate)
            {
                // Only errors and warnings can be the compiler's: those that it has reported, and those that
                // look like it, which it may still report.
                var mayBeCompilers = type == ConsoleEntryType.Error || type == ConsoleEntryType.Warning;
                var isKnown = mayBeCompilers && (LooksLikeCompilers(kept) ? !_compilerMessages.Add(kept) : _compilerMessages.Contains(kept));
                if (!isKnown)
                {
                    Append(type, kept, keptStack, timeUtc);
                }
            }
        }

        /// <summary>Keep a message of the compiler.</summary>
        public void Compiled(ConsoleEntryType type, string message, DateTime timeUtc)
        {
            var kept = ConsoleText.Kept(message);
            lock (_gate)
            {
                if (_compilerMessages.Add(kept))
                {
                    Append(type, kept, "", timeUtc);
                }
            }
        }

        /// <summary>Note that the messages of the last compilation may come again.</summary>
        public void CompilationStarted()
        {
            lock (_gate)
            {
                _compilerMessages.Clear();
            }
        }

        /// <summary>All entries, oldest first, and the highest id so far.</summary>
        public IReadOnlyList<ConsoleEntry> Snapshot(out long lastId)
        {
            lock (_gate)
            {
                lastId = _lastId;
                return _entries.ToArray();
            }
        }

        /// <summary>Add the entries of an earlier domain, before any of this one.</summary>
        public void Restore(IEnumerable<ConsoleEntry> entries, long lastId)
        {
            lock (_gate)
            {
                var since = _entries.ToArray();
                _entries.Clear();
                _totalLength = 0;
                _lastId = lastId;
                foreach (var entry in entries)
                {
                    Enqueue(entry);
                }

                foreach (var entry in since)
                {
                    Append(entry.Type, entry.Message, entry.StackTrace, entry.TimeUtc);
                }
            }
        }

        private static bool LooksLikeCompilers(string message) => Compilers.IsMatch(message);

        private void Append(ConsoleEntryType type, string message, string stackTrace, DateTime timeUtc) =>
            Enqueue(new ConsoleEntry(++_lastId, type, message, stackTrace, timeUtc));

        private void Enqueue(ConsoleEntry entry)
        {
            _entries.Enqueue(entry);
            _totalLength += entry.Length;
            while (_entries.Count > _maxEntries || (_totalLength > _maxTotalLength && _entries.Count > 1))
            {
                _totalLength -= _entries.Dequeue().Length;
            }
        }
    }
}
