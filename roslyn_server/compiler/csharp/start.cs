// What is begun before Python can speak to .NET, an assembly of its own.
//
// The runtime loads it into a context apart, where what it would refer to would be loaded for a second
// time. So it refers to nothing but the runtime, and calls the host's by name.
using System;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Runtime.Loader;

namespace RoslynServerStart
{
    /// <summary>Called through the runtime's own interface.</summary>
    public static class Start
    {
        /// <summary>
        /// Load assemblies, the host last, and let it warm up on threads of its own. Given is their paths
        /// and the path of a script, on a line each, in UTF-8. Returns 0; another number where that failed.
        /// </summary>
        public static int Begin(IntPtr given, int length)
        {
            try
            {
                var lines = Marshal.PtrToStringUTF8(given, length).Split('\n');
                Assembly host = null;
                for (var index = 0; index < lines.Length - 1; index++)
                    host = AssemblyLoadContext.Default.LoadFromAssemblyPath(lines[index]);
                host.GetType("RoslynServer.WarmUp").GetMethod("Begin")
                    .Invoke(null, new object[] { lines[lines.Length - 1] });
                return 0;
            }
            catch (Exception)
            {
                return 1; // whoever loads them by and by is told
            }
        }
    }
}
