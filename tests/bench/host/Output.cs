using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Text;

namespace UnityBench
{
    /// <summary>What the bench says: one JSON object a line, on stdout. Any thread.</summary>
    internal static class Output
    {
        private static readonly object s_Gate = new object();
        private static readonly TextWriter s_Out =
            new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false)) { AutoFlush = true, NewLine = "\n" };

        /// <summary>Writes an event; members are names and values in turn.</summary>
        internal static void Write(string what, params object[] members)
        {
            var line = new StringBuilder("{\"event\": ");
            Append(line, what);
            for (var index = 0; index + 1 < members.Length; index += 2)
            {
                line.Append(", ");
                Append(line, (string)members[index]);
                line.Append(": ");
                Append(line, members[index + 1]);
            }

            line.Append('}');
            lock (s_Gate)
            {
                s_Out.WriteLine(line.ToString());
            }
        }

        private static void Append(StringBuilder line, object value)
        {
            switch (value)
            {
                case null:
                    line.Append("null");
                    break;
                case bool flag:
                    line.Append(flag ? "true" : "false");
                    break;
                case string text:
                    AppendText(line, text);
                    break;
                case IEnumerable<string> list:
                    line.Append('[');
                    var separator = "";
                    foreach (var each in list)
                    {
                        line.Append(separator);
                        AppendText(line, each);
                        separator = ", ";
                    }

                    line.Append(']');
                    break;
                case double number:
                    line.Append(number.ToString("0.###", CultureInfo.InvariantCulture));
                    break;
                default:
                    line.Append(Convert.ToString(value, CultureInfo.InvariantCulture));
                    break;
            }
        }

        private static void AppendText(StringBuilder line, string text)
        {
            line.Append('"');
            foreach (var each in text)
            {
                if (each == '"' || each == '\\')
                {
                    line.Append('\\').Append(each);
                }
                else if (each < ' ' || char.IsSurrogate(each))
                {
                    line.Append("\\u").Append(((int)each).ToString("x4", CultureInfo.InvariantCulture));
                }
                else
                {
                    line.Append(each);
                }
            }

            line.Append('"');
        }
    }
}
