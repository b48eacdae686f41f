using System;
using System.Linq;
using UnityEditor;
using UnityEditor.Compilation;
using UnityEngine;

namespace UnityMcpPlugin
{
    /// <summary>
    /// Passes the Editor's events on to the state tracker and the console buffer. All but the log messages
    /// come on the main thread.
    /// </summary>
    internal sealed class EditorEvents
    {
        private readonly EditorStateTracker _tracker;
        private readonly StatusBoard _board;
        private readonly ConsoleBuffer _console;
        private readonly CompilationRecord _compilation;
        private readonly string _projectFolder;
        private readonly Func<bool> _reloadIsLocked;
        private readonly Func<long> _nowMs;

        /// <param name="projectFolder">
        /// The folder to which the paths of compiler messages are made relative.
        /// </param>
        /// <param name="reloadIsLocked">Whether a lock on domain reloads is held.</param>
        public EditorEvents(
            EditorStateTracker tracker,
            StatusBoard board,
            ConsoleBuffer console,
            CompilationRecord compilation,
            string projectFolder,
            Func<bool> reloadIsLocked,
            Func<long> nowMs)
        {
            _tracker = tracker;
            _board = board;
            _console = console;
            _compilation = compilation;
            _projectFolder = projectFolder;
            _reloadIsLocked = reloadIsLocked;
            _nowMs = nowMs;
        }

        /// <summary>The Editor's state, as reported to the server.</summary>
        public EditorState State => _tracker.State;

        public void Subscribe()
        {
            Application.logMessageReceivedThreaded += OnLogged;
            CompilationPipeline.compilationStarted += OnCompilationStarted;
            CompilationPipeline.compilationFinished += OnCompilationFinished;
            CompilationPipeline.assemblyCompilationFinished += OnAssemblyCompiled;
            EditorApplication.playModeStateChanged += OnPlayModeChanged;
        }

        public void Unsubscribe()
        {
            Application.logMessageReceivedThreaded -= OnLogged;
            CompilationPipeline.compilationStarted -= OnCompilationStarted;
            CompilationPipeline.compilationFinished -= OnCompilationFinished;
            CompilationPipeline.assemblyCompilationFinished -= OnAssemblyCompiled;
            EditorApplication.playModeStateChanged -= OnPlayModeChanged;
        }

        /// <summary>Called in each update of the main loop.</summary>
        public void Update()
        {
            var isPlaying = EditorApplication.isPlaying;
            _tracker.Update(
                EditorApplication.isCompiling,
                EditorApplication.isUpdating,
                EditorApplication.isPlayingOrWillChangePlaymode != isPlaying,
                EditorUtility.scriptCompilationFailed,
                _nowMs());
            _tracker.ReloadLock(_tracker.State == EditorState.Compiling && _reloadIsLocked(), _nowMs());
            _board.Set(_tracker.State);
            _board.SetReloadLocked(_tracker.ReloadLocked);
        }

        /// <summary>Called before the domain is unloaded.</summary>
        public void DomainGoesDown()
        {
            _tracker.DomainGoesDown();
            _board.Set(_tracker.State);
        }

        private void OnCompilationStarted(object context)
        {
            _compilation.Started();
            _console.CompilationStarted();
            _tracker.CompilationStarted();
            _board.Set(_tracker.State);
        }

        private void OnAssemblyCompiled(string path, CompilerMessage[] messages)
        {
            var told = messages.Where(message => message.type != CompilerMessageType.Info).ToArray();
            foreach (var message in told)
            {
                var isError = message.type == CompilerMessageType.Error;
                _console.Compiled(
                    isError ? ConsoleEntryType.Error : ConsoleEntryType.Warning, message.message, DateTime.UtcNow);
            }

            _compilation.AssemblyCompiled(path, told.Select(Issue));
        }

        private void OnCompilationFinished(object context)
        {
            _compilation.Finished();
            _tracker.CompilationFinished(_compilation.Failed);
            _board.Set(_tracker.State);
        }

        private CompilerIssue Issue(CompilerMessage message) => CompilerIssue.Of(
            message.type == CompilerMessageType.Error,
            message.message,
            message.file,
            message.line,
            message.column,
            _projectFolder);

        private void OnPlayModeChanged(PlayModeStateChange change)
        {
            if (change == PlayModeStateChange.ExitingEditMode)
            {
                _tracker.EnteringPlayMode();
            }
            else
            {
                _tracker.PlayModeSettled();
            }

            _board.Set(_tracker.State);
        }

        private void OnLogged(string condition, string stackTrace, LogType type) =>
            _console.Logged(TypeOf(type), condition, stackTrace, DateTime.UtcNow);

        private static ConsoleEntryType TypeOf(LogType type)
        {
            switch (type)
            {
                case LogType.Error:
                    return ConsoleEntryType.Error;
                case LogType.Assert:
                    return ConsoleEntryType.Assert;
                case LogType.Warning:
                    return ConsoleEntryType.Warning;
                case LogType.Exception:
                    return ConsoleEntryType.Exception;
                default:
                    return ConsoleEntryType.Log;
            }
        }
    }
}
