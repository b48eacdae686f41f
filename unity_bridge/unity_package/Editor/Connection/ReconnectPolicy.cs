using System;

namespace UnityMcpPlugin
{
    /// <summary>How an attempt to connect, or a session, ended.</summary>
    internal enum ConnectionEnd
    {
        /// <summary>Nobody listens on the port, or the listener isn't the server.</summary>
        NotReached,

        /// <summary>The server requires a token, or refuses this one.</summary>
        NotAuthorized,

        /// <summary>
        /// A token would be sent, but the listener did not prove that it is this user's server.
        /// </summary>
        NotProven,

        /// <summary>Another Editor has the server's only session.</summary>
        Rejected,

        /// <summary>The server works in another project. Meanwhile we look for this project's own.</summary>
        OtherProject,

        /// <summary>An open session was lost.</summary>
        Lost,
    }

    /// <summary>
    /// When to try again, and what to tell the user, without I/O. A rejected Editor retries every 10 s and
    /// reports it once per conflict; a conflict ends with an accepted <c>hello</c>.
    /// </summary>
    internal sealed class ReconnectPolicy
    {
        public const int RejectedRetryMs = 10000;

        public const string SecondEditor =
            "Connection rejected: multiple Unity Editors are trying to use the same MCP server. " +
            "Close one Editor, or see README > Using Multiple Unity Editors.";

        public const string OtherProject =
            "The MCP server on this port works in another project. Start this project's own with unity-cli serve, " +
            "or let an agent's client do it: this Editor finds it by itself.";

        public const string NotAuthorized =
            "The MCP server asks for a token. Start the Editor with the environment variable " +
            "UNITY_CLI_TOKEN set to the server's token.";

        public const string NotProven =
            "What listens on the MCP server's port did not prove that it is this user's server, so the token " +
            "was not sent. If it is unity-cli serve of an older version, restart it.";

        private readonly Backoff _backoff;
        private string _told;

        /// <param name="random">Returns numbers from 0 up to 1.</param>
        /// <param name="told">
        /// The last message of an earlier domain about a conflict that isn't over; null for none.
        /// </param>
        public ReconnectPolicy(Func<double> random, string told = null)
        {
            _backoff = new Backoff(random);
            _told = told;
        }

        /// <summary>The last message to the user about a conflict that isn't over; null for none.</summary>
        public string Told => _told;

        /// <summary>Handles that the server accepted this Editor.</summary>
        public void SessionOpened()
        {
            _backoff.Reset();
            _told = null;
        }

        /// <summary>
        /// Returns the delay before the next attempt, in milliseconds; <c>toTell</c> is a warning to log, or
        /// null.
        /// </summary>
        public int AfterEnd(ConnectionEnd end, out string toTell)
        {
            toTell = null;
            switch (end)
            {
                case ConnectionEnd.Rejected:
                    toTell = TellOnce(SecondEditor);
                    return RejectedRetryMs;
                case ConnectionEnd.OtherProject:
                    toTell = TellOnce(OtherProject);
                    return RejectedRetryMs;
                case ConnectionEnd.NotAuthorized:
                    toTell = TellOnce(NotAuthorized);
                    return RejectedRetryMs;
                case ConnectionEnd.NotProven:
                    toTell = TellOnce(NotProven);
                    return RejectedRetryMs;
                default:
                    return _backoff.Next();
            }
        }

        /// <summary>Forget the last message, because another server is tried now.</summary>
        public void PortChanged()
        {
            _backoff.Reset();
            _told = null;
        }

        private string TellOnce(string message)
        {
            if (_told == message)
            {
                return null;
            }

            _told = message;
            return message;
        }
    }
}
