namespace UnityMcpPlugin
{
    /// <summary>The Editor's state, as the server sees it.</summary>
    internal enum EditorState
    {
        /// <summary>Commands are carried out.</summary>
        Ready,

        /// <summary>Scripts are being compiled, or were, and their domain reload is about to come.</summary>
        Compiling,

        /// <summary>The domain is being unloaded, or was just loaded.</summary>
        Reloading,
    }

    internal static class EditorStateNames
    {
        public static string OnTheWire(this EditorState state) =>
            state == EditorState.Ready ? "ready" : state == EditorState.Compiling ? "compiling" : "reloading";
    }
}
