using System;
using System.Threading;
using UnityEngine;

namespace UnityMcpPlugin
{
    /// <summary>
    /// The bridge's own messages in the Editor's console, which <c>read_console</c> omits. Any thread adds
    /// them, the main thread logs them: a project's own log handler may not expect another thread, and its
    /// exceptions must not end one of ours.
    /// </summary>
    internal sealed class UnityLog : IBridgeLog
    {
        private readonly OwnMessages _messages = new OwnMessages();

        public void Info(string message) => _messages.Add(false, message);

        public void Warning(string message) => _messages.Add(true, message);

        /// <summary>Log all waiting messages. Main thread.</summary>
        public void Flush()
        {
            foreach (var message in _messages.TakeAll())
            {
                Write(message.IsWarning ? LogType.Warning : LogType.Log, message.Text);
            }
        }

        /// <summary>The messages that were not logged, as text for the next domain.</summary>
        public string Waiting() => _messages.Write();

        /// <summary>Add the messages that an earlier domain did not log.</summary>
        public void Restore(string waiting) => _messages.Read(waiting);

        /// <summary>
        /// Log an error at once: only while a domain is being loaded, when no test can be running. Main
        /// thread.
        /// </summary>
        public static void Error(string message) => Write(LogType.Error, message);

        // A stack trace would only ever show the bridge itself.
        private static void Write(LogType type, string message)
        {
            try
            {
                Debug.LogFormat(type, LogOption.NoStacktrace, null, "{0}", $"{ConsoleBuffer.OwnPrefix} {message}");
            }
            catch (Exception failure) when (!(failure is ThreadAbortException))
            {
                // The project's own log handler threw; there is nobody to report it to.
            }
        }
    }
}
