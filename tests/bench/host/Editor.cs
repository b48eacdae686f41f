using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Runtime.CompilerServices;
using UnityBench.Contract;

namespace UnityBench
{
    /// <summary>The Editor itself: what survives domains, and what its domain asks it for.</summary>
    internal sealed class Editor : EditorServices
    {
        private const int LongestLogged = 400;
        private const int HungExitCode = 3;
        private const int DefaultUnloadLimitMs = 15000;

        private readonly IDomainHost m_Host;
        private readonly string[] m_Assemblies;
        private readonly Dictionary<string, string> m_SessionState = new Dictionary<string, string>();
        private readonly List<string> m_Windows = new List<string>();
        private int m_ReloadLocks;
        private bool m_ReloadWanted;

        internal Editor(IDomainHost host, string project, string unityVersion, string[] assemblies)
        {
            m_Host = host;
            m_Assemblies = assemblies;
            ProjectFolder = project;
            UnityVersion = unityVersion;
            Compilation = new Compilation(this);
            PlayMode = new PlayMode(this);
            TestRuns = new TestRuns(this);
        }

        public override string ProjectFolder { get; }

        public override string UnityVersion { get; }

        internal Domain Domain { get; private set; }

        internal Durations Durations { get; } = new Durations();

        internal Compilation Compilation { get; }

        internal PlayMode PlayMode { get; }

        internal TestRuns TestRuns { get; }

        internal Scenes Scenes { get; } = new Scenes();

        internal bool Focused { get; set; } = true;

        /// <summary>After so many milliseconds a reload counts as hung.</summary>
        internal int UnloadLimitMs { get; set; } = DefaultUnloadLimitMs;

        internal EditorFlags Flags => new EditorFlags
        {
            Playing = PlayMode.Playing,
            Paused = PlayMode.Paused,
            WillPlay = PlayMode.WillPlay,
            Compiling = Compilation.Running || (m_ReloadWanted && !CanReload),
            Importing = Compilation.Importing,
            CompilationFailed = Compilation.Failed,
            Focused = Focused,
        };

        /// <summary>Makes the first domain.</summary>
        internal void Start()
        {
            var watch = Stopwatch.StartNew();
            EnterDomain();
            Output.Write("started", "start_ms", watch.Elapsed.TotalMilliseconds);
        }

        /// <summary>One turn of the main loop.</summary>
        internal void Update()
        {
            UpdateDomain();
            if (!Focused)
            {
                Output.Write("updated"); // Once a second at most: tests count them.
            }

            Compilation.Update();
            TestRuns.Update();
            PlayMode.Update();
            if (m_ReloadWanted && CanReload)
            {
                Reload();
            }
        }

        internal void Raise(EditorEvent what) => Durations.Time(() => Domain.Raise(what, Flags));

        /// <summary>Throws the domain away and makes a new one.</summary>
        internal void Reload()
        {
            m_ReloadWanted = false;
            Output.Write("reloading");
            var watch = Stopwatch.StartNew();
            LeaveDomain(EditorEvent.BeforeReload);
            var before = watch.Elapsed.TotalMilliseconds;
            var open = ProcessState.Sockets();
            if (!m_Host.Unload(UnloadLimitMs))
            {
                Output.Write(
                    "reload_hung",
                    "elapsed_ms", watch.Elapsed.TotalMilliseconds,
                    "threads", ProcessState.ForeignThreads(),
                    "sockets", ProcessState.Sockets());
                Native.Exit(HungExitCode);
            }

            var unloaded = watch.Elapsed.TotalMilliseconds;
            var threads = ProcessState.ForeignThreads();
            var sockets = ProcessState.Sockets();
            EnterDomain();
            Raise(EditorEvent.AfterReload);
            Output.Write(
                "reloaded",
                "before_ms", before,
                "unload_ms", unloaded - before,
                "start_ms", watch.Elapsed.TotalMilliseconds - unloaded,
                "total_ms", watch.Elapsed.TotalMilliseconds,
                "sockets_before_unload", open,
                "sockets_left", sockets,
                "threads_left", threads,
                "threads", ProcessState.Threads());
        }

        /// <summary>Ends the Editor as its user does.</summary>
        internal void Quit()
        {
            LeaveDomain(EditorEvent.Quitting);
            var gone = m_Host.Unload(UnloadLimitMs);
            Output.Write("quit", "clean", gone, "threads_left", ProcessState.ForeignThreads());
            if (!gone)
            {
                Native.Exit(HungExitCode);
            }
        }

        // Methods of their own: a frame that has touched the domain would keep it from being collected.
        [MethodImpl(MethodImplOptions.NoInlining)]
        private void EnterDomain()
        {
            Domain = m_Host.Create();
            Domain.Start(this, Flags, m_Assemblies, m_Windows.ToArray());
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private void UpdateDomain() => Durations.Add(Domain.Update(Flags));

        [MethodImpl(MethodImplOptions.NoInlining)]
        private void LeaveDomain(EditorEvent farewell)
        {
            Domain.Raise(farewell, Flags);
            Domain = null;
        }

        public override string GetSessionState(string key) => m_SessionState.TryGetValue(key, out var value) ? value : null;

        public override void SetSessionState(string key, string value)
        {
            if (value == null)
            {
                m_SessionState.Remove(key);
            }
            else
            {
                m_SessionState[key] = value;
            }
        }

        public override void Logged(string type, string condition)
        {
            var message = condition.Length <= LongestLogged ? condition : condition.Substring(0, LongestLogged) + "…";
            TestRuns.Logged(type, condition);
            Output.Write("log", "type", type.ToLowerInvariant(), "message", message);
        }

        public override void RequestPlayMode(bool playing) => PlayMode.Request(playing);

        public override void SetPaused(bool paused) => PlayMode.Paused = paused;

        public override void RequestCompilation() => Compilation.Request();

        public override bool Refresh() => Compilation.Import();

        public override SceneState[] OpenScenes => Scenes.Open;

        public override void RequestReload() => m_ReloadWanted = true;

        public override void LockReload(int change) => m_ReloadLocks += change;

        public override bool CanReload => m_ReloadLocks <= 0;

        public override string StartTests(bool play, string[] names, string[] groups) =>
            TestRuns.Start(play, names, groups);

        public override bool CancelTests(string run) => TestRuns.Cancel(run);

        /// <inheritdoc/>
        public override bool TestsActive => TestRuns.Active;

        /// <inheritdoc/>
        public override string[] TestNames(bool play) => TestRuns.Names(play);

        public override void WindowChanged(string type, bool open)
        {
            m_Windows.Remove(type);
            if (open)
            {
                m_Windows.Add(type);
            }
        }

        internal string[] Windows => m_Windows.Select(type => type.Split(',')[0]).ToArray();
    }
}
