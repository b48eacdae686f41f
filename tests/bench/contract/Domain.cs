using System;

namespace UnityBench.Contract
{
    /// <summary>The managed side of an Editor: what a domain reload throws away and makes anew.</summary>
    public abstract class Domain : MarshalByRefObject
    {
        /// <summary>Loads the assemblies and runs what is marked <c>InitializeOnLoad</c>.</summary>
        public abstract void Start(EditorServices editor, EditorFlags flags, string[] assemblies, string[] windows);

        /// <summary>One update of the main loop; how long its callbacks took, in microseconds.</summary>
        public abstract long Update(EditorFlags flags);

        /// <summary>Raises an event of the Editor.</summary>
        public abstract void Raise(EditorEvent what, EditorFlags flags);

        /// <summary>An assembly has been compiled.</summary>
        public abstract void Compiled(string assembly, CompilerLine[] messages);

        /// <summary>Logs as a script would, on the main thread or on another one.</summary>
        public abstract void Log(string type, string message, int count, bool threaded);

        /// <summary>Something happened in a test run.</summary>
        public abstract void Tests(TestStep step);

        /// <summary>Opens the window, or runs the command, of a menu.</summary>
        public abstract bool Menu(string item);

        /// <summary>Types <paramref name="value"/> into a field of a window, or clicks a button.</summary>
        public abstract string Gui(string label, string value);

        /// <summary>Forever: a domain lives until it is unloaded.</summary>
        public override object InitializeLifetimeService() => null;
    }

    /// <summary>The events that an Editor raises in its domain.</summary>
    public enum EditorEvent
    {
        /// <summary><c>CompilationPipeline.compilationStarted</c>.</summary>
        CompilationStarted,

        /// <summary><c>CompilationPipeline.compilationFinished</c>.</summary>
        CompilationFinished,

        /// <summary><c>AssemblyReloadEvents.beforeAssemblyReload</c>.</summary>
        BeforeReload,

        /// <summary><c>AssemblyReloadEvents.afterAssemblyReload</c>.</summary>
        AfterReload,

        /// <summary><c>PlayModeStateChange.ExitingEditMode</c>.</summary>
        ExitingEditMode,

        /// <summary><c>PlayModeStateChange.EnteredPlayMode</c>.</summary>
        EnteredPlayMode,

        /// <summary><c>PlayModeStateChange.ExitingPlayMode</c>.</summary>
        ExitingPlayMode,

        /// <summary><c>PlayModeStateChange.EnteredEditMode</c>.</summary>
        EnteredEditMode,

        /// <summary><c>EditorApplication.pauseStateChanged</c>.</summary>
        PauseChanged,

        /// <summary><c>EditorApplication.quitting</c>.</summary>
        Quitting,
    }

    /// <summary>One message of the compiler.</summary>
    [Serializable]
    public struct CompilerLine
    {
        /// <summary>The whole line, with file, place and code.</summary>
        public string Message;

        /// <summary>The file, relative to the project.</summary>
        public string File;

        /// <summary>One-based.</summary>
        public int Line;

        /// <summary>One-based.</summary>
        public int Column;

        /// <summary>An error, else a warning.</summary>
        public bool Error;
    }
}
