using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace UnityMcpPlugin
{
    /// <summary>
    /// <c>read_console</c>: the newest entries, or those after a cursor, oldest first. It reads only the
    /// buffer, so it answers even while the main thread is blocked.
    /// </summary>
    internal sealed class ReadConsoleTool : ITool
    {
        public const int DefaultEntries = 200;
        public const int MaxEntries = 2000;

        /// <summary>
        /// Largest result, in bytes: MCP clients accept messages below 1 MiB, and the server repeats a part
        /// of the result as text.
        /// </summary>
        public const int MaxResultBytes = 900000;

        /// <summary>Room for the fields around the entries, in bytes.</summary>
        private const int EnvelopeBytes = 1024;

        private readonly ConsoleBuffer _buffer;
        private readonly string _run;

        /// <param name="run">
        /// The id of this run of the Editor: cursors of other runs have no meaning here.
        /// </param>
        public ReadConsoleTool(ConsoleBuffer buffer, string run)
        {
            _buffer = buffer;
            _run = run;
        }

        public string Name => "read_console";

        public bool NeedsMainThread => false;

        public bool ChangesThings => false;

        public Func<ToolOutcome> Prepare(JObject parameters)
        {
            var query = new Query();
            var problem = Read(parameters, query);
            return problem == null
                ? (Func<ToolOutcome>)(() => Run(query))
                : () => ToolOutcome.Refused(ToolFailure.InvalidParams, problem);
        }

        private ToolOutcome Run(Query query)
        {
            var all = _buffer.Snapshot(out var lastId);
            var matching = all.Where(query.Matches).ToArray();

            // After a cursor no entry may be skipped: the oldest come first.
            var taken = Fitting(query.Since == null ? matching.Reverse() : matching, query.Count);
            if (query.Since == null)
            {
                taken.Reverse();
            }

            var leftOut = matching.Length > taken.Count;
            var lost = query.Since != null && all.Count > 0 && all[0].Id > query.Since + 1;
            var next = query.Since != null && leftOut ? taken[taken.Count - 1].Id : lastId;
            var entries = new JArray(taken.Select(entry => (object)entry.ToJson()).ToArray());
            var result = new JObject
            {
                ["entries"] = entries,
                ["count"] = taken.Count,
                ["truncated"] = leftOut || lost,
                ["next_cursor"] = Cursor(next),
            };
            return ToolOutcome.Ok(() => result);
        }

        /// <summary>
        /// The first entries, up to the requested number and the size limit; at least one always fits.
        /// </summary>
        private static List<ConsoleEntry> Fitting(IEnumerable<ConsoleEntry> entries, int count)
        {
            var room = (long)MaxResultBytes - EnvelopeBytes;
            var taken = new List<ConsoleEntry>();
            foreach (var entry in entries.Take(count))
            {
                room -= Bytes(entry.ToJson()) + 1;
                if (room < 0)
                {
                    break;
                }

                taken.Add(entry);
            }

            return taken;
        }

        private static int Bytes(JToken token) => Encoding.UTF8.GetByteCount(token.ToString(Formatting.None));

        private string Cursor(long id) => $"{_run}-{id.ToString(CultureInfo.InvariantCulture)}";

        /// <summary>Reads the parameters; returns what is wrong with them, or null.</summary>
        private string Read(JObject parameters, Query query)
        {
            var count = parameters["max_entries"];
            if (count != null)
            {
                if (count.Type != JTokenType.Integer || (long)count < 1 || (long)count > MaxEntries)
                {
                    return $"max_entries is a whole number from 1 to {MaxEntries}.";
                }

                query.Count = (int)count;
            }

            var types = parameters["types"];
            if (types != null)
            {
                if (!(types is JArray list) || list.Any(each => !query.AddType(each.ToString())))
                {
                    return "types lists some of log, warning, error, assert and exception.";
                }
            }

            query.Contains = parameters["contains"]?.ToString();
            var since = parameters["since"]?.ToString();
            if (since != null)
            {
                var dash = since.LastIndexOf('-');
                if (dash < 0 || !long.TryParse(since.Substring(dash + 1), NumberStyles.None, CultureInfo.InvariantCulture, out var id))
                {
                    return "since is a next_cursor of an earlier read_console.";
                }

                // The cursor is from an earlier run of the Editor, so every entry is new.
                query.Since = since.Substring(0, dash) == _run ? id : 0;
            }

            return null;
        }

        private sealed class Query
        {
            private readonly HashSet<ConsoleEntryType> _types = new HashSet<ConsoleEntryType>();

            public int Count { get; set; } = DefaultEntries;

            public string Contains { get; set; }

            /// <summary>Only entries after this id; null for all.</summary>
            public long? Since { get; set; }

            public bool AddType(string name)
            {
                foreach (ConsoleEntryType type in Enum.GetValues(typeof(ConsoleEntryType)))
                {
                    if (ConsoleEntry.NameOf(type) == name)
                    {
                        _types.Add(type);
                        return true;
                    }
                }

                return false;
            }

            public bool Matches(ConsoleEntry entry) =>
                (Since == null || entry.Id > Since) &&
                (_types.Count == 0 || _types.Contains(entry.Type)) &&
                (Contains == null || entry.Message.IndexOf(Contains, StringComparison.OrdinalIgnoreCase) >= 0);
        }
    }
}
