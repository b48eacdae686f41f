using System.Collections.Generic;
using System.Linq;
using Newtonsoft.Json.Linq;

namespace UnityMcpPlugin
{
    /// <summary>
    /// Why a command has no result: a code, and in one or two sentences what happened and what to do.
    /// </summary>
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
        public const string EditorBlocked = "ERR_EDITOR_BLOCKED";
        public const string ReloadLocked = "ERR_RELOAD_LOCKED";
        public const string UnsavedScenes = "ERR_UNSAVED_SCENES";
        public const string UnityExecution = "ERR_UNITY_EXECUTION";
        public const string TestRunFailed = "ERR_TEST_RUN_FAILED";
        public const string Unexpected = "ERR_PLUGIN_EXCEPTION";

        /// <summary>Most compiler errors that one failure lists.</summary>
        public const int MaxErrors = 20;

        private const int ErrorsInWords = 1;

        public ToolFailure(string code, string message, IEnumerable<CompilerIssue> errors = null)
        {
            Code = code;
            Message = message;
            Errors = (errors ?? Enumerable.Empty<CompilerIssue>()).Take(MaxErrors).ToArray();
        }

        public string Code { get; }

        public string Message { get; }

        /// <summary>The compiler's errors, if they are the reason.</summary>
        public IReadOnlyList<CompilerIssue> Errors { get; }

        /// <summary>The project's code doesn't compile.</summary>
        /// <param name="so">The consequence.</param>
        /// <param name="errors">The errors, as far as known.</param>
        public static ToolFailure BrokenCode(string so, IReadOnlyList<CompilerIssue> errors) => new ToolFailure(
            CompileErrors,
            $"The scripts don't compile, so {so}. " +
            (errors.Count == 0 ? "compile tells the errors." : CompilerIssue.Some(errors, ErrorsInWords)),
            errors);

        /// <summary>The domain was unloaded before the command started.</summary>
        public static ToolFailure Reloading(string name) => new ToolFailure(
            EditorNotReady, $"{name} did not run: the Editor has just begun to reload its domain. Call it again.");

        public JObject ToJson()
        {
            var json = new JObject { ["code"] = Code, ["message"] = Message };
            if (Errors.Count > 0)
            {
                var errors = new JArray(Errors.Select(each => (object)each.ToJson()).ToArray());
                json["details"] = new JObject { ["errors"] = errors };
            }

            return json;
        }

        /// <param name="failure">Null for none.</param>
        public static void Write(ToolFailure failure, FieldWriter fields)
        {
            fields.Add(failure?.Code);
            if (failure != null)
            {
                fields.Add(failure.Message);
                fields.Add(failure.Errors.Count);
                foreach (var error in failure.Errors)
                {
                    error.Write(fields);
                }
            }
        }

        /// <summary>Reads what <see cref="Write"/> has written; null for none.</summary>
        public static ToolFailure Read(FieldReader fields)
        {
            var code = fields.Text();
            if (code == null)
            {
                return null;
            }

            var message = fields.Text();
            var errors = new CompilerIssue[fields.Count(MaxErrors)];
            for (var index = 0; index < errors.Length; index++)
            {
                errors[index] = CompilerIssue.Read(fields);
            }

            return new ToolFailure(code, message, errors);
        }
    }
}
