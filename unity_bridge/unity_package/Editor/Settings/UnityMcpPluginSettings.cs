using UnityEditor;

namespace UnityMcpPlugin
{
    /// <summary>The project's settings, shared by its team: <c>ProjectSettings/UnityMcpPluginSettings.asset</c>.</summary>
    [FilePath(SettingsValidation.AssetPath, FilePathAttribute.Location.ProjectFolder)]
    internal sealed class UnityMcpPluginSettings : ScriptableSingleton<UnityMcpPluginSettings>
    {
        // Unity serializes fields by these names, which assets in users' projects contain.
        public int schemaVersion = SettingsValidation.SchemaVersion;
        public int port = SettingsValidation.DefaultPort;

        /// <summary>Use another port from now on.</summary>
        public void Store(int newPort)
        {
            schemaVersion = SettingsValidation.SchemaVersion;
            port = newPort;
            Save(true);
        }
    }
}
