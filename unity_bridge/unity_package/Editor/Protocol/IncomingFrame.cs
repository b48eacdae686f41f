using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace UnityMcpPlugin
{
    /// <summary>
    /// A message from the server, as in <c>contracts/wire/from-server</c>. Reading never throws: an
    /// unreadable message has a <see cref="Problem"/>.
    /// </summary>
    internal sealed class IncomingFrame
    {
        private static readonly JObject Nothing = new JObject();

        private readonly JObject _fields;

        private IncomingFrame(JObject fields, string problem)
        {
            _fields = fields;
            Problem = problem;
        }

        /// <summary>What is wrong with the message; null if nothing is.</summary>
        public string Problem { get; }

        public string Type => Text("type") ?? "";

        /// <summary>The id of the request that it makes or answers; null if it has none.</summary>
        public string RequestId => Text("request_id");

        /// <summary>
        /// The client's name for its request, the same for each attempt; null if it has none.
        /// </summary>
        public string ClientRequestId => Text("client_request_id");

        public string ToolName => Text("tool_name") ?? "";

        public JObject Params => _fields["params"] as JObject ?? Nothing;

        /// <summary>How long the caller waits, in milliseconds; 0 if unknown.</summary>
        public long TimeoutMs => _fields["timeout_ms"] is JValue value && value.Type == JTokenType.Integer
            ? (long)value
            : 0;

        /// <summary>The code of an <c>error</c> frame.</summary>
        public string ErrorCode => (_fields["error"] as JObject)?["code"]?.ToString() ?? "";

        /// <summary>The message of an <c>error</c> frame.</summary>
        public string ErrorMessage => (_fields["error"] as JObject)?["message"]?.ToString() ?? "";

        /// <summary>A string field; null if it is missing or has another type.</summary>
        public string Text(string name) =>
            _fields[name] is JValue value && value.Type == JTokenType.String ? (string)value : null;

        public static IncomingFrame Read(string message)
        {
            try
            {
                var frame = new IncomingFrame(StrictJson.Parse(message), null);
                return frame.Type == "" ? Bad("the message has no type") : frame;
            }
            catch (JsonException)
            {
                return Bad("the message is not a JSON object");
            }
        }

        private static IncomingFrame Bad(string problem) => new IncomingFrame(Nothing, problem);
    }
}
