using System;
using System.Collections.Generic;
using System.Linq;

namespace UnityMcpPlugin
{
    /// <summary>
    /// Console entries as one string for <c>SessionState</c>, and back; 5,000 of them take some milliseconds.
    /// </summary>
    internal static class ConsoleStorage
    {
        /// <summary>Most text that is stored, in UTF-16 code units: the newest entries that fit.</summary>
        public const int MaxLength = 2 * 1024 * 1024;

        private const long Version = 2;

        public static string Write(IReadOnlyList<ConsoleEntry> entries, long lastId, int maxLength = MaxLength)
        {
            var first = entries.Count;
            for (var room = (long)maxLength; first > 0 && room >= entries[first - 1].Length; first--)
            {
                room -= entries[first - 1].Length;
            }

            var fields = new FieldWriter();
            fields.Add(Version);
            fields.Add(lastId);
            fields.Add(entries.Count - first);
            foreach (var entry in entries.Skip(first))
            {
                fields.Add(entry.Id);
                fields.Add((long)entry.Type);
                fields.Add(entry.TimeUtc.Ticks);
                fields.Add(entry.Message);
                fields.Add(entry.StackTrace);
            }

            return fields.ToString();
        }

        /// <summary>The entries; none if the string is empty or has another format.</summary>
        public static IReadOnlyList<ConsoleEntry> Read(string text, out long lastId)
        {
            lastId = 0;
            try
            {
                var fields = new FieldReader(text);
                if (fields.Number() != Version)
                {
                    return new ConsoleEntry[0];
                }

                var newest = fields.Number();
                var entries = new ConsoleEntry[fields.Count(ConsoleBuffer.MaxEntries)];
                for (var index = 0; index < entries.Length; index++)
                {
                    var id = fields.Number();
                    var type = (ConsoleEntryType)fields.Number();
                    var time = new DateTime(fields.Number(), DateTimeKind.Utc);
                    entries[index] = new ConsoleEntry(id, type, fields.Text() ?? "", fields.Text() ?? "", time);
                }

                lastId = newest;
                return entries;
            }
            catch (Exception failure) when (failure is FormatException || failure is ArgumentException)
            {
                // Another version of the package wrote the text.
                return new ConsoleEntry[0];
            }
        }
    }
}
