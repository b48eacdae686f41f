namespace UnityMcpPlugin
{
    /// <summary>The state of the connection, as the settings window shows it.</summary>
    internal enum ConnectionState
    {
        /// <summary>No bridge runs: wrong settings, or an Editor process of a kind that has none.</summary>
        Off,

        Connecting,

        Connected,

        /// <summary>Another Editor uses the server.</summary>
        Rejected,

        /// <summary>The server requires another token.</summary>
        NotAuthorized,

        /// <summary>The listener did not prove that it is this user's server.</summary>
        NotProven,
    }
}
