namespace UnityMcpPlugin
{
    /// <summary>
    /// This package's version, equal to package.json's: asking Unity for it costs time in every domain
    /// reload.
    /// </summary>
    internal static class PackageVersion
    {
        public const string Current = "0.1.0";
    }
}
