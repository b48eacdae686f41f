using UnityEngine;

namespace UnityEditor
{
    public static class AssemblyReloadEvents
    {
        public delegate void AssemblyReloadCallback();

        public static event AssemblyReloadCallback beforeAssemblyReload;

        public static event AssemblyReloadCallback afterAssemblyReload;

        internal static void Before() => BenchSide.Each(beforeAssemblyReload, each => each());

        internal static void After() => BenchSide.Each(afterAssemblyReload, each => each());
    }
}
