namespace UnityMcpPlugin
{
    /// <summary>Who this Editor is, as its <c>hello</c> says.</summary>
    internal sealed class EditorIdentity
    {
        public EditorIdentity(string instanceId, string pluginVersion, string unityVersion, string projectPath)
        {
            InstanceId = instanceId;
            PluginVersion = pluginVersion;
            UnityVersion = unityVersion;
            ProjectPath = projectPath;
        }

        /// <summary>Stays the same from the Editor's start to its end, across domain reloads.</summary>
        public string InstanceId { get; }

        public string PluginVersion { get; }

        public string UnityVersion { get; }

        public string ProjectPath { get; }
    }
}
