namespace UnityMcpPlugin
{
    /// <summary>This package's version, as package.json has it: asking Unity for it costs time in every domain reload.</summary>
    internal static class PackageVersion
    {
        public const string Current = "0.1.0";
    }
}
