using System;
using System.Collections.Generic;

namespace UnityMcpPlugin
{
    /// <summary>A list as text, which outlives the domain.</summary>
    internal static class StoredList
    {
        /// <param name="version">Of what <paramref name="write"/> writes of each.</param>
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

        /// <summary>What <see cref="Write{T}"/> has written; nothing of what another version of the package has.</summary>
        /// <param name="most">So many there can be.</param>
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
