using System;

namespace UnityMcpPlugin
{
    /// <summary>The outcome of the last change of the port, for the settings window and the log.</summary>
    internal readonly struct PortChangeOutcome
    {
        public PortChangeOutcome(bool succeeded, int port, string message)
        {
            Succeeded = succeeded;
            Port = port;
            Message = message;
        }

        public bool Succeeded { get; }

        /// <summary>The port that is used from now on.</summary>
        public int Port { get; }

        public string Message { get; }
    }

    /// <summary>
    /// A change of the port, without I/O: the new port is tried for a bounded time, and is kept only if a
    /// server accepts this Editor there; otherwise the old one is used again. Times are milliseconds of one
    /// clock.
    /// </summary>
    internal sealed class PortChange
    {
        public const long TrialMs = 5000;

        public const string InProgress = "ERR_RECONFIG_IN_PROGRESS";
        public const string Unreachable = "ERR_RECONFIG_UNREACHABLE";
        public const string Rejected = "ERR_RECONFIG_REJECTED";
        public const string NotAuthorized = "ERR_RECONFIG_NOT_AUTHORIZED";
        public const string Interrupted = "ERR_RECONFIG_INTERRUPTED";
        public const string InvalidPort = "ERR_RECONFIG_INVALID_PORT";

        private readonly int _oldPort;
        private readonly int _newPort;
        private readonly long _giveUpAtMs;

        public PortChange(int oldPort, int newPort, long nowMs)
        {
            _oldPort = oldPort;
            _newPort = newPort;
            _giveUpAtMs = nowMs + TrialMs;
        }

        public int NewPort => _newPort;

        /// <summary>The time that is left for the trial.</summary>
        public long LeftMs(long nowMs) => Math.Max(0, _giveUpAtMs - nowMs);

        /// <summary>Handles that a server on the new port accepted this Editor.</summary>
        public PortChangeOutcome Accepted() =>
            new PortChangeOutcome(true, _newPort, $"Connected on port {_newPort}.");

        /// <summary>Handles a failed attempt on the new port; null while there is time for another.</summary>
        public PortChangeOutcome? Failed(ConnectionEnd end, long nowMs)
        {
            switch (end)
            {
                case ConnectionEnd.Rejected:
                    return RolledBack(Rejected, $"another Unity Editor uses the server on port {_newPort}");
                case ConnectionEnd.OtherProject:
                    return RolledBack(Rejected, $"the server on port {_newPort} works in another project");
                case ConnectionEnd.NotAuthorized:
                    return RolledBack(NotAuthorized, $"the server on port {_newPort} asks for another token");
                case ConnectionEnd.NotProven:
                    return RolledBack(NotAuthorized, $"what listens on port {_newPort} did not prove to be this user's server");
                default:
                    return Expired(nowMs);
            }
        }

        /// <summary>Handles the end of the trial's time; null before that.</summary>
        public PortChangeOutcome? Expired(long nowMs) => nowMs < _giveUpAtMs
            ? (PortChangeOutcome?)null
            : RolledBack(
                Unreachable,
                $"no MCP server answered on port {_newPort} within {TrialMs / 1000} s. Start one there, then press Apply again");

        private PortChangeOutcome RolledBack(string code, string why) =>
            new PortChangeOutcome(false, _oldPort, RollbackMessage(code, why, _oldPort));

        public static string RollbackMessage(string code, string why, int oldPort) =>
            $"{code}: {why}. The port is {oldPort} again.";
    }
}
