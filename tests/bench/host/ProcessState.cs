using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;

namespace UnityBench
{
    /// <summary>What this process holds, as the operating system sees it. Linux; elsewhere nothing.</summary>
    internal static class ProcessState
    {
        // The runtimes' own, and the bench's; pool threads belong to no domain.
        private static readonly string[] s_Own =
        {
            "bench-", "mono", "dotnet", "Finalizer", "Thread Pool", "Timer-Scheduler", "SGen worker", "Threadpool",
            ".NET ", "tracing-", "Main", "Domain unloader",
        };

        /// <summary>Threads that are neither the runtime's nor the bench's, by name.</summary>
        internal static string[] ForeignThreads() =>
            Entries("/proc/self/task").Select(task => Name(task)).Where(name => name != null && !IsOwn(name)).ToArray();

        /// <summary>All threads.</summary>
        internal static int Threads() => Entries("/proc/self/task").Count();

        /// <summary>Open sockets.</summary>
        internal static int Sockets() =>
            Entries("/proc/self/fd").Count(descriptor => Target(descriptor).StartsWith("socket:", StringComparison.Ordinal));

        private static bool IsOwn(string name) => s_Own.Any(own => name.StartsWith(own, StringComparison.Ordinal));

        private static IEnumerable<string> Entries(string folder) =>
            Directory.Exists(folder) ? Directory.GetFileSystemEntries(folder) : new string[0];

        private static string Name(string task)
        {
            try
            {
                return File.ReadAllText(Path.Combine(task, "comm")).Trim();
            }
            catch (IOException)
            {
                return null; // It has just ended.
            }
        }

        private static string Target(string descriptor) => Native.ReadLink(descriptor) ?? "";
    }
}
