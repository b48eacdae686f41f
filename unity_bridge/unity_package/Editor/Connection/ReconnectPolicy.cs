using System;

namespace UnityMcpPlugin
{
    /// <summary>How a try to connect, or a session, ended.</summary>
    internal enum ConnectionEnd
    {
        /// <summary>Nobody listens on the port, or what listens isn't the server.</summary>
        NotReached,

        /// <summary>The server asks for a token, or refuses this one.</summary>
        NotAuthorized,

        /// <summary>A token was to be shown, and what listens did not prove that it is this user's server.</summary>
        NotProven,

        /// <summary>Another Editor holds the server's one session.</summary>
        Rejected,

        /// <summary>The server works in another project. This one's own is looked for meanwhile.</summary>
        OtherProject,

        /// <summary>A session that was open is over.</summary>
        Lost,
    }

    /// <summary>
    /// When to try again, and what the user is to be told, without I/O. A rejected Editor retries
    /// every 10 s and says so once per conflict; a conflict ends with an accepted <c>hello</c>.
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

        /// <param name="random">Gives numbers from 0 up to 1.</param>
        /// <param name="told">What an earlier domain told last of a conflict that isn't over; null for nothing.</param>
        public ReconnectPolicy(Func<double> random, string told = null)
        {
            _backoff = new Backoff(random);
            _told = told;
        }

        /// <summary>What the user was told last of a conflict that isn't over; null for nothing.</summary>
        public string Told => _told;

        /// <summary>The server accepted this Editor.</summary>
        public void SessionOpened()
        {
            _backoff.Reset();
            _told = null;
        }

        /// <summary>The delay before the next try, in milliseconds, and what to log as a warning; null for nothing.</summary>
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

        /// <summary>Another server is to be reached: what was told of the last one doesn't hold for it.</summary>
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
