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

    /// <summary>What the plugin knows from before, as its <c>hello</c> says.</summary>
    internal sealed class PluginState
    {
        public PluginState(string sessionId, string memoryId)
        {
            SessionId = sessionId;
            MemoryId = memoryId;
        }

        /// <summary>Another one: what was asked before the domain came up is lost.</summary>
        public string SessionId { get; }

        /// <summary>Names the <see cref="RequestMemory"/>.</summary>
        public string MemoryId { get; }
    }
}
