namespace UnityMcpPlugin
{
    /// <summary>The identity of this Editor in its <c>hello</c>.</summary>
    internal sealed class EditorIdentity
    {
        public EditorIdentity(string instanceId, string pluginVersion, string unityVersion, string projectPath)
        {
            InstanceId = instanceId;
            PluginVersion = pluginVersion;
            UnityVersion = unityVersion;
            ProjectPath = projectPath;
        }

        /// <summary>Constant while the Editor runs, across domain reloads.</summary>
        public string InstanceId { get; }

        public string PluginVersion { get; }

        public string UnityVersion { get; }

        public string ProjectPath { get; }
    }

    /// <summary>The plugin's state from before the connection, in its <c>hello</c>.</summary>
    internal sealed class PluginState
    {
        public PluginState(string sessionId, string memoryId)
        {
            SessionId = sessionId;
            MemoryId = memoryId;
        }

        /// <summary>A new id means that requests from before the domain are lost.</summary>
        public string SessionId { get; }

        /// <summary>The id of the <see cref="RequestMemory"/>.</summary>
        public string MemoryId { get; }
    }
}
