using System;
using System.Collections.Generic;
using System.Linq;
using Newtonsoft.Json.Linq;

namespace UnityMcpPlugin
{
    /// <summary>
    /// All tools that run as jobs, for the router. Any thread, except for <see cref="Cancel"/>.
    /// </summary>
    internal sealed class JobRunners
    {
        private readonly IReadOnlyList<IJobRunner> _runners;

        public JobRunners(params IJobRunner[] runners) => _runners = runners;

        /// <summary>The runner of that tool; null if it doesn't run as a job here.</summary>
        public IJobRunner Of(string toolName) => _runners.FirstOrDefault(runner => runner.ToolName == toolName);

        /// <summary>A job's <c>job_status</c>; null if there is no such job.</summary>
        public JObject Status(string jobId) => First(runner => runner.Status(jobId));

        /// <summary>The job states to report to a server that has accepted this Editor.</summary>
        public IReadOnlyList<Func<JObject>> Unconfirmed() => _runners.SelectMany(runner => runner.Unconfirmed()).ToArray();

        public void Confirm(string jobId)
        {
            foreach (var runner in _runners)
            {
                runner.Confirm(jobId);
            }
        }

        /// <summary>See <see cref="IJobRunner.Cancel"/>. Main thread.</summary>
        public string Cancel(string jobId) => First(runner => runner.Cancel(jobId));

        private T First<T>(Func<IJobRunner, T> answer)
            where T : class => _runners.Select(answer).FirstOrDefault(each => each != null);
    }
}
