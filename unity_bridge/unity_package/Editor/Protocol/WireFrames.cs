using System;
using System.Collections.Generic;
using System.Text;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace UnityMcpPlugin
{
    /// <summary>The frames that the plugin sends, as in <c>contracts/wire/from-plugin</c>.</summary>
    internal static class WireFrames
    {
        /// <summary>Largest message either side may send, in bytes of UTF-8.</summary>
        public const int MaxMessageBytes = 1048576;

        public const int ProtocolVersion = 1;

        /// <summary>Identifies this Editor to the server, and asks for pings.</summary>
        /// <param name="open">The requests that are not answered yet.</param>
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

        /// <param name="nowMs">The present time on the clock of the report.</param>
        public static JObject EditorStatus(StatusReport report, long nowMs)
        {
            var frame = Of("editor_status");
            frame["state"] = report.State.OnTheWire();
            return Reported(frame, report, nowMs);
        }

        /// <param name="nowMs">The present time on the clock of the report.</param>
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

        /// <summary>The answer if a tool started and failed.</summary>
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

        /// <summary>A job's status; without a request id it is unsolicited.</summary>
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

        /// <summary>The answer if a command was refused before it started.</summary>
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

        /// <summary>The frame's bytes for the wire.</summary>
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
            // The id comes first, so that a reader that gives up on a long message has seen it.
            var frame = Of(type);
            frame["request_id"] = requestId;
            return frame;
        }

        private static JObject Of(string type) =>
            new JObject { ["type"] = type, ["protocol_version"] = ProtocolVersion };
    }
}
