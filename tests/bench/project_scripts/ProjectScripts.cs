using System;
using System.Threading;
using UnityEditor;
using UnityEngine;

namespace UnityBench
{
    /// <summary>What a project's scripts can do to a package beside them; each on command.</summary>
    public static class ProjectScripts
    {
        /// <summary>A log handler that may be called on the main thread only, and fails even there.</summary>
        [MenuItem("Project/Log Handler That Throws")]
        public static void UseHandler() => Debug.unityLogger.logHandler = new Handler(Debug.unityLogger.logHandler);

        private sealed class Handler : ILogHandler
        {
            private readonly ILogHandler m_Before;
            private readonly Thread m_MainThread = Thread.CurrentThread;

            internal Handler(ILogHandler before) => m_Before = before;

            public void LogFormat(LogType logType, UnityEngine.Object context, string format, params object[] args)
            {
                var where = Thread.CurrentThread == m_MainThread ? "main thread: " : "ANOTHER THREAD: ";
                m_Before.LogFormat(logType, context, "{0}", where + string.Format(format, args));
                throw new InvalidOperationException("a log handler of the project's own");
            }

            public void LogException(Exception exception, UnityEngine.Object context) => m_Before.LogException(exception, context);
        }
    }
}
