using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;
using UnityEditor;

namespace UnityMcpPlugin
{
    /// <summary>What has to outlive a domain reload, in <c>SessionState</c>. Main thread.</summary>
    internal sealed class EditorSession : ITestJobStorage
    {
        /// <summary>Most text of unsent answers that is kept, in UTF-16 code units.</summary>
        private const int MaxUnsentLength = 2 * WireFrames.MaxMessageBytes;

        private const string Instance = "UnityMcp.Instance";
        private const string Console = "UnityMcp.Console";
        private const string Unsent = "UnityMcp.Unsent";
        private const string JobIds = "UnityMcp.Jobs";
        private const string Job = "UnityMcp.Job.";
        private const string Port = "UnityMcp.PortChange";

        /// <summary>Names this Editor process; made once while it runs.</summary>
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

        /// <summary>The answers that the last domain could not send; each is given once.</summary>
        public IEnumerable<byte[]> TakeUnsent()
        {
            var kept = SessionState.GetString(Unsent, "");
            SessionState.EraseString(Unsent);
            return kept == ""
                ? new byte[0][]
                : JsonConvert.DeserializeObject<string[]>(kept).Select(Encoding.UTF8.GetBytes).ToArray();
        }

        public void SaveUnsent(IReadOnlyList<byte[]> answers)
        {
            var texts = answers.Select(Encoding.UTF8.GetString).ToList();
            while (texts.Sum(text => (long)text.Length) > MaxUnsentLength)
            {
                texts.RemoveAt(0);
            }

            if (texts.Count > 0)
            {
                SessionState.SetString(Unsent, JsonConvert.SerializeObject(texts));
            }
        }

        public IEnumerable<JObject> LoadJobs() => Ids()
            .Select(id => SessionState.GetString(Job + id, ""))
            .Where(job => job != "")
            .Select(StrictJson.Parse)
            .ToArray();

        public void SaveJob(string id, JObject job)
        {
            SessionState.SetString(Job + id, job.ToString(Formatting.None));
            var ids = Ids();
            if (!ids.Contains(id))
            {
                SessionState.SetString(JobIds, string.Join(" ", ids.Concat(new[] { id })));
            }
        }

        public void ForgetJob(string id)
        {
            SessionState.EraseString(Job + id);
            SessionState.SetString(JobIds, string.Join(" ", Ids().Where(each => each != id)));
        }

        /// <summary>The port that was being tried; 0 when none is.</summary>
        public int PortOnTrial
        {
            get => SessionState.GetInt(Port, 0);
            set => SessionState.SetInt(Port, value);
        }

        private static string[] Ids() =>
            SessionState.GetString(JobIds, "").Split(new[] { ' ' }, StringSplitOptions.RemoveEmptyEntries);
    }
}
