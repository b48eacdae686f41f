using Newtonsoft.Json.Linq;

namespace UnityMcpPlugin
{
    /// <summary>The Editor's play mode, as the tools see it. Main thread.</summary>
    internal interface IPlayMode
    {
        bool IsPlaying { get; set; }

        bool IsPaused { get; set; }

        bool IsPlayingOrWillChange { get; }
    }

    /// <summary><c>get_play_mode_state</c>: reads, changes nothing.</summary>
    internal sealed class GetPlayModeStateTool : ITool
    {
        private readonly IPlayMode _playMode;

        public GetPlayModeStateTool(IPlayMode playMode) => _playMode = playMode;

        public string Name => "get_play_mode_state";

        public bool NeedsMainThread => true;

        public ToolOutcome Run(JObject parameters)
        {
            var state = !_playMode.IsPlaying ? "stopped" : _playMode.IsPaused ? "paused" : "playing";
            return ToolOutcome.Ok(PlayModeFlags.AddTo(new JObject { ["state"] = state }, _playMode));
        }
    }

    /// <summary><c>control_play_mode</c>: asks for the change and tells what is seen right after, without waiting for it.</summary>
    internal sealed class ControlPlayModeTool : ITool
    {
        private readonly IPlayMode _playMode;

        public ControlPlayModeTool(IPlayMode playMode) => _playMode = playMode;

        public string Name => "control_play_mode";

        public bool NeedsMainThread => true;

        public ToolOutcome Run(JObject parameters)
        {
            var action = parameters["action"]?.ToString();
            switch (action)
            {
                case "start":
                    _playMode.IsPaused = false;
                    _playMode.IsPlaying = true;
                    break;
                case "stop":
                    _playMode.IsPaused = false;
                    _playMode.IsPlaying = false;
                    break;
                case "pause":
                    if (!_playMode.IsPlaying)
                    {
                        return ToolOutcome.Failed(
                            ToolFailure.InvalidState,
                            "The Editor is not in play mode, so there is nothing to pause. Start play mode first.");
                    }

                    _playMode.IsPaused = true;
                    break;
                default:
                    return ToolOutcome.Refused(ToolFailure.InvalidParams, "action is one of start, stop and pause.");
            }

            return ToolOutcome.Ok(PlayModeFlags.AddTo(new JObject { ["action"] = action, ["accepted"] = true }, _playMode));
        }
    }

    internal static class PlayModeFlags
    {
        public static JObject AddTo(JObject result, IPlayMode playMode)
        {
            result["is_playing"] = playMode.IsPlaying;
            result["is_paused"] = playMode.IsPaused;
            result["is_playing_or_will_change_playmode"] = playMode.IsPlayingOrWillChange;
            return result;
        }
    }
}
