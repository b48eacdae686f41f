namespace UnityMcpPlugin
{
    /// <summary>Where the connection stands, as the settings window shows it.</summary>
    internal enum ConnectionState
    {
        /// <summary>No bridge runs: wrong settings, or a kind of Editor process that has none.</summary>
        Off,

        Connecting,

        Connected,

        /// <summary>Another Editor uses the server.</summary>
        Rejected,

        /// <summary>The server wants another token.</summary>
        NotAuthorized,

        /// <summary>What listens did not prove that it is this user's server.</summary>
        NotProven,
    }
}
