using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text.RegularExpressions;
using System.Threading;
using UnityBench.Contract;

namespace UnityBench
{
    /// <summary>What can be typed: one command a line.</summary>
    internal sealed class Commands
    {
        private readonly Editor m_Editor;
        private readonly AutoResetEvent m_Thaw;
        private readonly Dictionary<string, Command> m_Commands;

        internal Commands(Editor editor, AutoResetEvent thaw)
        {
            m_Editor = editor;
            m_Thaw = thaw;
            m_Commands = Listed().ToDictionary(command => command.Usage.Split(' ')[0]);
        }

        /// <summary>Whether the Editor has been told to quit.</summary>
        internal bool Quitting { get; private set; }

        /// <summary>Carries out one line, on the main thread.</summary>
        internal void Execute(string line)
        {
            var words = line.Trim().Split(new[] { ' ' }, 2);
            if (words[0] == "" || words[0].StartsWith("#", StringComparison.Ordinal))
            {
                return;
            }

            if (!m_Commands.TryGetValue(words[0], out var command))
            {
                Output.Write("error", "message", "There is no command '" + words[0] + "'. Type: help");
                return;
            }

            try
            {
                command.Action(words.Length > 1 ? words[1].Trim() : "");
                Output.Write("done", "command", line.Trim());
            }
            catch (FormatException)
            {
                Output.Write("error", "message", "Usage: " + command.Usage);
            }
        }

        private IEnumerable<Command> Listed()
        {
            yield return new Command("help", "this list", text =>
                Output.Write("help", "commands", m_Commands.Values.Select(each => each.Usage + "  -  " + each.Purpose)));
            yield return new Command("log log|warning|error|assert|exception MESSAGE", "write to the console", text => Log(text, false));
            yield return new Command("log-thread log|warning|error|assert|exception MESSAGE", "the same from another thread", text => Log(text, true));
            yield return new Command("flood COUNT LENGTH", "write so many entries of so many characters", Flood);
            yield return new Command("compile [MS]", "compile the scripts, then reload the domain", text =>
                m_Editor.Compilation.Begin(Number(text, -1)));
            yield return new Command("compile-warn [FILE(LINE,COLUMN)] MESSAGE", "compile with a warning, then reload", text =>
                m_Editor.Compilation.Begin(-1, Message(text, false)));
            yield return new Command("compile-fail [FILE(LINE,COLUMN)] MESSAGE", "compile with an error; no reload follows", text =>
                m_Editor.Compilation.Begin(-1, Message(text, true)));
            yield return new Command("edited [[FILE(LINE,COLUMN)] MESSAGE]", "scripts were edited outside, perhaps with an error; the next import sees it", text =>
                m_Editor.Compilation.Edit(text == "" ? new CompilerLine[0] : new[] { Message(text, true) }));
            yield return new Command("edited-warn [FILE(LINE,COLUMN)] MESSAGE", "the same, with a warning", text =>
                m_Editor.Compilation.Edit(Message(text, false)));
            yield return new Command("broken-before [FILE(LINE,COLUMN)] MESSAGE", "scripts have not compiled since before the package was loaded", text =>
                m_Editor.Compilation.BreakUnheard(Message(text, true)));
            yield return new Command("import-blocks MS", "the next import keeps the main thread that long, as a dialog does", text =>
                m_Editor.Compilation.ImportMs = Number(text));
            yield return new Command("importing on|off", "import assets while the main loop goes on", text =>
                m_Editor.Compilation.Importing = Choice(text, "on", "off"));
            yield return new Command("hold-compilation on|off", "let what is compiled not end yet", text =>
                m_Editor.Compilation.Held = Choice(text, "on", "off"));
            yield return new Command("lock-after-compilation", "the same as lock-reload, when the next compilation ends", text =>
                m_Editor.Compilation.LocksAtEnd = true);
            yield return new Command("auto-refresh on|off", "whether getting focus imports what was edited outside", text =>
                m_Editor.Compilation.AutoRefresh = Choice(text, "on", "off"));
            yield return new Command("lock-reload", "keep assemblies from being reloaded, as a script of the project does", text =>
                m_Editor.LockReload(1));
            yield return new Command("unlock-reload", "let them be reloaded again", text => m_Editor.LockReload(-1));
            yield return new Command("scene PATH dirty|saved", "open a scene, or change or save it", text => Open(text, false));
            yield return new Command("prefab PATH dirty|saved", "the same for a prefab in Prefab Mode", text => Open(text, true));
            yield return new Command("reload", "reload the domain", text => m_Editor.RequestReload());
            yield return new Command("freeze [MS]", "block the main thread, for so long or until: thaw", text =>
            {
                var duration = Number(text, Timeout.Infinite);
                Output.Write("frozen", "duration_ms", duration);
                m_Thaw.WaitOne(duration);
            });
            yield return new Command("unfocus", "lose focus: one update a second", text => m_Editor.Focused = false);
            yield return new Command("focus", "get focus back, and import what was edited outside", text =>
            {
                m_Editor.Focused = true;
                if (m_Editor.Compilation.AutoRefresh)
                {
                    m_Editor.Compilation.Import();
                }
            });
            yield return new Command("play", "enter play mode", text => m_Editor.PlayMode.Request(true));
            yield return new Command("stop", "leave play mode", text => m_Editor.PlayMode.Request(false));
            yield return new Command("pause", "pause", text => Pause(true));
            yield return new Command("resume", "resume", text => Pause(false));
            yield return new Command("play-reload on|off", "whether entering play mode reloads the domain", text =>
                m_Editor.PlayMode.ReloadsDomain = Choice(text, "on", "off"));
            yield return new Command("test edit|play NAME passed|failed|skipped|inconclusive|strict MS [MESSAGE]", "add a test to the project; a strict one expects that nothing is logged", DefineTest);
            yield return new Command("tests-clear", "remove all tests from the project", text => m_Editor.TestRuns.Clear());
            yield return new Command("run-tests edit|play", "run tests as the Test Runner window does", text =>
                m_Editor.TestRuns.Start(Choice(text, "play", "edit"), new string[0], new string[0]));
            yield return new Command("cancel-tests", "cancel what runs", text => m_Editor.TestRuns.Cancel());
            yield return new Command("menu PATH", "choose a menu item", text =>
                Output.Write("menu", "found", m_Editor.Domain.Menu(text)));
            yield return new Command("type LABEL = VALUE", "type into a field of a window", text =>
            {
                var match = Matched(text, "^(.+?) *= *(.*)$");
                Gui(match.Groups[1].Value, match.Groups[2].Value);
            });
            yield return new Command("click LABEL", "click a button of a window", text => Gui(text, null));
            yield return new Command("windows", "what the open windows show", text => Output.Write(
                "windows", "open", m_Editor.Windows, "shown", m_Editor.Domain.Gui(null, null).Split('\n')));
            yield return new Command("stats", "how long the package kept the main loop since the last time", text => m_Editor.Durations.Report());
            yield return new Command("unload-limit MS", "after how long a reload counts as hung, which ends the bench", text =>
                m_Editor.UnloadLimitMs = Number(text));
            yield return new Command("quit", "quit the Editor", text => Quitting = true);
        }

