using System;
using System.Threading;
using UnityEngine;

namespace UnityMcpPlugin
{
    /// <summary>
    /// The bridge's own messages in the Editor's console, which <c>read_console</c> leaves out. Any
    /// thread gives them, the main thread writes them: a project may have a log handler of its own,
    /// which expects no other thread, and whose exceptions must not end one of ours.
    /// </summary>
    internal sealed class UnityLog : IBridgeLog
    {
        private readonly OwnMessages _messages = new OwnMessages();

        public void Info(string message) => _messages.Add(false, message);

        public void Warning(string message) => _messages.Add(true, message);

        /// <summary>Write all that waits. Main thread.</summary>
        public void Flush()
        {
            foreach (var message in _messages.TakeAll())
            {
                Write(message.IsWarning ? LogType.Warning : LogType.Log, message.Text);
            }
        }

        /// <summary>What was not written, as text for another domain.</summary>
        public string Waiting() => _messages.Write();

        /// <summary>Take over what an earlier domain did not write.</summary>
        public void Restore(string waiting) => _messages.Read(waiting);

        /// <summary>Write an error at once: only while a domain comes up, when no test can be running. Main thread.</summary>
        public static void Error(string message) => Write(LogType.Error, message);

        // A stack trace would only ever lead to the bridge itself.
        private static void Write(LogType type, string message)
        {
            try
            {
                Debug.LogFormat(type, LogOption.NoStacktrace, null, "{0}", $"{ConsoleBuffer.OwnPrefix} {message}");
            }
            catch (Exception failure) when (!(failure is ThreadAbortException))
            {
                // The project's own log handler threw; whom could one tell?
            }
        }
    }
}
