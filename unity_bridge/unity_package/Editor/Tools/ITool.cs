using System;
using Newtonsoft.Json.Linq;

namespace UnityMcpPlugin
{
    /// <summary>The outcome of a tool: a result, a failure, or a refusal to start.</summary>
    internal sealed class ToolOutcome
    {
        private ToolOutcome(Func<JObject> result, ToolFailure failure, bool started)
        {
            Result = result;
            Failure = failure;
            Started = started;
        }

        /// <summary>Makes the result's JSON, on a background thread.</summary>
        public Func<JObject> Result { get; }

        /// <summary>Null if there is a result.</summary>
        public ToolFailure Failure { get; }

        /// <summary>Whether the tool started; a refused one did not.</summary>
        public bool Started { get; }

        public static ToolOutcome Ok(Func<JObject> result) => new ToolOutcome(result, null, true);

        public static ToolOutcome Failed(string code, string message) =>
            new ToolOutcome(null, new ToolFailure(code, message), true);

        public static ToolOutcome Refused(string code, string message) => Refused(new ToolFailure(code, message));

        public static ToolOutcome Refused(ToolFailure why) => new ToolOutcome(null, why, false);
    }

    /// <summary>One tool that answers with its result.</summary>
    internal interface ITool
    {
        /// <summary>Its name in the server's catalog.</summary>
        string Name { get; }

        /// <summary>Whether it uses Unity's API, which requires the main thread.</summary>
        bool NeedsMainThread { get; }

        /// <summary>Whether it must not run twice for one request of a client.</summary>
        bool ChangesThings { get; }

        /// <summary>
        /// Reads the parameters, on any thread, and returns the work for the thread that the tool needs.
        /// </summary>
        Func<ToolOutcome> Prepare(JObject parameters);
    }
}
