namespace UnityMcpPlugin
{
    /// <summary>Where the bridge tells the user of what happens to it. Any thread.</summary>
    internal interface IBridgeLog
    {
        void Info(string message);

        void Warning(string message);

        void Error(string message);
    }
}
