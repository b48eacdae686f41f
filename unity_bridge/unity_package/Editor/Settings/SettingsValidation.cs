using System;
using System.Text.RegularExpressions;

namespace UnityMcpPlugin
{
    /// <summary>Validates the settings.</summary>
    internal static class SettingsValidation
    {
        public const int SchemaVersion = 1;
        public const int DefaultPort = 48091;
        public const int MinPort = 1;
        public const int MaxPort = 65535;

        /// <summary>The GUID of the settings' script in assets, the same as in its .meta file.</summary>
        public const string ScriptGuid = "c730635e6b59a900f69d073105a3dc60";

        public const string AssetPath = "ProjectSettings/UnityMcpPluginSettings.asset";

        private static readonly Regex ScriptReference = new Regex(
            @"^\s*m_Script:\s*\{[^}\n]*\bguid:\s*([0-9a-f]{32})\b", RegexOptions.Multiline | RegexOptions.CultureInvariant);

        /// <summary>What is wrong, and what to do, in one line; null if nothing is.</summary>
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

        /// <summary>
        /// A warning that Unity silently ignores the asset and uses the defaults, because the asset doesn't
        /// name its script; null if it isn't so, or unknown.
        /// </summary>
        /// <param name="asset">The asset's text; null if there is none.</param>
        /// <param name="port">The port that is used.</param>
        public static string Ignored(string asset, int port)
        {
            // Unity also writes a binary form, which nobody writes by hand.
            if (asset == null || asset.IndexOf('\0') >= 0)
            {
                return null;
            }

            var script = ScriptReference.Match(asset);
            return asset.StartsWith("%YAML", StringComparison.Ordinal) && script.Groups[1].Value == ScriptGuid
                ? null
                : $"{AssetPath} is ignored by Unity, for its m_Script is not this package's; port {port} is used. " +
                    "Press Apply under Window > Unity MCP Settings to write it anew.";
        }

        /// <summary>What is wrong with a port; null if nothing is.</summary>
        public static string PortProblem(int port) =>
            port >= MinPort && port <= MaxPort ? null : $"the port is {port}; it must be from {MinPort} to {MaxPort}.";
    }
}
