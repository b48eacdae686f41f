using System;
using System.Diagnostics;
using System.IO;
using UnityEditor;
using UnityEngine;

namespace UnityMcpPlugin
{
    /// <summary>
    /// Creates the parts, connects them to the Editor when a domain is loaded, and ends all of them before it
    /// is unloaded: after <c>beforeAssemblyReload</c> nothing of the package runs any more.
    /// </summary>
    [InitializeOnLoad]
    internal static class UnityMcpBridge
    {
        /// <summary>How long notifying the server may delay a domain reload.</summary>
        public const int CloseBudgetMs = 100;

        /// <summary>How much of that may be spent on sending ready answers.</summary>
        private const int DrainBudgetMs = 40;

        /// <summary>How long the threads get to notice that their socket is gone.</summary>
        private const int JoinBudgetMs = 250;

        /// <summary>
        /// How long a server that has just accepted this Editor may take to cancel a waiting job.
        /// </summary>
        private const int ServerSpeaksMs = 500;

        /// <summary>How long after the domain was loaded jobs are started even without a server.</summary>
        private const int ServerLimitMs = 5000;

        /// <summary>
        /// The server's bearer token, if it was started with one, but no file of its names it.
        /// </summary>
        private const string TokenVariable = "UNITY_CLI_TOKEN";

        private static readonly Stopwatch Clock = Stopwatch.StartNew();
        private static readonly UnityLog Log = new UnityLog();
        private static readonly EditorSession Session = new EditorSession();

        private static ConsoleBuffer s_console;
        private static EditorEvents s_events;
        private static MainThreadDispatcher s_dispatcher;
        private static BridgeWorker s_worker;
        private static BridgeConnection s_connection;
        private static UnityTestRunner s_testRunner;
        private static TestJobs s_jobs;
        private static CompilationRecord s_compilation;
        private static CompileJobs s_compiles;
        private static RequestMemory s_memory;
        private static string s_pluginSession;
        private static bool s_started;

        static UnityMcpBridge()
        {
            if (EditorProcess.IsTheEditor())
            {
                Start();
            }
        }

        /// <summary>The state of the connection.</summary>
        public static ConnectionState State => s_connection == null ? ConnectionState.Off : s_connection.State;

        /// <summary>The port that is in use, or being tried.</summary>
        public static int Port => s_connection == null ? UnityMcpPluginSettings.instance.port : s_connection.Port;

        /// <summary>Whether another port is being tried.</summary>
        public static bool ChangesPort => s_connection != null && s_connection.ChangesPort;

        /// <summary>The message about the settings, and whether it is an error; null for none.</summary>
        public static (string Text, bool IsError)? Notice { get; private set; }

        /// <summary>
        /// Use another port: it is kept once a server there has accepted this Editor. See <see
        /// cref="Notice"/>.
        /// </summary>
        public static void Apply(int port)
        {
            var problem = SettingsValidation.PortProblem(port);
            if (problem != null)
            {
                Notice = ($"{PortChange.InvalidPort}: {problem}", true);
            }
            else if (s_connection == null)
            {
                UnityMcpPluginSettings.instance.Store(port);
                Notice = null;
                StartBridge(port);
            }
            else if (port == s_connection.Port && !s_connection.ChangesPort)
            {
                UnityMcpPluginSettings.instance.Store(port);
                Notice = ($"The port is {port} already.", false);
            }
            else if (s_connection.ChangePort(port))
            {
                Session.PortOnTrial = port;
                Notice = ($"Trying port {port}…", false);
            }
            else
            {
                Notice = ($"{PortChange.InProgress}: port {s_connection.Port} is being tried. Wait for the result.", true);
            }
        }

        private static void Start()
        {
            var settings = UnityMcpPluginSettings.instance;
            var problem = SettingsValidation.Problem(settings.schemaVersion, settings.port);
            if (problem != null)
            {
                Notice = (problem, true);
                if (IsNew(problem))
                {
                    UnityLog.Error(problem);
                }

                return;
            }

            var ignored = SettingsValidation.Ignored(SettingsAsset(), settings.port);
            Notice = ignored == null ? ((string, bool)?)null : (ignored, true);
            if (IsNew(ignored))
            {
                Log.Warning(ignored);
            }

            if (Session.PortOnTrial != 0)
            {
                Tell(new PortChangeOutcome(false, settings.port, PortChange.RollbackMessage(
                    PortChange.Interrupted,
                    $"the Editor reloaded while port {Session.PortOnTrial} was being tried. Press Apply again",
                    settings.port)));
            }

            StartBridge(settings.port);
        }

        private static void Tell(PortChangeOutcome outcome)
        {
            Session.PortOnTrial = 0;
            Notice = (outcome.Message, !outcome.Succeeded);
            if (outcome.Succeeded)
            {
                UnityMcpPluginSettings.instance.Store(outcome.Port);
                Log.Info(outcome.Message);
            }
            else
            {
                Log.Warning(outcome.Message);
            }
        }

        /// <summary>Whether a message about the settings is new, compared with earlier domains.</summary>
        private static bool IsNew(string told)
        {
            var isNew = told != null && told != Session.ToldOfSettings;
            Session.ToldOfSettings = told;
            return isNew;
        }

        private static string SettingsAsset()
        {
            try
            {
                return File.ReadAllText(Path.Combine(ProjectFolder(), SettingsValidation.AssetPath));
            }
            catch (Exception failure) when (failure is IOException || failure is UnauthorizedAccessException)
            {
                return null;
            }
        }

