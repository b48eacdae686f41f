namespace UnityMcpPlugin
{
    /// <summary>What the Editor does about scripts, as a <c>compile</c> needs it. Main thread.</summary>
    internal interface ICompiler
    {
        /// <summary>Whether scripts are compiled, or are to be.</summary>
        bool IsCompiling { get; }

        /// <summary>Whether assets are being imported.</summary>
        bool IsImporting { get; }

        /// <summary>Whether the scripts as the Editor knows them don't compile.</summary>
        bool CodeIsBroken { get; }

        /// <summary>Whether it plays, or is about to begin or end playing: new code is put off until that is over.</summary>
        bool IsPlaying { get; }

        /// <summary>Whether somebody keeps new assemblies from being loaded; false where that can't be told.</summary>
        bool ReloadIsLocked { get; }

        /// <summary>Import what was changed outside the Editor, whatever its focus and its settings say; it takes what time it takes.</summary>
        void Refresh();

        /// <summary>Compile what isn't compiled, what failed before among it.</summary>
        void RequestCompilation();

        /// <summary>Leave play mode, which takes a while.</summary>
        void StopPlaying();
    }
}
