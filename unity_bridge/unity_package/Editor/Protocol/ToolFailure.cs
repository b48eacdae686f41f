using Newtonsoft.Json.Linq;

namespace UnityMcpPlugin
{
    /// <summary>Why a command brought no result: a code, and what happened and what to do, in one sentence or two.</summary>
    internal sealed class ToolFailure
    {
        public const string InvalidRequest = "ERR_INVALID_REQUEST";
        public const string InvalidParams = "ERR_INVALID_PARAMS";
        public const string UnknownCommand = "ERR_UNKNOWN_COMMAND";
        public const string EditorNotReady = "ERR_EDITOR_NOT_READY";
        public const string QueueFull = "ERR_QUEUE_FULL";
        public const string DuplicateRequest = "ERR_DUPLICATE_REQUEST";
        public const string JobNotFound = "ERR_JOB_NOT_FOUND";
        public const string InvalidState = "ERR_INVALID_STATE";
        public const string ResultTooLarge = "ERR_RESULT_TOO_LARGE";
        public const string CompileErrors = "ERR_COMPILE_ERRORS";
        public const string ReloadLocked = "ERR_RELOAD_LOCKED";
        public const string UnsavedScenes = "ERR_UNSAVED_SCENES";
        public const string NoTests = "ERR_NO_TESTS";
        public const string TestRunFailed = "ERR_TEST_RUN_FAILED";
        public const string Unexpected = "ERR_PLUGIN_EXCEPTION";

        public ToolFailure(string code, string message)
        {
            Code = code;
            Message = message;
        }

        public string Code { get; }

        public string Message { get; }

        /// <summary>The domain goes down before a command was started.</summary>
        public static ToolFailure Reloading(string name) => new ToolFailure(
            EditorNotReady, $"{name} was not started: the Editor has just begun to reload its domain. Call it again.");

        public JObject ToJson() => new JObject { ["code"] = Code, ["message"] = Message };
    }
}
