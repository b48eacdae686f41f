using System;
using System.Globalization;
using Newtonsoft.Json.Linq;

namespace UnityMcpPlugin
{
    /// <summary>The kind of a message; stored by its order.</summary>
    internal enum ConsoleEntryType
    {
        Log,
        Warning,
        Error,
        Assert,
        Exception,
    }

    /// <summary>One message of the console.</summary>
    internal sealed class ConsoleEntry
    {
        public ConsoleEntry(long id, ConsoleEntryType type, string message, string stackTrace, DateTime timeUtc)
        {
            Id = id;
            Type = type;
            Message = message;
            StackTrace = stackTrace;
            TimeUtc = timeUtc;
        }

        /// <summary>Counts from 1 since the Editor's start, across domain reloads.</summary>
        public long Id { get; }

        public ConsoleEntryType Type { get; }

        public string Message { get; }

        public string StackTrace { get; }

        public DateTime TimeUtc { get; }

        /// <summary>Its size in UTF-16 code units.</summary>
        public int Length => Message.Length + StackTrace.Length;

        public JObject ToJson() => new JObject
        {
            ["type"] = NameOf(Type),
            ["message"] = Message,
            ["stack_trace"] = StackTrace,
            ["timestamp"] = TimeUtc.ToString("yyyy-MM-dd'T'HH:mm:ss.fff'Z'", CultureInfo.InvariantCulture),
            ["id"] = Id,
        };

        public static string NameOf(ConsoleEntryType type)
        {
            switch (type)
            {
                case ConsoleEntryType.Log:
                    return "log";
                case ConsoleEntryType.Warning:
                    return "warning";
                case ConsoleEntryType.Error:
                    return "error";
                case ConsoleEntryType.Assert:
                    return "assert";
                default:
                    return "exception";
            }
        }
    }
}
