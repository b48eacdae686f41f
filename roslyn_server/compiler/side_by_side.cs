// Work in which nothing depends on the rest of it.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.ExceptionServices;
using System.Threading;

namespace RoslynServer
{
    internal static class SideBySide
    {
        // As the server's own threads: what is let through nests that deeply.
        private const int StackBytes = 64 * 1024 * 1024;

        /// <summary>
        /// Do all of it, as much at once as there are processors; what is thrown first is thrown.
        /// </summary>
        public static void Do(IReadOnlyList<Action> works)
        {
            var next = -1;
            ExceptionDispatchInfo thrown = null;
            void Work()
            {
                int index;
                while (Volatile.Read(ref thrown) == null
                    && (index = Interlocked.Increment(ref next)) < works.Count)
                    try
                    {
                        works[index]();
                    }
                    catch (Exception error)
                    {
                        var caught = ExceptionDispatchInfo.Capture(error);
                        Interlocked.CompareExchange(ref thrown, caught, null);
                    }
            }
            var others = Enumerable.Range(1, Math.Max(0, Math.Min(works.Count, Environment.ProcessorCount) - 1))
                .Select(_ => new Thread(Work, StackBytes) { IsBackground = true }).ToList();
            foreach (var each in others) each.Start();
            Work();
            foreach (var each in others) each.Join();
            thrown?.Throw();
        }
    }
}
