using System;

namespace UnityEngine
{
    /// <summary>Where messages go; a project may put its own in the place of Unity's.</summary>
    public interface ILogHandler
    {
        void LogFormat(LogType logType, Object context, string format, params object[] args);

        void LogException(Exception exception, Object context);
    }

    public interface ILogger : ILogHandler
    {
        ILogHandler logHandler { get; set; }

        bool logEnabled { get; set; }

        LogType filterLogType { get; set; }

        bool IsLogTypeAllowed(LogType logType);

        void Log(LogType logType, object message);
    }

    public class Logger : ILogger
    {
        public Logger(ILogHandler logHandler) => this.logHandler = logHandler;

        public ILogHandler logHandler { get; set; }

        public bool logEnabled { get; set; } = true;

        public LogType filterLogType { get; set; } = LogType.Log;

        public bool IsLogTypeAllowed(LogType logType) => logEnabled;

        public void Log(LogType logType, object message) =>
            LogFormat(logType, null, "{0}", message == null ? "Null" : message.ToString());

        public void LogFormat(LogType logType, Object context, string format, params object[] args)
        {
            if (IsLogTypeAllowed(logType))
            {
                logHandler.LogFormat(logType, context, format, args);
            }
        }

        public void LogException(Exception exception, Object context)
        {
            if (logEnabled)
            {
                logHandler.LogException(exception, context);
            }
        }
    }

    /// <summary>Unity's own.</summary>
    internal sealed class DebugLogHandler : ILogHandler
    {
        public void LogFormat(LogType logType, Object context, string format, params object[] args) =>
            LogFormat(logType, LogOption.None, context, format, args);

        public void LogFormat(LogType logType, LogOption logOptions, Object context, string format, params object[] args)
        {
            var stack = logOptions == LogOption.NoStacktrace ? "" : "UnityEngine.Debug:Log (object)\n";
            Application.Receive(string.Format(format, args), stack, logType);
        }

        public void LogException(Exception exception, Object context) =>
            Application.Receive(exception.GetType().Name + ": " + exception.Message, exception.StackTrace ?? "", LogType.Exception);
    }
}
