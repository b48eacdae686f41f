using System;
using System.Diagnostics;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Threading;
using UnityBench.Contract;
using UnityEditor;
using UnityEditor.Compilation;
using UnityEditor.TestTools.TestRunner.Api;
using UnityEngine;

namespace UnityBench
{
    /// <summary>The Editor's managed side, made of the stand-ins.</summary>
    public sealed class ChildDomain : Contract.Domain
    {
        private const BindingFlags Statics = BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic;

        /// <inheritdoc/>
        public override void Start(EditorServices editor, EditorFlags flags, string[] assemblies, string[] windows)
        {
            BenchSide.Start(editor, flags);
            var here = assemblies.Select(name => Assembly.Load(name)).ToArray();
            foreach (var type in here.SelectMany(assembly => assembly.GetTypes()))
            {
                foreach (var method in type.GetMethods(Statics))
                {
                    foreach (var item in method.GetCustomAttributes<MenuItem>())
                    {
                        MenuItem.Register(item, method);
                    }
                }
            }

            foreach (var type in here.SelectMany(assembly => assembly.GetTypes()))
            {
                Initialize(type);
            }

            foreach (var window in windows)
            {
                EditorWindow.Open(Type.GetType(window, true));
            }
        }

        /// <inheritdoc/>
        public override long Update(EditorFlags flags)
        {
            BenchSide.Flags = flags;
            var started = Stopwatch.GetTimestamp();
            EditorApplication.RunUpdate();
            return (Stopwatch.GetTimestamp() - started) * 1000000 / Stopwatch.Frequency;
        }

        /// <inheritdoc/>
        public override void Raise(EditorEvent what, EditorFlags flags)
        {
            BenchSide.Flags = flags;
            switch (what)
            {
                case EditorEvent.CompilationStarted:
                    CompilationPipeline.Started();
                    break;
                case EditorEvent.CompilationFinished:
                    CompilationPipeline.Finished();
                    break;
                case EditorEvent.BeforeReload:
                    AssemblyReloadEvents.Before();
                    break;
                case EditorEvent.AfterReload:
                    AssemblyReloadEvents.After();
                    break;
                case EditorEvent.PauseChanged:
                    EditorApplication.RaisePause();
                    break;
                case EditorEvent.Quitting:
                    EditorApplication.RaiseQuitting();
                    break;
                default:
                    var change = (PlayModeStateChange)Enum.Parse(typeof(PlayModeStateChange), what.ToString());
                    EditorApplication.RaisePlayMode(change);
                    break;
            }
        }

        /// <inheritdoc/>
        public override void Compiled(string assembly, CompilerLine[] messages)
        {
            var told = messages.Select(line => new CompilerMessage
            {
                message = line.Message,
                file = line.File,
                line = line.Line,
                column = line.Column,
                type = line.Error ? CompilerMessageType.Error : CompilerMessageType.Warning,
            });
            CompilationPipeline.AssemblyFinished(assembly, told.ToArray());

            // Unity itself writes them to the console, too, past every log handler.
            foreach (var line in messages)
            {
                Application.Receive(line.Message, "", line.Error ? LogType.Error : LogType.Warning);
            }
        }

        /// <inheritdoc/>
        public override void Log(string type, string message, int count, bool threaded)
        {
            void Send()
            {
                var kind = (LogType)Enum.Parse(typeof(LogType), type, true);
                for (var number = 1; number <= count; number++)
                {
                    UnityEngine.Debug.LogFormat(kind, LogOption.None, null, "{0}", message.Replace("{n}", number.ToString()));
                }
            }

            if (threaded)
            {
                var thread = new Thread(Send) { IsBackground = true, Name = "bench-script" };
                thread.Start();
                thread.Join();
            }
            else
            {
                Send();
            }
        }

        /// <inheritdoc/>
        public override void Tests(TestStep step) => TestRunnerApi.Step(step);

        /// <inheritdoc/>
        public override bool Menu(string item) => EditorApplication.ExecuteMenuItem(item);

        /// <inheritdoc/>
        public override string Gui(string label, string value) => EditorWindow.DrawAll(label, value);

        private static void Initialize(Type type)
        {
            try
            {
                if (type.IsDefined(typeof(InitializeOnLoadAttribute), false))
                {
                    RuntimeHelpers.RunClassConstructor(type.TypeHandle);
                }

                foreach (var method in type.GetMethods(Statics))
                {
                    if (method.IsDefined(typeof(InitializeOnLoadMethodAttribute), false))
                    {
                        method.Invoke(null, null);
                    }
                }
            }
            catch (Exception exception) when (exception is TypeInitializationException || exception is TargetInvocationException)
            {
                UnityEngine.Debug.LogException(exception.InnerException ?? exception);
            }
        }
    }
}
