using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.RegularExpressions;

namespace UnityMcpPlugin
{
    /// <summary>
    /// The newest messages of the console, oldest first. Thread-safe; bounded in number and in size.
    /// A compiler message that comes on two ways, as Unity tells it and as it logs it, is kept once.
    /// </summary>
    internal sealed class ConsoleBuffer
    {
        public const int MaxEntries = 5000;

        /// <summary>Most text that is held, in UTF-16 code units.</summary>
        public const int MaxTotalLength = 24 * 1024 * 1024;

        /// <summary>Messages of the package itself begin with this and are not kept.</summary>
        public const string OwnPrefix = "[Unity MCP]";

        // Most messages have a place in a file; those about a file that is missing have none.
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

        /// <summary>Keep a message that was logged.</summary>
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
                // Only errors and warnings can be the compiler's: those that it told, and those that
                // look like it, which it may tell yet.
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

        /// <summary>The compiler's messages of the last compilation may come again.</summary>
        public void CompilationStarted()
        {
            lock (_gate)
            {
                _compilerMessages.Clear();
            }
        }

        /// <summary>All entries, oldest first, and the id of the newest that there ever was.</summary>
        public IReadOnlyList<ConsoleEntry> Snapshot(out long lastId)
        {
            lock (_gate)
            {
                lastId = _lastId;
                return _entries.ToArray();
            }
        }

        /// <summary>Take over what an earlier domain kept, before anything of this one.</summary>
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
