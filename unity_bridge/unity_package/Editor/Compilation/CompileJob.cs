using System;
using Newtonsoft.Json.Linq;

namespace UnityMcpPlugin
{
    /// <summary>What a <c>compile</c> waits for; the order is the one in which it is stored.</summary>
    internal enum CompilePhase
    {
        /// <summary>The Editor is still in play mode, or on its way out.</summary>
        LeavingPlayMode,

        /// <summary>What the Editor was at before is not over.</summary>
        Settling,

        /// <summary>What was changed has been imported; it shows in a moment whether there is anything to compile.</summary>
        Starting,

        /// <summary>It compiles, or loads what it has compiled.</summary>
        Compiling,

        Ended,
    }

    /// <summary>One <c>compile</c>: where it stands, and what it came to. Goes through a domain reload as text.</summary>
    internal sealed class CompileJob
    {
        private readonly long _startedTicks;
        private readonly long _seenBefore;

        /// <param name="seenBefore">The number of the last compilation before it.</param>
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

        /// <summary>Whether the domain was reloaded since it began.</summary>
        public bool Reloaded { get; private set; }

        /// <summary>To compile what was not compiled was asked for.</summary>
        public bool Requested { get; set; }

        /// <summary>Somebody else wants it, too, who may have changed something since it looked.</summary>
        public bool LookAgain { get; set; }

        /// <summary>How often it has imported what was changed.</summary>
        public int Imports { get; set; }

        /// <summary>The server knows how it ended.</summary>
        public bool Confirmed { get; set; }

        /// <summary>What it came to; null unless it has.</summary>
        public CompileResult Result { get; private set; }

        /// <summary>Why it came to nothing; null unless it did.</summary>
        public ToolFailure Failure { get; private set; }

        /// <summary>Whether a compilation has ended since it began.</summary>
        public bool HasSeen(CompilationRecord record) => record.Number > _seenBefore;

        /// <param name="failed">Whether the scripts don't compile, whatever was seen of it.</param>
        /// <param name="note">What else there is to know; null for nothing.</param>
        public void End(CompilationRecord record, bool failed, string note, DateTime nowUtc)
        {
            // A clock may be set back.
            var durationMs = Math.Max(0, (nowUtc.Ticks - _startedTicks) / TimeSpan.TicksPerMillisecond);
            Result = CompileResult.Of(record, HasSeen(record), failed, Reloaded, durationMs, note);
            Phase = CompilePhase.Ended;
        }

        public void Fail(ToolFailure failure)
        {
            Failure = failure;
            Phase = CompilePhase.Ended;
        }

        /// <summary>The fields of <c>job_status</c>, as they are now; their JSON is made later.</summary>
        /// <param name="doing">What the Editor is at; null where it isn't known.</param>
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

        /// <summary>A job that an earlier domain has left.</summary>
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
