using System;
using System.Collections.Generic;
using Newtonsoft.Json.Linq;

namespace UnityMcpPlugin
{
    /// <summary>The Editor's play mode, as the tools see it. Main thread.</summary>
    internal interface IPlayMode
    {
        bool IsPlaying { get; set; }

        bool IsPaused { get; set; }

        bool IsPlayingOrWillChange { get; }

        /// <summary>
        /// Whether the project's code doesn't compile: Unity then refuses to play, and tells only its user.
        /// </summary>
        bool CodeIsBroken { get; }

        /// <summary>The errors of the last compilation, as far as known.</summary>
        IReadOnlyList<CompilerIssue> CompilerErrors { get; }

        /// <summary>Open scenes and prefabs with unsaved changes, by their paths in the project.</summary>
        IReadOnlyList<string> UnsavedAssets { get; }
    }

    /// <summary><c>get_play_mode_state</c>: reads, changes nothing.</summary>
    internal sealed class GetPlayModeStateTool : ITool
    {
        private readonly IPlayMode _playMode;

        public GetPlayModeStateTool(IPlayMode playMode) => _playMode = playMode;

        public string Name => "get_play_mode_state";

        public bool NeedsMainThread => true;

        public bool ChangesThings => false;

        public Func<ToolOutcome> Prepare(JObject parameters) => () =>
        {
            var flags = new PlayModeFlags(_playMode);
            var state = !flags.IsPlaying ? "stopped" : flags.IsPaused ? "paused" : "playing";
            var unsaved = _playMode.UnsavedAssets;
            return ToolOutcome.Ok(() => flags.AddTo(new JObject { ["state"] = state, ["unsaved"] = new JArray(unsaved) }));
        };
    }

    /// <summary>
    /// <c>control_play_mode</c>: requests the change and returns the state right after, without waiting for
    /// it.
    /// </summary>
    internal sealed class ControlPlayModeTool : ITool
    {
        private readonly IPlayMode _playMode;

        public ControlPlayModeTool(IPlayMode playMode) => _playMode = playMode;

        public string Name => "control_play_mode";

        public bool NeedsMainThread => true;

        public bool ChangesThings => true;

        public Func<ToolOutcome> Prepare(JObject parameters)
        {
            var action = parameters["action"]?.ToString();
            return () => Run(action);
        }

        private ToolOutcome Run(string action)
        {
            switch (action)
            {
                case "start":
                    if (_playMode.CodeIsBroken && !_playMode.IsPlaying)
                    {
                        return ToolOutcome.Refused(ToolFailure.BrokenCode("Unity does not play", _playMode.CompilerErrors));
                    }

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

            var flags = new PlayModeFlags(_playMode);
            return ToolOutcome.Ok(() => flags.AddTo(new JObject { ["action"] = action, ["accepted"] = true }));
        }
    }

    /// <summary>The play mode at one moment.</summary>
    internal readonly struct PlayModeFlags
    {
        private readonly bool _willChange;

        public PlayModeFlags(IPlayMode playMode)
        {
            IsPlaying = playMode.IsPlaying;
            IsPaused = playMode.IsPaused;
            _willChange = playMode.IsPlayingOrWillChange;
        }

        public bool IsPlaying { get; }

        public bool IsPaused { get; }

        public JObject AddTo(JObject result)
        {
            result["is_playing"] = IsPlaying;
            result["is_paused"] = IsPaused;
            result["is_playing_or_will_change_playmode"] = _willChange;
            return result;
        }
    }
}
