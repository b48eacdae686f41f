using System;
using System.Collections.Generic;
using System.Text;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace UnityMcpPlugin
{
    /// <summary>
    /// The frames that the plugin sends, as <c>contracts/wire/from-plugin</c> has them.
    /// </summary>
    internal static class WireFrames
    {
        /// <summary>Largest message either side may send, in bytes of UTF-8.</summary>
        public const int MaxMessageBytes = 1048576;

        public const int ProtocolVersion = 1;

        /// <summary>Introduces this Editor; asks for pings and tells the server which Editor it is.</summary>
        /// <param name="open">The requests that it has and has not answered yet.</param>
        public static JObject Hello(
            EditorIdentity who, PluginState plugin, IReadOnlyList<string> open, EditorState state)
        {
            var frame = Of("hello");
            frame["plugin_version"] = who.PluginVersion;
            frame["state"] = state.OnTheWire();
            frame["editor_instance_id"] = who.InstanceId;
            frame["plugin_session_id"] = plugin.SessionId;
            frame["request_memory_id"] = plugin.MemoryId;
            frame["open_requests"] = new JArray(open);
            frame["project_path"] = who.ProjectPath;
            frame["unity_version"] = who.UnityVersion;
            frame["heartbeat"] = "ping";
            return frame;
        }

        /// <param name="nowMs">Of the clock that the report's times are of.</param>
        public static JObject EditorStatus(StatusReport report, long nowMs)
        {
            var frame = Of("editor_status");
            frame["state"] = report.State.OnTheWire();
            return Reported(frame, report, nowMs);
        }

        /// <param name="nowMs">Of the clock that the report's times are of.</param>
        public static JObject Pong(StatusReport report, long nowMs)
        {
            var frame = Of("pong");
            frame["editor_state"] = report.State.OnTheWire();
            return Reported(frame, report, nowMs);
        }

        public static JObject Result(string requestId, JObject result)
        {
            var frame = Answer("result", requestId);
            frame["status"] = "ok";
            frame["result"] = result;
            return frame;
        }

        /// <summary>The answer for a tool that started and failed.</summary>
        public static JObject FailedResult(string requestId, ToolFailure failure)
        {
            var frame = Answer("result", requestId);
            frame["status"] = "error";
            frame["result"] = failure.ToJson();
            return frame;
        }

        public static JObject SubmitJobResult(string requestId, string jobId)
        {
            var frame = Answer("submit_job_result", requestId);
            frame["status"] = "accepted";
            frame["job_id"] = jobId;
            return frame;
        }

        /// <summary>How a job is; without a request id it is told unasked.</summary>
        public static JObject JobStatus(string requestId, JObject job)
        {
            var frame = requestId == null ? Of("job_status") : Answer("job_status", requestId);
            frame.Merge(job);
            return frame;
        }

        public static JObject CancelResult(string requestId, string status)
        {
            var frame = Answer("cancel_result", requestId);
            frame["status"] = status;
            return frame;
        }

        /// <summary>The answer for what was refused before it started.</summary>
        public static JObject Error(string requestId, ToolFailure failure)
        {
            var frame = Of("error");
            if (!string.IsNullOrEmpty(requestId))
            {
                frame["request_id"] = requestId;
            }

            frame["error"] = failure.ToJson();
            return frame;
        }

        /// <summary>A frame's bytes as they go over the wire.</summary>
        public static byte[] ToBytes(JObject frame) => Encoding.UTF8.GetBytes(frame.ToString(Formatting.None));

        private static JObject Reported(JObject frame, StatusReport report, long nowMs)
        {
            frame["seq"] = report.Seq;
            if (report.Blocked != null)
            {
                var blocked = new JObject { ["for_ms"] = Math.Max(0, nowMs - report.Blocked.SinceMs) };
                if (report.Blocked.Dialog != null)
                {
                    blocked["dialog"] = report.Blocked.Dialog;
                }

                frame["blocked"] = blocked;
            }

            if (report.ReloadLocked)
            {
                frame["reload_locked"] = true;
            }

            return frame;
        }

        private static JObject Answer(string type, string requestId)
        {
            // The id stands first: a reader that gives up on a long message has seen it.
            var frame = Of(type);
            frame["request_id"] = requestId;
            return frame;
        }

        private static JObject Of(string type) =>
            new JObject { ["type"] = type, ["protocol_version"] = ProtocolVersion };
    }
}
