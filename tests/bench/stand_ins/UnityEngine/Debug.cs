using System;

namespace UnityEngine
{
    public enum LogType
    {
        Error = 0,
        Assert = 1,
        Warning = 2,
        Log = 3,
        Exception = 4,
    }

    public enum LogOption
    {
        None = 0,
        NoStacktrace = 1,
    }

    public class Debug
    {
        public static ILogger unityLogger { get; } = new Logger(new DebugLogHandler());

        public static void Log(object message) => unityLogger.Log(LogType.Log, message);

        public static void Log(object message, Object context) => Log(message);

        public static void LogFormat(string format, params object[] args) => unityLogger.LogFormat(LogType.Log, null, format, args);

        /// <summary>The options are for Unity's own handler; another one is not told of them.</summary>
        public static void LogFormat(LogType logType, LogOption logOptions, Object context, string format, params object[] args)
        {
            if (!(unityLogger.logHandler is DebugLogHandler own))
            {
                unityLogger.LogFormat(logType, context, format, args);
            }
            else if (unityLogger.IsLogTypeAllowed(logType))
            {
                own.LogFormat(logType, logOptions, context, format, args);
            }
        }

        public static void LogWarning(object message) => unityLogger.Log(LogType.Warning, message);

        public static void LogWarning(object message, Object context) => LogWarning(message);

        public static void LogError(object message) => unityLogger.Log(LogType.Error, message);

        public static void LogError(object message, Object context) => LogError(message);

        public static void LogAssertion(object message) => unityLogger.Log(LogType.Assert, message);

        public static void LogException(Exception exception) => unityLogger.LogException(exception, null);

        public static void LogException(Exception exception, Object context) => unityLogger.LogException(exception, context);
    }
}
