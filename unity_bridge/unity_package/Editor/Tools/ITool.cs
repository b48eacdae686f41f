using System;
using Newtonsoft.Json.Linq;

namespace UnityMcpPlugin
{
    /// <summary>What a tool came to: a result, a failure, or a refusal to start.</summary>
    internal sealed class ToolOutcome
    {
        private ToolOutcome(Func<JObject> result, ToolFailure failure, bool started)
        {
            Result = result;
            Failure = failure;
            Started = started;
        }

        /// <summary>Makes the result's JSON, which is not for the main thread to do.</summary>
        public Func<JObject> Result { get; }

        /// <summary>Null when there is a result.</summary>
        public ToolFailure Failure { get; }

        /// <summary>Whether anything was done; what was refused was not started.</summary>
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

        /// <summary>Whether it uses Unity's API, which only the main thread may.</summary>
        bool NeedsMainThread { get; }

        /// <summary>Whether it must not be run twice for one request of a client.</summary>
        bool ChangesThings { get; }

        /// <summary>Reads the parameters, on any thread, and returns what is then run on the thread that the tool needs.</summary>
        Func<ToolOutcome> Prepare(JObject parameters);
    }
}
