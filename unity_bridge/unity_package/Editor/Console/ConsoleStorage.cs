using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;

namespace UnityMcpPlugin
{
    /// <summary>
    /// Console entries as one string, for <c>SessionState</c>, and back. Lengths stand before texts,
    /// so nothing is escaped: 5,000 entries take some milliseconds.
    /// </summary>
    internal static class ConsoleStorage
    {
        /// <summary>Most text that is stored, in UTF-16 code units; the newest entries that fit.</summary>
        public const int MaxLength = 2 * 1024 * 1024;

        private const string Version = "1";
        private const char Separator = ' ';

        public static string Write(IReadOnlyList<ConsoleEntry> entries, long lastId, int maxLength = MaxLength)
        {
            var first = entries.Count;
            for (var room = (long)maxLength; first > 0 && room >= entries[first - 1].Length; first--)
            {
                room -= entries[first - 1].Length;
            }

            var text = new StringBuilder();
            Field(text, Version);
            Field(text, lastId);
            Field(text, entries.Count - first);
            foreach (var entry in entries.Skip(first))
            {
                Field(text, entry.Id);
                Field(text, (int)entry.Type);
                Field(text, entry.TimeUtc.Ticks);
                Field(text, entry.Message.Length);
                Field(text, entry.StackTrace.Length);
                text.Append(entry.Message).Append(entry.StackTrace);
            }

            return text.ToString();
        }

        /// <summary>The entries; none when the string is empty or isn't one of these.</summary>
        public static IReadOnlyList<ConsoleEntry> Read(string text, out long lastId)
        {
            lastId = 0;
            try
            {
                var at = 0;
                if (string.IsNullOrEmpty(text) || Next(text, ref at) != Version)
                {
                    return new ConsoleEntry[0];
                }

                lastId = NextNumber(text, ref at);
                var entries = new ConsoleEntry[NextNumber(text, ref at)];
                for (var index = 0; index < entries.Length; index++)
                {
                    var id = NextNumber(text, ref at);
                    var type = (ConsoleEntryType)NextNumber(text, ref at);
                    var time = new DateTime(NextNumber(text, ref at), DateTimeKind.Utc);
                    var messageLength = (int)NextNumber(text, ref at);
                    var stackLength = (int)NextNumber(text, ref at);
                    var message = text.Substring(at, messageLength);
                    var stackTrace = text.Substring(at + messageLength, stackLength);
                    at += messageLength + stackLength;
                    entries[index] = new ConsoleEntry(id, type, message, stackTrace, time);
                }

                return entries;
            }
            catch (Exception failure) when (failure is FormatException || failure is ArgumentException || failure is OverflowException)
            {
                // Another version of the package wrote it.
                return new ConsoleEntry[0];
            }
        }

        private static void Field(StringBuilder text, string value) => text.Append(value).Append(Separator);

        private static void Field(StringBuilder text, long value) =>
            Field(text, value.ToString(CultureInfo.InvariantCulture));

        private static string Next(string text, ref int at)
        {
            var end = text.IndexOf(Separator, at);
            if (end < 0)
            {
                throw new FormatException();
            }

            var field = text.Substring(at, end - at);
            at = end + 1;
            return field;
        }

        private static long NextNumber(string text, ref int at) =>
            long.Parse(Next(text, ref at), NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture);
    }
}
