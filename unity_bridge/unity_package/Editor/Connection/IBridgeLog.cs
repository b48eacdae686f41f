namespace UnityMcpPlugin
{
    /// <summary>
    /// Where the bridge tells the user of what happens to it. Any thread; never throws, never waits.
    /// There are no errors: Unity's test framework fails the test during which one is logged.
    /// </summary>
    internal interface IBridgeLog
    {
        void Info(string message);

        void Warning(string message);
    }
}