        private static void StartBridge(int port)
        {
            var instanceId = Session.InstanceId();
            Log.Restore(Session.TakeLog());
            var tracker = new EditorStateTracker();
            var board = new StatusBoard(tracker.State);
            s_console = new ConsoleBuffer();
            s_compilation = new CompilationRecord(Session.LoadCompilation(), () => DateTime.UtcNow);
            s_events = new EditorEvents(tracker, board, s_console, s_compilation, ProjectFolder(), () => new UnityCompiler().ReloadIsLocked, Now);
            s_events.Subscribe();
            Session.LoadConsole(s_console);
            s_dispatcher = new MainThreadDispatcher(Now);
            var watch = new MainThreadWatch(() => s_dispatcher.LastUpdateMs, new EditorDialogs(), board, Now);
            s_worker = new BridgeWorker(s_dispatcher, board, () => s_compiles.MainThreadSeen(watch.Look()), Log, Now);
            s_worker.Restore(Session.TakeUnsent());
            var playMode = new UnityPlayMode(s_compilation);
            var tools = new ITool[]
            {
                new ReadConsoleTool(s_console, instanceId.Substring(0, 8)),
                new GetPlayModeStateTool(playMode),
                new ControlPlayModeTool(playMode),
            };
            s_testRunner = new UnityTestRunner(s_compilation);
            s_jobs = new TestJobs(s_testRunner, Session, Now, () => DateTime.UtcNow);
            s_testRunner.Listen(s_jobs);
            s_compiles = new CompileJobs(
                new UnityCompiler(), s_compilation, Session.LoadCompiles(), () => s_jobs.RunIsOn, Now, () => DateTime.UtcNow);
            s_memory = new RequestMemory(Session.TakeMemory());
            s_pluginSession = Session.TakePluginSession();
            var router = new CommandRouter(tools, new JobRunners(s_jobs, s_compiles), s_memory, s_dispatcher, s_worker, Log, Now);
            s_jobs.Changed += job => router.Announce(new[] { job });
            s_compiles.Changed += job => router.Announce(new[] { job });
            var who = WhoWeAre(instanceId);
            s_connection = new BridgeConnection(
                port,
                new ServerAccess(
                    Environment.GetEnvironmentVariable(TokenVariable),
                    any => ServerAccess.Places(who.ProjectPath, any)),
                who,
                new PluginState(s_pluginSession, s_memory.Id),
                board,
                s_worker,
                router.Route,
                Log,
                Now,
                new System.Random().NextDouble,
                Session.ToldOfConnection,
                port == SettingsValidation.DefaultPort ? () => ServerAccess.OwnPort(who.ProjectPath) : (Func<int?>)null);
            EditorApplication.update += OnUpdate;
            EditorApplication.quitting += OnQuitting;
            AssemblyReloadEvents.beforeAssemblyReload += OnBeforeReload;
            s_started = false;
        }

        private static EditorIdentity WhoWeAre(string instanceId) => new EditorIdentity(
            instanceId, PackageVersion.Current, Application.unityVersion, ProjectFolder());

        private static string ProjectFolder() => Path.GetDirectoryName(Application.dataPath);

        private static long Now() => Clock.ElapsedMilliseconds;

        private static void OnUpdate()
        {
            s_events.Update();
            if (!s_started)
            {
                // Not before the main loop runs: nobody could be answered before, and the domain loads faster
                // without two more threads.
                s_started = true;
                s_worker.Start();
                s_connection.Start();
            }

            s_dispatcher.Update(s_worker.AnswerFromMainThread);
            var outcome = s_connection.TakeOutcome();
            if (outcome != null)
            {
                Tell(outcome.Value);
            }

            s_testRunner.Update();
            s_compiles.Update(s_events.State == EditorState.Ready);
            s_jobs.Update(s_events.State == EditorState.Ready && !s_compiles.IsOn && ServerWasHeard());
            if (!s_jobs.RunIsOn)
            {
                // Any unexpected message can make a test fail.
                Log.Flush();
            }
        }

        /// <summary>
        /// Whether the server has had the time to cancel a job of the last domain that has not started.
        /// </summary>
        private static bool ServerWasHeard() => Now() >= ServerLimitMs || s_connection.ConnectedForMs >= ServerSpeaksMs;

        private static void OnBeforeReload() => Stop("domain reload", true);

        private static void OnQuitting() => Stop("the Editor quits", false);

        /// <param name="comesBack">Whether a new domain follows; the server then waits for it.</param>
        private static void Stop(string reason, bool comesBack)
        {
            if (s_connection == null)
            {
                return;
            }

            EditorApplication.update -= OnUpdate;
            EditorApplication.quitting -= OnQuitting;
            AssemblyReloadEvents.beforeAssemblyReload -= OnBeforeReload;
            if (comesBack)
            {
                s_events.DomainGoesDown();
            }

            s_events.Unsubscribe();
            s_testRunner.StopListening();
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
            if (ended)
            {
                Session.SavePluginSession(s_pluginSession);
            }

            // Only now every finished request has an answer to remember.
            Session.SaveMemory(s_memory.Save());
            Session.SaveConsole(s_console);
            s_jobs.Save();
            Session.SaveCompiles(s_compiles.Save());
            Session.SaveCompilation(s_compilation.Save());
            Session.ToldOfConnection = s_connection.Told;
            s_connection = null;
            if (!ended)
            {
                Log.Warning("A thread did not end in time; the domain reload ends it.");
            }

            if (!s_jobs.RunIsOn)
            {
                Log.Flush();
            }

            Session.SaveLog(Log.Waiting());
        }
    }
}
