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
        public static void Log(object message) => Send(LogType.Log, message);

        public static void Log(object message, Object context) => Send(LogType.Log, message);

        public static void LogFormat(string format, params object[] args) => Send(LogType.Log, string.Format(format, args));

        public static void LogFormat(LogType logType, LogOption logOptions, Object context, string format, params object[] args)
        {
            var stack = logOptions == LogOption.NoStacktrace ? "" : Stack();
            Application.Receive(string.Format(format, args), stack, logType);
        }

        public static void LogWarning(object message) => Send(LogType.Warning, message);

        public static void LogWarning(object message, Object context) => Send(LogType.Warning, message);

        public static void LogError(object message) => Send(LogType.Error, message);

        public static void LogError(object message, Object context) => Send(LogType.Error, message);

        public static void LogAssertion(object message) => Send(LogType.Assert, message);

        public static void LogException(Exception exception) =>
            Application.Receive(exception.GetType().Name + ": " + exception.Message, exception.StackTrace ?? "", LogType.Exception);

        public static void LogException(Exception exception, Object context) => LogException(exception);

        private static void Send(LogType type, object message) =>
            Application.Receive(message == null ? "Null" : message.ToString(), Stack(), type);

        private static string Stack() => "UnityEngine.Debug:Log (object)\n";
    }
}
