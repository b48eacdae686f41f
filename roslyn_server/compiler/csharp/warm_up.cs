// Judge the syntax of one script at the start, so that the runtime has compiled the code before the
// first verdict.
using System;
using System.IO;
using System.Threading;

namespace RoslynServer
{
    /// <summary>Runs while Python loads its own modules.</summary>
    public static class WarmUp
    {
        // The same as the server's own threads.
        private const int StackBytes = 64 * 1024 * 1024;

        private static Thread _thread;
        private static bool _isWell;

        /// <summary>
        /// Starts judging the syntax of the script at a path, on a separate thread.
        /// </summary>
        public static void Begin(string script)
        {
            _thread = new Thread(() => Judge(script), StackBytes) { IsBackground = true };
            _thread.Start();
        }

        /// <summary>Waits for its end. False: it never began, or failed.</summary>
        public static bool Ended()
        {
            _thread?.Join();
            return _isWell;
        }

        private static void Judge(string script)
        {
            try
            {
                var sets = new[] { new[] { "UNITY_EDITOR" }, Array.Empty<string>() };
                Host.SyntaxDiagnostics(File.ReadAllText(script), sets, "9.0", false, false, default);
                _isWell = true;
            }
            catch (Exception)
            {
                // A real question reports what fails.
            }
        }
    }
}
