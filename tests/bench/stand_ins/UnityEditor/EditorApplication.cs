using System;
using UnityEngine;

namespace UnityEditor
{
    public enum PlayModeStateChange
    {
        EnteredEditMode,
        ExitingEditMode,
        EnteredPlayMode,
        ExitingPlayMode,
    }

    public enum PauseState
    {
        Paused,
        Unpaused,
    }

    public sealed class EditorApplication
    {
        public delegate void CallbackFunction();

        public static CallbackFunction update;

        public static CallbackFunction delayCall;

        public static event Action<PlayModeStateChange> playModeStateChanged;

        public static event Action<PauseState> pauseStateChanged;

        public static event Action quitting;

        public static event Func<bool> wantsToQuit;

        /// <summary>Setting it asks for the change, which comes after the current update.</summary>
        public static bool isPlaying
        {
            get
            {
                BenchSide.MainThreadOnly("get_isPlaying");
                return BenchSide.Flags.Playing;
            }

            set
            {
                BenchSide.MainThreadOnly("set_isPlaying");
                BenchSide.Editor.RequestPlayMode(value);
                BenchSide.Flags.WillPlay = value;
            }
        }

        public static bool isPlayingOrWillChangePlaymode
        {
            get
            {
                BenchSide.MainThreadOnly("get_isPlayingOrWillChangePlaymode");
                return BenchSide.Flags.WillPlay;
            }
        }

        public static bool isPaused
        {
            get
            {
                BenchSide.MainThreadOnly("get_isPaused");
                return BenchSide.Flags.Paused;
            }

            set
            {
                BenchSide.MainThreadOnly("set_isPaused");
                if (BenchSide.Flags.Paused != value)
                {
                    BenchSide.Flags.Paused = value;
                    BenchSide.Editor.SetPaused(value);
                    RaisePause();
                }
            }
        }

        public static bool isCompiling
        {
            get
            {
                BenchSide.MainThreadOnly("get_isCompiling");
                return BenchSide.Flags.Compiling;
            }
        }

        public static bool isUpdating
        {
            get
            {
                BenchSide.MainThreadOnly("get_isUpdating");
                return BenchSide.Flags.Importing;
            }
        }

        public static double timeSinceStartup => (DateTime.UtcNow - s_Start).TotalSeconds;

        public static string applicationPath => "/opt/unity/Editor/Unity";

        public static string applicationContentsPath => "/opt/unity/Editor/Data";

        private static readonly DateTime s_Start = System.Diagnostics.Process.GetCurrentProcess().StartTime.ToUniversalTime();

        public static void EnterPlaymode() => isPlaying = true;

        public static void ExitPlaymode() => isPlaying = false;

        public static void QueuePlayerLoopUpdate() => BenchSide.MainThreadOnly("QueuePlayerLoopUpdate");

        public static void LockReloadAssemblies()
        {
            BenchSide.MainThreadOnly("LockReloadAssemblies");
            BenchSide.Editor.LockReload(1);
        }

        public static void UnlockReloadAssemblies()
        {
            BenchSide.MainThreadOnly("UnlockReloadAssemblies");
            BenchSide.Editor.LockReload(-1);
        }

        internal static bool CanReloadAssemblies()
        {
            BenchSide.MainThreadOnly("CanReloadAssemblies");
            return BenchSide.Editor.CanReload;
        }

        public static bool ExecuteMenuItem(string menuItemPath) => MenuItem.Execute(menuItemPath);

        internal static void RunUpdate()
        {
            BenchSide.Each(update, each => each());
            var delayed = delayCall;
            delayCall = null;
            BenchSide.Each(delayed, each => each());
        }

        internal static void RaisePlayMode(PlayModeStateChange change) =>
            BenchSide.Each(playModeStateChanged, each => each(change));

        internal static void RaisePause()
        {
            var state = BenchSide.Flags.Paused ? PauseState.Paused : PauseState.Unpaused;
            BenchSide.Each(pauseStateChanged, each => each(state));
        }

        internal static void RaiseQuitting()
        {
            BenchSide.Each(wantsToQuit, each => each());
            BenchSide.Each(quitting, each => each());
        }
    }
}
