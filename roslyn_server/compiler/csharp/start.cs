// Work that starts before Python can call .NET, as a separate assembly.
//
// The runtime loads it into a separate context, where its references would be loaded a second time.
// So it refers only to the runtime, and calls the host by name.
using System;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Runtime.Loader;

namespace RoslynServerStart
{
    /// <summary>Called through the runtime's native interface.</summary>
    public static class Start
    {
        /// <summary>
        /// Loads assemblies, the host last, and starts its warm-up on separate threads. The input
        /// is their paths and the path of a script, one a line, in UTF-8. Returns 0, or another
        /// number if that failed.
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
