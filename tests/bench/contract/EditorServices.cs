using System;

namespace UnityBench.Contract
{
    /// <summary>What an Editor keeps while domains come and go; domains reach it by reference.</summary>
    /// <remarks>Everything here is called on the Editor's main thread, except for <see cref="Logged"/>.</remarks>
    public abstract class EditorServices : MarshalByRefObject
    {
        /// <summary>The Unity project's folder.</summary>
        public abstract string ProjectFolder { get; }

        /// <summary>What <c>Application.unityVersion</c> says.</summary>
        public abstract string UnityVersion { get; }

        /// <summary>A value of <c>SessionState</c>, or null.</summary>
        public abstract string GetSessionState(string key);

        /// <summary>Sets a value of <c>SessionState</c>; null erases it.</summary>
        public abstract void SetSessionState(string key, string value);

        /// <summary>A message went to the console. Any thread.</summary>
        public abstract void Logged(string type, string condition);

        /// <summary>Something asked for play mode to begin or end.</summary>
        public abstract void RequestPlayMode(bool playing);

        /// <summary>Something paused or resumed.</summary>
        public abstract void SetPaused(bool paused);

        /// <summary>Something asked for a compilation.</summary>
        public abstract void RequestCompilation();

        /// <summary>Imports what was changed outside; whether scripts are to be compiled now.</summary>
        public abstract bool Refresh();

        /// <summary>The scenes that are open, and the prefab that is.</summary>
        public abstract SceneState[] OpenScenes { get; }

        /// <summary>Something asked for a domain reload without a compilation.</summary>
        public abstract void RequestReload();

        /// <summary>The assemblies' reloading is locked (1) or unlocked (-1).</summary>
        public abstract void LockReload(int change);

        /// <summary>Whether the assemblies may be reloaded.</summary>
        public abstract bool CanReload { get; }

        /// <summary>Begins a test run; its id.</summary>
        public abstract string StartTests(bool play, string[] names, string[] groups);

        /// <summary>Cancels a test run; whether there was one to cancel.</summary>
        public abstract bool CancelTests(string run);

        /// <summary>Whether a test run is under way, or waits for its turn.</summary>
        public abstract bool TestsActive { get; }

        /// <summary>The full names of the tests that there are.</summary>
        public abstract string[] TestNames(bool play);

        /// <summary>A window was opened or closed; open windows come back after a reload.</summary>
        public abstract void WindowChanged(string type, bool open);

        /// <summary>Forever: an Editor's services outlive every lease.</summary>
        public override object InitializeLifetimeService() => null;
    }
}
