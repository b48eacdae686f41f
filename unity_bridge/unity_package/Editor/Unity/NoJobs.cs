using Newtonsoft.Json.Linq;
namespace UnityMcpPlugin
{
    internal sealed class NoJobs : IJobRunner
    {
        public string ToolName => "run_tests";
        public ToolOutcome Submit(JObject parameters) => ToolOutcome.Refused(ToolFailure.UnknownCommand, "no");
        public JObject Status(string jobId) => null;
        public string Cancel(string jobId) => null;
    }
}
