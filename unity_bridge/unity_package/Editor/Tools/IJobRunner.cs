using System;
using System.Collections.Generic;
using Newtonsoft.Json.Linq;

namespace UnityMcpPlugin
{
    /// <summary>
    /// The jobs of one tool: started, queried, cancelled. Any thread, except for <see cref="Cancel"/>.
    /// </summary>
    internal interface IJobRunner
    {
        /// <summary>The tool whose calls are its jobs.</summary>
        string ToolName { get; }

        /// <summary>How long a job may wait for the main thread to accept it, in milliseconds.</summary>
        long LongestWaitMs { get; }

        /// <summary>
        /// Returns the work that accepts a job, on the main thread; its result has the job's id as
        /// <c>job_id</c>.
        /// </summary>
        Func<ToolOutcome> Submit(JObject parameters);

        /// <summary>Returns a running job that also serves a new caller; null if there is none.</summary>
        ToolOutcome Join();

        /// <summary>A job's <c>job_status</c>; null if there is no such job.</summary>
        JObject Status(string jobId);

        /// <summary>The <c>job_status</c> of ended jobs that the server has not confirmed.</summary>
        IReadOnlyList<Func<JObject>> Unconfirmed();

        /// <summary>Note that the server knows the job's end, so it need not be kept.</summary>
        void Confirm(string jobId);

        /// <summary>
        /// Returns <c>cancelled</c>, <c>cancel_requested</c> or <c>rejected</c>; null if there is no such
        /// job. Main thread.
        /// </summary>
        string Cancel(string jobId);
    }
}
