namespace UnityMcpPlugin
{
    /// <summary>What the settings may be.</summary>
    internal static class SettingsValidation
    {
        public const int SchemaVersion = 1;
        public const int DefaultPort = 48091;
        public const int MinPort = 1;
        public const int MaxPort = 65535;

        public const string AssetPath = "ProjectSettings/UnityMcpPluginSettings.asset";

        /// <summary>What is wrong, and what to do, in one line; null when nothing is.</summary>
        public static string Problem(int schemaVersion, int port)
        {
            if (schemaVersion != SchemaVersion)
            {
                return $"ERR_CONFIG_VALIDATION: {AssetPath} has schemaVersion {schemaVersion}; this package reads " +
                    $"{SchemaVersion}. Press Apply under Window > Unity MCP Settings to write it anew.";
            }

            return PortProblem(port) == null
                ? null
                : $"ERR_CONFIG_VALIDATION: {AssetPath}: {PortProblem(port)} Set one under Window > Unity MCP Settings.";
        }

        /// <summary>What is wrong with a port; null when nothing is.</summary>
        public static string PortProblem(int port) =>
            port >= MinPort && port <= MaxPort ? null : $"the port is {port}; it must be from {MinPort} to {MaxPort}.";
    }
}
