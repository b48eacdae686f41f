using Newtonsoft.Json.Linq;

namespace UnityMcpPlugin
{
    /// <summary>The jobs that the router starts, asks about and cancels. Any thread but for <see cref="Submit"/> and <see cref="Cancel"/>.</summary>
    internal interface IJobRunner
    {
        /// <summary>The one tool that runs as a job.</summary>
        string ToolName { get; }

        /// <summary>Accept a job and return its id as <c>job_id</c>. Main thread.</summary>
        ToolOutcome Submit(JObject parameters);

        /// <summary>A job as <c>job_status</c> tells it; null when there is none of that id.</summary>
        JObject Status(string jobId);

        /// <summary><c>cancelled</c>, <c>cancel_requested</c> or <c>rejected</c>; null when there is no such job. Main thread.</summary>
        string Cancel(string jobId);
    }
}
