// What a verdict on syntax takes, asked once for nothing, so that the runtime has compiled it when the
// first one is wanted.
using System;
using System.IO;
using System.Threading;

namespace RoslynServer
{
    /// <summary>Goes on while Python loads what it needs itself.</summary>
    public static class WarmUp
    {
        // As the server's own threads.
        private const int StackBytes = 64 * 1024 * 1024;

        private static Thread _thread;
        private static bool _isWell;

        /// <summary>Begin to judge the syntax of the script at a path, on a thread of its own.</summary>
        public static void Begin(string script)
        {
            _thread = new Thread(() => Judge(script), StackBytes) { IsBackground = true };
            _thread.Start();
        }

        /// <summary>Wait for its end. False: it never began, or failed.</summary>
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
                // Who asks in earnest is told what fails.
            }
        }
    }
}
