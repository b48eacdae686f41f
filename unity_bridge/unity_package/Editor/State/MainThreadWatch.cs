using System;

namespace UnityMcpPlugin
{
    /// <summary>The Editor's windows, seen from another thread than the main one.</summary>
    internal interface IDialogs
    {
        /// <summary>The title of a modal dialog that is open; null where none is, or none can be seen.</summary>
        string OpenTitle();
    }

    /// <summary>
    /// Sees from another thread that the main thread has stopped running: it imports, waits for the
    /// answer to a dialog, or runs a script that doesn't return. Which of them it is can be told only
    /// where an open dialog can be seen. Times are milliseconds of one clock.
    /// </summary>
    internal sealed class MainThreadWatch
    {
        /// <summary>How long it has not run before that is told; an Editor without focus runs once a second perhaps.</summary>
        public const long LimitMs = 2000;

        /// <summary>How often to look.</summary>
        public const int LookMs = 500;

        private const int MaxTitleLength = 200;

        private readonly Func<long> _lastRunMs;
        private readonly IDialogs _dialogs;
        private readonly StatusBoard _board;
        private readonly Func<long> _nowMs;

        /// <param name="lastRunMs">When the main thread ran last; any thread.</param>
        public MainThreadWatch(Func<long> lastRunMs, IDialogs dialogs, StatusBoard board, Func<long> nowMs)
        {
            _lastRunMs = lastRunMs;
            _dialogs = dialogs;
            _board = board;
            _nowMs = nowMs;
        }

        /// <summary>Look, and put what there is to see on the board. One thread.</summary>
        /// <returns>What keeps the main thread; null while it runs.</returns>
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
