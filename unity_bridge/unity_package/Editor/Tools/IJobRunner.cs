using System;
using System.Collections.Generic;
using Newtonsoft.Json.Linq;

namespace UnityMcpPlugin
{
    /// <summary>The jobs of one tool: started, asked about, cancelled. Any thread, but for <see cref="Cancel"/>.</summary>
    internal interface IJobRunner
    {
        /// <summary>The tool whose calls are its jobs.</summary>
        string ToolName { get; }

        /// <summary>How long a job may wait for the main thread to accept it, in milliseconds.</summary>
        long LongestWaitMs { get; }

        /// <summary>What accepts a job, on the main thread; its result has the job's id as <c>job_id</c>.</summary>
        Func<ToolOutcome> Submit(JObject parameters);

        /// <summary>A job that is under way and serves whoever asks for one now, too; null when there is none.</summary>
        ToolOutcome Join();

        /// <summary>A job as <c>job_status</c> tells it; null when there is none of that id.</summary>
        JObject Status(string jobId);

        /// <summary>The ends of jobs that the server has not confirmed to know, as <c>job_status</c> tells them.</summary>
        IReadOnlyList<Func<JObject>> Unconfirmed();

        /// <summary>The server knows how that job ended: it need not be kept for it.</summary>
        void Confirm(string jobId);

        /// <summary><c>cancelled</c>, <c>cancel_requested</c> or <c>rejected</c>; null when there is no such job. Main thread.</summary>
        string Cancel(string jobId);
    }
}