        private void Log(string text, bool threaded)
        {
            var match = Matched(text, "^(log|warning|error|assert|exception) (.+)$");
            m_Editor.Domain.Log(match.Groups[1].Value, match.Groups[2].Value, 1, threaded);
        }

        private void Flood(string text)
        {
            var match = Matched(text, "^([0-9]+) +([0-9]+)$");
            var filler = new string('x', Number(match.Groups[2].Value));
            m_Editor.Domain.Log("log", "entry {n} " + filler, Number(match.Groups[1].Value), false);
        }

        /// <summary>A compiler's message; one about a file that is missing has no place.</summary>
        private static CompilerLine Message(string text, bool error)
        {
            var match = Matched(text, @"^(?:(.+?)\(([0-9]+),([0-9]+)\):? +)?(.+)$");
            var file = match.Groups[1].Value;
            var place = file == "" ? "" : file + "(" + match.Groups[2].Value + "," + match.Groups[3].Value + "): ";
            return new CompilerLine
            {
                Message = place + (error ? "error" : "warning") + " " + match.Groups[4].Value,
                File = file,
                Line = Number(match.Groups[2].Value, 0),
                Column = Number(match.Groups[3].Value, 0),
                Error = error,
            };
        }

        private void Open(string text, bool prefab)
        {
            var match = Matched(text, "^(.*?) *(dirty|saved)$");
            m_Editor.Scenes.Set(new SceneState
            {
                Path = match.Groups[1].Value,
                Dirty = match.Groups[2].Value == "dirty",
                Prefab = prefab,
            });
        }

        private void Pause(bool paused)
        {
            m_Editor.PlayMode.Paused = paused;
            m_Editor.Raise(EditorEvent.PauseChanged);
        }

        private void DefineTest(string text)
        {
            var match = Matched(text, "^(edit|play) ([^ ]+) (passed|failed|skipped|inconclusive|strict) ([0-9]+)(?: (.+))?$");
            var outcome = char.ToUpperInvariant(match.Groups[3].Value[0]) + match.Groups[3].Value.Substring(1);
            m_Editor.TestRuns.Define(new DefinedTest(
                match.Groups[1].Value == "play",
                match.Groups[2].Value,
                outcome,
                Number(match.Groups[4].Value),
                match.Groups[5].Value));
        }

        private void Gui(string label, string value)
        {
            var shown = m_Editor.Domain.Gui(label, value);
            Output.Write("gui", "found", shown != null, "shown", (shown ?? "").Split('\n'));
        }

        private static Match Matched(string text, string pattern)
        {
            var match = Regex.Match(text, pattern);
            return match.Success ? match : throw new FormatException();
        }

        private static bool Choice(string text, string yes, string no) =>
            text == yes ? true : text == no ? false : throw new FormatException();

        private static int Number(string text, int otherwise) => text == "" ? otherwise : Number(text);

        private static int Number(string text) =>
            int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var number)
                ? number
                : throw new FormatException();

        private sealed class Command
        {
            internal Command(string usage, string purpose, Action<string> action)
            {
                Usage = usage;
                Purpose = purpose;
                Action = action;
            }

            internal string Usage { get; }

            internal string Purpose { get; }

            internal Action<string> Action { get; }
        }
    }
}
