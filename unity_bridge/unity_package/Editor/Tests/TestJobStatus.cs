using System.Collections.Generic;
using System.Linq;
using Newtonsoft.Json.Linq;

namespace UnityMcpPlugin
{
    /// <summary>A job as it is at one moment. A value: it becomes JSON on another thread than the main one.</summary>
    internal sealed class TestJobStatus
    {
        private readonly string _id;
        private readonly TestJobState _state;
        private readonly int _completed;
        private readonly int _total;
        private readonly string _current;
        private readonly TestCounts _counts;
        private readonly IReadOnlyList<FailedTest> _failures;
        private readonly ToolFailure _failure;

        /// <param name="counts">What a job that succeeded came to.</param>
        /// <param name="failure">Why a job failed.</param>
        public TestJobStatus(
            string id,
            TestJobState state,
            int completed,
            int total,
            string current,
            TestCounts counts,
            IReadOnlyList<FailedTest> failures,
            ToolFailure failure)
        {
            _id = id;
            _state = state;
            _completed = completed;
            _total = total;
            _current = current;
            _counts = counts;
            _failures = failures;
            _failure = failure;
        }

        /// <summary>The fields of <c>job_status</c>.</summary>
        public JObject ToJson() => new JObject
        {
            ["job_id"] = _id,
            ["state"] = _state.ToString().ToLowerInvariant(),
            ["progress"] = Progress(),
            ["result"] = Result(),
        };

        private JToken Progress()
        {
            if (_state == TestJobState.Queued)
            {
                return JValue.CreateNull();
            }

            var progress = new JObject { ["completed"] = _completed, ["total"] = _total };
            if (_current != null)
            {
                progress["current"] = _current;
            }

            return progress;
        }

        private JToken Result()
        {
            if (_state == TestJobState.Succeeded)
            {
                return new JObject
                {
                    ["summary"] = _counts.ToSummary(),
                    ["failed_tests"] = new JArray(_failures.Select(test => (object)test.ToJson()).ToArray()),
                };
            }

            return _failure == null ? JValue.CreateNull() : (JToken)_failure.ToJson();
        }
    }
}
