using System;
using System.Diagnostics;
using System.IO;
using UnityEditor;
using UnityEngine;

namespace UnityMcpPlugin
{
    /// <summary>
    /// Makes the parts, connects them to the Editor when a domain comes up, and ends all of them
    /// before it goes down: after <c>beforeAssemblyReload</c> nothing of the package runs any more.
    /// </summary>
    [InitializeOnLoad]
    internal static class UnityMcpBridge
    {
        /// <summary>How long telling the server may hold up a domain reload.</summary>
        public const int CloseBudgetMs = 100;

        /// <summary>How long of it may go into sending what is ready to be sent.</summary>
        private const int DrainBudgetMs = 40;

        /// <summary>How long the threads get to see that their socket is gone.</summary>
        private const int JoinBudgetMs = 250;

        /// <summary>The server's bearer token, where it was started with one.</summary>
        private const string TokenVariable = "UNITY_CLI_TOKEN";

        /// <summary>Set to let an Editor without windows connect too.</summary>
        private const string BatchModeVariable = "UNITY_MCP_BATCH_MODE";

        private static readonly Stopwatch Clock = Stopwatch.StartNew();
        private static readonly UnityLog Log = new UnityLog();
        private static readonly EditorSession Session = new EditorSession();

        private static ConsoleBuffer s_console;
        private static EditorEvents s_events;
        private static MainThreadDispatcher s_dispatcher;
        private static BridgeWorker s_worker;
        private static BridgeConnection s_connection;

        static UnityMcpBridge()
        {
            if (!AssetDatabase.IsAssetImportWorkerProcess() && (!Application.isBatchMode || Wanted(BatchModeVariable)))
            {
                Start();
            }
        }

        /// <summary>Where the connection stands.</summary>
        public static ConnectionState State => s_connection == null ? ConnectionState.Off : s_connection.State;

        private static void Start()
        {
            var settings = UnityMcpPluginSettings.instance;
            var problem = SettingsValidation.Problem(settings.schemaVersion, settings.port);
            if (problem != null)
            {
                Log.Error(problem);
                return;
            }

            StartBridge(settings.port);
        }

        private static void StartBridge(int port)
        {
            var instanceId = Session.InstanceId();
            var tracker = new EditorStateTracker();
            var board = new StatusBoard(tracker.State);
            s_console = new ConsoleBuffer();
            s_events = new EditorEvents(tracker, board, s_console, Now);
            s_events.Subscribe();
            Session.LoadConsole(s_console);
            s_dispatcher = new MainThreadDispatcher(Now);
            s_worker = new BridgeWorker(s_dispatcher, board, Log, Now);
            s_worker.Restore(Session.TakeUnsent());
            var playMode = new UnityPlayMode();
            var tools = new ITool[]
            {
                new ReadConsoleTool(s_console, instanceId.Substring(0, 8)),
                new GetPlayModeStateTool(playMode),
                new ControlPlayModeTool(playMode),
            };
            var router = new CommandRouter(tools, new NoJobs(), s_dispatcher, s_worker, Log, Now);
            s_connection = new BridgeConnection(
                port,
                Environment.GetEnvironmentVariable(TokenVariable),
                WhoWeAre(instanceId),
                board,
                s_worker,
                router.Route,
                Log,
                Now,
                new System.Random().NextDouble);
            EditorApplication.update += OnUpdate;
            EditorApplication.quitting += OnQuitting;
            AssemblyReloadEvents.beforeAssemblyReload += OnBeforeReload;
            s_worker.Start();
            s_connection.Start();
        }

        private static EditorIdentity WhoWeAre(string instanceId)
        {
            var package = UnityEditor.PackageManager.PackageInfo.FindForAssembly(typeof(UnityMcpBridge).Assembly);
            return new EditorIdentity(
                instanceId,
                package == null ? "unknown" : package.version,
                Application.unityVersion,
                Path.GetDirectoryName(Application.dataPath));
        }

        private static bool Wanted(string variable) => !string.IsNullOrEmpty(Environment.GetEnvironmentVariable(variable));

        private static long Now() => Clock.ElapsedMilliseconds;

        private static void OnUpdate()
        {
            s_events.Update();
            s_dispatcher.Update(s_worker.Answer);
        }

        private static void OnBeforeReload() => Stop("domain reload");

        private static void OnQuitting() => Stop("the Editor quits");

        private static void Stop(string reason)
        {
            if (s_connection == null)
            {
                return;
            }

            EditorApplication.update -= OnUpdate;
            EditorApplication.quitting -= OnQuitting;
            AssemblyReloadEvents.beforeAssemblyReload -= OnBeforeReload;
            s_events.DomainGoesDown();
            s_events.Unsubscribe();
            foreach (var answer in s_dispatcher.Close())
            {
                s_worker.Answer(answer);
            }

            var started = Now();
            s_worker.Drain(DrainBudgetMs);
            s_worker.Stop();
            s_connection.Stop(reason, (int)Math.Max(1, CloseBudgetMs - (Now() - started)));
            var ended = s_connection.Join(JoinBudgetMs) & s_worker.Join(JoinBudgetMs);
            Session.SaveUnsent(s_worker.Unsent());
            Session.SaveConsole(s_console);
            s_connection = null;
            if (!ended)
            {
                Log.Warning("A thread did not end in time; the domain reload ends it.");
            }
        }
    }
}
