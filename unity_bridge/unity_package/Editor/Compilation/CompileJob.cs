using System;
using Newtonsoft.Json.Linq;

namespace UnityMcpPlugin
{
    /// <summary>The phases of a <c>compile</c> job; stored by their order.</summary>
    internal enum CompilePhase
    {
        /// <summary>Waits for the Editor to leave play mode.</summary>
        LeavingPlayMode,

        /// <summary>Waits for the Editor's earlier work to end.</summary>
        Settling,

        /// <summary>
        /// Changed files are imported; it will soon be clear whether there is anything to compile.
        /// </summary>
        Starting,

        /// <summary>The Editor compiles, or loads the compiled assemblies.</summary>
        Compiling,

        Ended,
    }

    /// <summary>
    /// One <c>compile</c> job: its phase and its outcome. Survives a domain reload as text.
    /// </summary>
    internal sealed class CompileJob
    {
        private readonly long _startedTicks;
        private readonly long _seenBefore;

        /// <param name="seenBefore">The number of the last compilation before the job.</param>
        public CompileJob(string id, CompilePhase phase, DateTime nowUtc, long seenBefore)
            : this(id, phase, nowUtc.Ticks, seenBefore)
        {
        }

        private CompileJob(string id, CompilePhase phase, long startedTicks, long seenBefore)
        {
            Id = id;
            Phase = phase;
            _startedTicks = startedTicks;
            _seenBefore = seenBefore;
        }

        public string Id { get; }

        public CompilePhase Phase { get; set; }

        public bool Ended => Phase == CompilePhase.Ended;

        /// <summary>Whether the domain was reloaded since the job began.</summary>
        public bool Reloaded { get; private set; }

        /// <summary>Whether the job has requested a compilation.</summary>
        public bool Requested { get; set; }

        /// <summary>
        /// Whether another caller joined, who may have changed something since the last import.
        /// </summary>
        public bool LookAgain { get; set; }

        /// <summary>How often it has imported changed files.</summary>
        public int Imports { get; set; }

        /// <summary>Whether the server knows the outcome.</summary>
        public bool Confirmed { get; set; }

        /// <summary>The result; null without one.</summary>
        public CompileResult Result { get; private set; }

        /// <summary>Why it failed; null if it has not.</summary>
        public ToolFailure Failure { get; private set; }

        /// <summary>Whether a compilation has ended since the job began.</summary>
        public bool HasSeen(CompilationRecord record) => record.Number > _seenBefore;

        /// <param name="failed">Whether the scripts don't compile, even if no compilation was seen.</param>
        /// <param name="note">Further information; null for none.</param>
        public void End(CompilationRecord record, bool failed, string note, DateTime nowUtc)
        {
            // The system clock may have been set back.
            var durationMs = Math.Max(0, (nowUtc.Ticks - _startedTicks) / TimeSpan.TicksPerMillisecond);
            Result = CompileResult.Of(record, HasSeen(record), failed, Reloaded, durationMs, note);
            Phase = CompilePhase.Ended;
        }

        public void Fail(ToolFailure failure)
        {
            Failure = failure;
            Phase = CompilePhase.Ended;
        }

        /// <summary>The fields of <c>job_status</c> as they are now; their JSON is made later.</summary>
        /// <param name="doing">The Editor's present activity; null if unknown.</param>
        public Func<JObject> Told(string doing)
        {
            var id = Id;
            var result = Result;
            var failure = Failure;
            return () =>
            {
                var ended = result != null || failure != null;
                return new JObject
                {
                    ["job_id"] = id,
                    ["tool_name"] = CompileJobs.Tool,
                    ["state"] = result != null ? "succeeded" : failure != null ? "failed" : "running",
                    ["progress"] = ended || doing == null
                        ? JValue.CreateNull()
                        : (JToken)new JObject { ["completed"] = 0, ["total"] = 1, ["current"] = doing },
                    ["result"] = result?.ToJson() ?? failure?.ToJson() ?? (JToken)JValue.CreateNull(),
                };
            };
        }

        public void Write(FieldWriter fields)
        {
            fields.Add(Id);
            fields.Add((long)Phase);
            fields.Add(_startedTicks);
            fields.Add(_seenBefore);
            fields.Add(Reloaded);
            fields.Add(Requested);
            fields.Add(LookAgain);
            fields.Add(Imports);
            fields.Add(Confirmed);
            fields.Add(Result != null);
            Result?.Write(fields);
            ToolFailure.Write(Failure, fields);
        }

        /// <summary>Reads a job that an earlier domain has stored.</summary>
        public static CompileJob Read(FieldReader fields)
        {
            var id = fields.Text();
            var job = new CompileJob(id, (CompilePhase)fields.Number(), fields.Number(), fields.Number());
            job.Reloaded = fields.Flag() | !job.Ended;
            job.Requested = fields.Flag();
            job.LookAgain = fields.Flag();
            job.Imports = (int)fields.Number();
            job.Confirmed = fields.Flag();
            job.Result = fields.Flag() ? CompileResult.Read(fields) : null;
            job.Failure = ToolFailure.Read(fields);
            return job;
        }
    }
}
