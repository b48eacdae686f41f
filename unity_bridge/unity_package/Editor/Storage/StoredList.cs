using System;
using System.Collections.Generic;

namespace UnityMcpPlugin
{
    /// <summary>A list as text, which survives a domain reload.</summary>
    internal static class StoredList
    {
        /// <param name="version">The version of the format of <paramref name="write"/>.</param>
        public static string Write<T>(long version, IReadOnlyCollection<T> items, Action<T, FieldWriter> write)
        {
            var fields = new FieldWriter();
            fields.Add(version);
            fields.Add(items.Count);
            foreach (var item in items)
            {
                write(item, fields);
            }

            return fields.ToString();
        }

        /// <summary>
        /// Reads what <see cref="Write{T}"/> has written; empty if another version of the package wrote it.
        /// </summary>
        /// <param name="most">The largest valid number of items.</param>
        public static IReadOnlyList<T> Read<T>(string stored, long version, int most, Func<FieldReader, T> read)
        {
            var items = new List<T>();
            if (string.IsNullOrEmpty(stored))
            {
                return items;
            }

            try
            {
                var fields = new FieldReader(stored);
                if (fields.Number() == version)
                {
                    for (var left = fields.Count(most); left > 0; left--)
                    {
                        items.Add(read(fields));
                    }
                }
            }
            catch (Exception failure) when (failure is FormatException || failure is ArgumentException)
            {
                items.Clear();
            }

            return items;
        }
    }
}
