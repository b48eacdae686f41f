namespace UnityMcpPlugin
{
    /// <summary>What the server may expect of the Editor.</summary>
    internal enum EditorState
    {
        /// <summary>Commands are carried out.</summary>
        Ready,

        /// <summary>Scripts are being compiled, or have been and their domain reload is about to come.</summary>
        Compiling,

        /// <summary>The domain goes down, or has just come up.</summary>
        Reloading,
    }

    internal static class EditorStateNames
    {
        public static string OnTheWire(this EditorState state) =>
            state == EditorState.Ready ? "ready" : state == EditorState.Compiling ? "compiling" : "reloading";
    }
}
