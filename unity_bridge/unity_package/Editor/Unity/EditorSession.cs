using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using UnityEditor;

namespace UnityMcpPlugin
{
    /// <summary>
    /// Stores in <c>SessionState</c> everything that must survive a domain reload. Main thread.
    /// </summary>
    internal sealed class EditorSession : ITestJobStorage
    {
        /// <summary>Most text of unsent answers that is kept, in UTF-16 code units.</summary>
        private const int MaxUnsentLength = 2 * WireFrames.MaxMessageBytes;

        private const string Instance = "UnityMcp.Instance";
        private const string Console = "UnityMcp.Console";
        private const string Unsent = "UnityMcp.Unsent";
        private const string Jobs = "UnityMcp.Jobs";
        private const string Compiles = "UnityMcp.Compiles";
        private const string Compilation = "UnityMcp.Compilation";
        private const string Memory = "UnityMcp.Memory";
        private const string PluginSession = "UnityMcp.PluginSession";
        private const string Port = "UnityMcp.PortChange";
        private const string Conflict = "UnityMcp.Conflict";
        private const string Settings = "UnityMcp.Settings";
        private const string Log = "UnityMcp.Log";

        /// <summary>The id of this Editor process; created once while it runs.</summary>
        public string InstanceId()
        {
            var id = SessionState.GetString(Instance, "");
            if (id == "")
            {
                id = Guid.NewGuid().ToString("N");
                SessionState.SetString(Instance, id);
            }

            return id;
        }

        public void LoadConsole(ConsoleBuffer buffer)
        {
            var entries = ConsoleStorage.Read(SessionState.GetString(Console, ""), out var lastId);
            buffer.Restore(entries, lastId);
        }

        public void SaveConsole(ConsoleBuffer buffer)
        {
            var entries = buffer.Snapshot(out var lastId);
            SessionState.SetString(Console, ConsoleStorage.Write(entries, lastId));
        }

        /// <summary>
        /// The id of the known requests of the server: the last domain's, if that has stored everything,
        /// otherwise a new one. Returned once.
        /// </summary>
        public string TakePluginSession()
        {
            var id = SessionState.GetString(PluginSession, "");
            SessionState.EraseString(PluginSession);
            return id == "" ? Guid.NewGuid().ToString("N") : id;
        }

        /// <summary>
        /// Store the id, because all requests are answered, or the next domain will answer them.
        /// </summary>
        public void SavePluginSession(string id) => SessionState.SetString(PluginSession, id);

        /// <summary>The last domain's <see cref="RequestMemory"/>; returned once.</summary>
        public string TakeMemory()
        {
            var kept = SessionState.GetString(Memory, "");
            SessionState.EraseString(Memory);
            return kept;
        }

        public void SaveMemory(string memory) => SessionState.SetString(Memory, memory);

        /// <summary>The answers that the last domain could not send; each is returned once.</summary>
        public IEnumerable<Outgoing> TakeUnsent()
        {
            var kept = SessionState.GetString(Unsent, "");
            SessionState.EraseString(Unsent);
            var fields = new FieldReader(kept);
            var answers = new Outgoing[kept == "" ? 0 : fields.Count(Outbox.MaxAnswers)];
            for (var index = 0; index < answers.Length; index++)
            {
                answers[index] = new Outgoing(fields.Text(), Encoding.UTF8.GetBytes(fields.Text()));
            }

            return answers;
        }

        public void SaveUnsent(IReadOnlyList<Outgoing> answers)
        {
            var kept = answers.Select(each => (each.RequestId, Text: Encoding.UTF8.GetString(each.Bytes))).ToList();
            while (kept.Count > Outbox.MaxAnswers || kept.Sum(each => (long)each.Text.Length) > MaxUnsentLength)
            {
                kept.RemoveAt(0);
            }

            if (kept.Count > 0)
            {
                var fields = new FieldWriter();
                fields.Add(kept.Count);
                foreach (var (requestId, text) in kept)
                {
                    fields.Add(requestId);
                    fields.Add(text);
                }

                SessionState.SetString(Unsent, fields.ToString());
            }
        }

        public string LoadJobs() => SessionState.GetString(Jobs, "");

        public void SaveJobs(string jobs) => SessionState.SetString(Jobs, jobs);

        public string LoadCompiles() => SessionState.GetString(Compiles, "");

        public void SaveCompiles(string jobs) => SessionState.SetString(Compiles, jobs);

        /// <summary>The last compilation, in its record's format.</summary>
        public string LoadCompilation() => SessionState.GetString(Compilation, "");

        public void SaveCompilation(string record) => SessionState.SetString(Compilation, record);

        /// <summary>The port that was being tried; 0 for none.</summary>
        public int PortOnTrial
        {
            get => SessionState.GetInt(Port, 0);
            set => SessionState.SetInt(Port, value);
        }

        /// <summary>
        /// The last message about a conflict of the connection that isn't over; null for none.
        /// </summary>
        public string ToldOfConnection
        {
            get => Text(Conflict);
            set => SessionState.SetString(Conflict, ConsoleText.Clean(value ?? ""));
        }

        /// <summary>The last message about the settings; null for none.</summary>
        public string ToldOfSettings
        {
            get => Text(Settings);
            set => SessionState.SetString(Settings, ConsoleText.Clean(value ?? ""));
        }

        /// <summary>
        /// The bridge's own messages that the last domain did not log; each is returned once.
        /// </summary>
        public string TakeLog()
        {
            var kept = Text(Log);
            SessionState.EraseString(Log);
            return kept;
        }

        public void SaveLog(string waiting) => SessionState.SetString(Log, waiting);

        private static string Text(string key)
        {
            var kept = SessionState.GetString(key, "");
            return kept == "" ? null : kept;
        }
    }
}
