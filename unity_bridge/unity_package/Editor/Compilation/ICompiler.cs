namespace UnityMcpPlugin
{
    /// <summary>The Editor's script compilation, as <c>compile</c> needs it. Main thread.</summary>
    internal interface ICompiler
    {
        /// <summary>Whether scripts are being compiled, or will be.</summary>
        bool IsCompiling { get; }

        /// <summary>Whether assets are being imported.</summary>
        bool IsImporting { get; }

        /// <summary>Whether the Editor's latest version of the scripts doesn't compile.</summary>
        bool CodeIsBroken { get; }

        /// <summary>
        /// Whether it is in, entering or leaving play mode: new code is loaded only afterwards.
        /// </summary>
        bool IsPlaying { get; }

        /// <summary>Whether something prevents new assemblies from being loaded; false if unknown.</summary>
        bool ReloadIsLocked { get; }

        /// <summary>
        /// Import files changed outside the Editor, whatever its focus and its settings are; may take long.
        /// </summary>
        void Refresh();

        /// <summary>Compile everything that isn't compiled, including what failed before.</summary>
        void RequestCompilation();

        /// <summary>Begin to leave play mode, which takes a while.</summary>
        void StopPlaying();
    }
}
