using System;
using UnityEngine;

namespace UnityEditor.Compilation
{
    public enum CompilerMessageType
    {
        Error = 0,
        Warning = 1,
        Info = 2,
    }

    public struct CompilerMessage
    {
        public string message;
        public string file;
        public int line;
        public int column;
        public CompilerMessageType type;
    }

    [Flags]
    public enum RequestScriptCompilationOptions
    {
        None = 0,
        CleanBuildCache = 1,
    }

    public static class CompilationPipeline
    {
        public static event Action<object> compilationStarted;

        public static event Action<object> compilationFinished;

        public static event Action<string, CompilerMessage[]> assemblyCompilationFinished;

        public static void RequestScriptCompilation()
        {
            BenchSide.MainThreadOnly("RequestScriptCompilation");
            BenchSide.Editor.RequestCompilation();
            BenchSide.Flags.Compiling = true;
        }

        public static void RequestScriptCompilation(RequestScriptCompilationOptions options) => RequestScriptCompilation();

        internal static void Started() => BenchSide.Each(compilationStarted, each => each(s_Context));

        internal static void Finished() => BenchSide.Each(compilationFinished, each => each(s_Context));

        internal static void AssemblyFinished(string path, CompilerMessage[] messages) =>
            BenchSide.Each(assemblyCompilationFinished, each => each(path, messages));

        private static readonly object s_Context = new object();
    }
}
