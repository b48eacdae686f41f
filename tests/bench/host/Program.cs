using System;
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Linq;
using System.Threading;

namespace UnityBench
{
    /// <summary>
    /// A process with the main loop of an Editor. Arguments: the folder with the domain's
    /// assemblies, the project's folder, Unity's version, and the assemblies to load; what begins
    /// with a dash is for scripts to read, as in an Editor's command line. Commands come in by stdin, events go out by stdout.
    /// </summary>
    internal static class Program
    {
        private const int FocusedIntervalMs = 10;
        private const int UnfocusedIntervalMs = 1000;

        private static int Main(string[] arguments)
        {
            var assemblies = arguments.Skip(3).Where(each => !each.StartsWith("-", StringComparison.Ordinal)).ToArray();
            var lines = new BlockingCollection<string>();
            var thaw = new AutoResetEvent(false);
            var reader = new Thread(() => Read(lines, thaw)) { IsBackground = true, Name = "bench-stdin" };
            reader.Start();
            var editor = new Editor(new DomainHost(arguments[0]), arguments[1], arguments[2], assemblies);
            editor.Start();
            Loop(editor, new Commands(editor, thaw), lines);
            editor.Quit();
            Native.Exit(0); // How a runtime ends is not what is tried here; one that never did was seen.
            return 0;
        }

        private static void Loop(Editor editor, Commands commands, BlockingCollection<string> lines)
        {
            var sinceUpdate = Stopwatch.StartNew();
            while (!commands.Quitting)
            {
                var interval = editor.Focused ? FocusedIntervalMs : UnfocusedIntervalMs;
                var left = Math.Max(0, interval - (int)sinceUpdate.ElapsedMilliseconds);
                if (lines.TryTake(out var line, left)) // On a slow machine, too, where no turn leaves time.
                {
                    commands.Execute(line);
                }

                if (sinceUpdate.ElapsedMilliseconds >= interval)
                {
                    sinceUpdate.Restart();
                    editor.Update();
                }
            }
        }

        private static void Read(BlockingCollection<string> lines, AutoResetEvent thaw)
        {
            string line;
            while ((line = Console.In.ReadLine()) != null)
            {
                if (line.Trim() == "thaw")
                {
                    thaw.Set(); // For a main thread that reads nothing now.
                    continue;
                }

                lines.Add(line);
            }

            lines.Add("quit"); // Who started the bench has gone.
        }
    }
}
