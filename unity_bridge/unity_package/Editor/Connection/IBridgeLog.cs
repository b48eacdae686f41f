namespace UnityMcpPlugin
{
    /// <summary>
    /// The bridge's messages to the user. Any thread; never throws, never waits. It has no errors, because
    /// Unity's test framework fails a test during which one is logged.
    /// </summary>
    internal interface IBridgeLog
    {
        void Info(string message);

        void Warning(string message);
    }
}
