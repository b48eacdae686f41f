using System;

namespace UnityMcpPlugin
{
    /// <summary>The Editor's windows, seen from a background thread.</summary>
    internal interface IDialogs
    {
        /// <summary>The title of an open modal dialog; null if none is open, or visible.</summary>
        string OpenTitle();
    }

    /// <summary>
    /// Detects from a background thread that the main thread has stopped running: it imports, waits for the
    /// answer to a dialog, or runs a script that doesn't return. Only a visible dialog shows which of them it
    /// is. Times are milliseconds of one clock.
    /// </summary>
    internal sealed class MainThreadWatch
    {
        /// <summary>
        /// How long it must not run before that is reported; an Editor without focus may run once a second.
        /// </summary>
        public const long LimitMs = 2000;

        /// <summary>How often to look.</summary>
        public const int LookMs = 500;

        private const int MaxTitleLength = 200;

        private readonly Func<long> _lastRunMs;
        private readonly IDialogs _dialogs;
        private readonly StatusBoard _board;
        private readonly Func<long> _nowMs;

        /// <param name="lastRunMs">Returns when the main thread last ran; any thread.</param>
        public MainThreadWatch(Func<long> lastRunMs, IDialogs dialogs, StatusBoard board, Func<long> nowMs)
        {
            _lastRunMs = lastRunMs;
            _dialogs = dialogs;
            _board = board;
            _nowMs = nowMs;
        }

        /// <summary>Check, and update the board. One thread.</summary>
        /// <returns>What blocks the main thread; null while it runs.</returns>
        public Blockage Look()
        {
            var lastRun = _lastRunMs();
            var blocked = _nowMs() - lastRun < LimitMs ? null : new Blockage(lastRun, Title());
            _board.SetBlocked(blocked);
            return blocked;
        }

        private string Title()
        {
            var title = ConsoleText.Clean(_dialogs.OpenTitle() ?? "").Trim();
            return title == "" ? null : title.Length <= MaxTitleLength ? title : title.Substring(0, MaxTitleLength);
        }
    }
}
