// Run libraries of the project, which may fail, or never end.
using System;
using System.Collections.Concurrent;
using System.IO;
using System.Linq;
using System.Threading;

namespace RoslynServer
{
    /// <summary>Some libraries of a build, and a time limit for their work.</summary>
    internal sealed class ForeignWork
    {
        private const int StackBytes = 16 * 1024 * 1024;

        // Libraries that never ended, in their version then: each still has a thread, and gets no
        // other.
        private static readonly ConcurrentDictionary<string, bool> Endless =
            new ConcurrentDictionary<string, bool>();

        static ForeignWork()
        {
            // This process uses standard output to speak with its client.
            Console.SetOut(Console.Error);
            Console.SetIn(TextReader.Null);
        }

        private readonly string[] _libraries;
        private readonly TimeSpan _longest;
        private readonly string _key;

        /// <summary>
        /// A build waits for its libraries, however long they take; a caller here doesn't.
        /// </summary>
        public ForeignWork(string what, string[] libraries, TimeSpan longest)
        {
            _libraries = libraries;
            _longest = longest;
            _key = string.Join("|", libraries.Select(each => $"{each} {File.GetLastWriteTimeUtc(each).Ticks}")
                .Prepend(what));
        }

        /// <summary>
        /// Runs the work on a separate thread. Returns why there is no result, or <c>null</c>.
        /// </summary>
        public string Do(Action<CancellationToken> work, CancellationToken token)
        {
            if (Endless.ContainsKey(_key)) return NoEnd();
            Exception thrown = null;
            using (var bound = CancellationTokenSource.CreateLinkedTokenSource(token))
            using (var done = new ManualResetEventSlim())
            {
                var thread = new Thread(() =>
                {
                    try { work(bound.Token); }
                    catch (Exception error) { thrown = error; }
                    try { done.Set(); } catch (ObjectDisposedException) { } // nobody waits any more
                }, StackBytes) { IsBackground = true };
                thread.Start();
                if (!done.Wait(_longest, token))
                {
                    bound.Cancel();
                    Endless[_key] = true;
                    return NoEnd();
                }
            }
            // Cancelled work may return as if it were complete.
            token.ThrowIfCancellationRequested();
            if (thrown == null) return null;
            var cause = Cause(thrown);
            if (cause is OutOfMemoryException) throw cause;
            return $"{Names()} failed: {Line(cause)}";
        }

        /// <summary>An exception of theirs in a few words, on one line.</summary>
        public static string Line(Exception error)
        {
            var cause = Cause(error);
            var words = cause.Message.Split(default(char[]), StringSplitOptions.RemoveEmptyEntries);
            var text = $"{cause.GetType().Name}: {string.Join(" ", words)}";
            return text.Length > 160 ? text.Substring(0, 160) + "…" : text;
        }

        private static Exception Cause(Exception error)
        {
            while (error.InnerException != null) error = error.InnerException;
            return error;
        }

        private string NoEnd() => $"{Names()} didn't end within {_longest.TotalSeconds} seconds";

        private string Names() => string.Join(", ", _libraries.Select(Path.GetFileName));
    }
}
