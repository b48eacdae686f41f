using System.Collections.Generic;
using System.Linq;
using Newtonsoft.Json.Linq;

namespace UnityMcpPlugin
{
    /// <summary>
    /// The status of a job at one moment. A value, which becomes JSON on a background thread.
    /// </summary>
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

        /// <param name="counts">The outcomes of its tests so far.</param>
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
            if (_state != TestJobState.Succeeded && _failure == null)
            {
                return JValue.CreateNull();
            }

            var result = _failure == null ? new JObject() : _failure.ToJson();
            if (_failure == null || _counts.Total > 0)
            {
                // The tests that ran are known, whatever stopped the others.
                result["summary"] = _counts.ToSummary();
                result["failed_tests"] = new JArray(_failures.Select(test => (object)test.ToJson()).ToArray());
            }

            return result;
        }
    }
}
