using UnityEngine;

namespace UnityMcpPlugin
{
    /// <summary>The bridge's own messages in the Editor's console, which <c>read_console</c> leaves out.</summary>
    internal sealed class UnityLog : IBridgeLog
    {
        public void Info(string message) => Write(LogType.Log, message);

        public void Warning(string message) => Write(LogType.Warning, message);

        public void Error(string message) => Write(LogType.Error, message);

        // A stack trace would only ever lead to the bridge's own threads.
        private static void Write(LogType type, string message) => Debug.LogFormat(
            type, LogOption.NoStacktrace, null, "{0}", $"{ConsoleBuffer.OwnPrefix} {message}");
    }
}
