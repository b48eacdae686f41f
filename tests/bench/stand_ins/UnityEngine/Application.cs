using System;
using System.IO;

namespace UnityEngine
{
    public class Application
    {
        public delegate void LogCallback(string condition, string stackTrace, LogType type);

        /// <summary>Called on the thread that logs.</summary>
        public static event LogCallback logMessageReceivedThreaded;

        /// <summary>Called for what the main thread logs.</summary>
        public static event LogCallback logMessageReceived;

        public static string unityVersion => BenchSide.Editor.UnityVersion;

        public static string dataPath => Path.Combine(BenchSide.Editor.ProjectFolder, "Assets").Replace('\\', '/');

        public static string productName => Path.GetFileName(BenchSide.Editor.ProjectFolder);

        public static bool isPlaying
        {
            get
            {
                BenchSide.MainThreadOnly("get_isPlaying");
                return BenchSide.Flags.Playing;
            }
        }

        public static bool isBatchMode => Array.IndexOf(Environment.GetCommandLineArgs(), "-batchmode") >= 0;

        public static bool isEditor => true;

        internal static void Receive(string condition, string stackTrace, LogType type)
        {
            BenchSide.Editor.Logged(type.ToString(), condition);
            var threaded = logMessageReceivedThreaded;
            threaded?.Invoke(condition, stackTrace, type);
            if (BenchSide.OnMainThread)
            {
                logMessageReceived?.Invoke(condition, stackTrace, type);
            }
        }
    }
}
