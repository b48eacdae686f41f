using System;
#if UNITY_EDITOR_WIN
using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Text;
#endif

namespace UnityMcpPlugin
{
    /// <summary>
    /// The modal dialogs of this Editor. On Windows any thread can see them without the main thread; on other
    /// systems their state is unknown.
    /// </summary>
    internal sealed class EditorDialogs : IDialogs
    {
#if UNITY_EDITOR_WIN
        private const string DialogClass = "#32770";
        private const uint Owner = 4;
        private const int MaxLength = 256;

        // Unity's own progress dialog: there is nothing to answer.
        private const string Busy = "Hold on";

        private delegate bool OnWindow(IntPtr window, IntPtr parameter);

        public string OpenTitle()
        {
            string found = null;
            var own = (uint)Process.GetCurrentProcess().Id;
            EnumWindows(
                (window, _) =>
                {
                    GetWindowThreadProcessId(window, out var process);
                    found = process == own ? ModalTitle(window) : null;
                    return found == null;
                },
                IntPtr.Zero);
            return found;
        }

        private static string ModalTitle(IntPtr window)
        {
            var owner = GetWindow(window, Owner);
            if (!IsWindowVisible(window) || owner == IntPtr.Zero || IsWindowEnabled(owner))
            {
                return null;
            }

            var name = new StringBuilder(MaxLength);
            GetClassName(window, name, MaxLength);
            var title = new StringBuilder(MaxLength);

            // GetWindowText would wait for the main thread.
            InternalGetWindowText(window, title, MaxLength);
            var text = title.ToString();
            return name.ToString() != DialogClass || text.StartsWith(Busy, StringComparison.OrdinalIgnoreCase) ? null : text;
        }

        [DllImport("user32.dll")]
        private static extern bool EnumWindows(OnWindow callback, IntPtr parameter);

        [DllImport("user32.dll")]
        private static extern uint GetWindowThreadProcessId(IntPtr window, out uint process);

        [DllImport("user32.dll")]
        private static extern bool IsWindowVisible(IntPtr window);

        [DllImport("user32.dll")]
        private static extern bool IsWindowEnabled(IntPtr window);

        [DllImport("user32.dll")]
        private static extern IntPtr GetWindow(IntPtr window, uint relation);

        [DllImport("user32.dll", CharSet = CharSet.Unicode)]
        private static extern int GetClassName(IntPtr window, StringBuilder name, int length);

        [DllImport("user32.dll", CharSet = CharSet.Unicode)]
        private static extern int InternalGetWindowText(IntPtr window, StringBuilder text, int length);
#else
        public string OpenTitle() => null;
#endif
    }
}
