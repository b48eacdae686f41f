// Run work in parallel, as far as its parts are independent.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.ExceptionServices;
using System.Threading;

namespace RoslynServer
{
    internal static class SideBySide
    {
        // The same as the server's own threads: accepted code nests this deeply.
        private const int StackBytes = 64 * 1024 * 1024;

        // Threads are kept, because starting one on a busy machine can take as long as a verdict.
        private static readonly Lazy<BlockingCollection<Action>> Others =
            new Lazy<BlockingCollection<Action>>(Started);

        /// <summary>
        /// Does all of it, on as many threads as processors; rethrows the first exception.
        /// </summary>
        public static void Do(IReadOnlyList<Action> works) => Do(works, _ => Enumerable.Empty<int>());

        /// <summary>
        /// The same, but each runs <c>after</c> some of those before it, given by their numbers.
        /// </summary>
        public static void Do(IReadOnlyList<Action> works, Func<int, IEnumerable<int>> after)
        {
            var left = Enumerable.Range(0, works.Count).ToList();
            var isDone = new bool[works.Count];
            var running = 0;
            ExceptionDispatchInfo thrown = null;

            // The first one that needn't wait for another; negative: nothing is left to do.
            int Taken()
            {
                lock (left)
                    while (true)
                    {
                        if (thrown != null || left.Count == 0) return -1;
                        var place = left.FindIndex(index => after(index).All(each => isDone[each]));
                        if (place < 0)
                        {
                            Monitor.Wait(left);
                            continue;
                        }
                        var taken = left[place];
                        left.RemoveAt(place);
                        running++;
                        return taken;
                    }
            }

            void Work()
            {
                int index;
                while ((index = Taken()) >= 0)
                {
                    ExceptionDispatchInfo caught = null;
                    try
                    {
                        works[index]();
                    }
                    catch (Exception error)
                    {
                        caught = ExceptionDispatchInfo.Capture(error);
                    }
                    lock (left)
                    {
                        thrown ??= caught;
                        isDone[index] = true;
                        running--;
                        Monitor.PulseAll(left);
                    }
                }
            }

            // A thread that comes too late finds nothing to do, and isn't waited for.
            for (var count = Math.Min(works.Count, Environment.ProcessorCount); count > 1; count--)
                Others.Value.Add(Work);
            Work();
            lock (left)
                while (running > 0) Monitor.Wait(left);
            thrown?.Throw();
        }

        private static BlockingCollection<Action> Started()
        {
            var waiting = new BlockingCollection<Action>();
            void Work()
            {
                foreach (var each in waiting.GetConsumingEnumerable()) each();
            }
            for (var count = Environment.ProcessorCount; count > 1; count--)
                new Thread(Work, StackBytes) { IsBackground = true }.Start();
            return waiting;
        }
    }
}
