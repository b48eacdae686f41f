using System;
using System.Collections.Generic;
using System.Linq;
using Newtonsoft.Json.Linq;
using NUnit.Framework;

namespace UnityMcpPlugin.Tests
{
    public class MainThreadDispatcherTests
    {
        private readonly List<JObject> _answers = new List<JObject>();
        private long _now;
        private MainThreadDispatcher _dispatcher;

        [SetUp]
        public void SetUp()
        {
            _now = 0;
            _answers.Clear();
            _dispatcher = new MainThreadDispatcher(() => _now);
        }

        [Test]
        public void RunsInOrderOnUpdate()
        {
            Post("a");
            Post("b");
            Assert.That(_answers, Is.Empty);
            _dispatcher.Update(answer => _answers.Add(answer()));
            Assert.That(_answers.Select(answer => (string)answer["of"]), Is.EqualTo(new[] { "a", "b" }));
        }

        [Test]
        public void OneUpdateSpendsItsBudgetOnly()
        {
            Post("a", costMs: MainThreadDispatcher.UpdateBudgetMs);
            Post("b");
            _dispatcher.Update(answer => _answers.Add(answer()));
            Assert.That(_answers.Count, Is.EqualTo(1));
            _dispatcher.Update(answer => _answers.Add(answer()));
            Assert.That(_answers.Count, Is.EqualTo(2));
        }

        [Test]
        public void ABlockedMainThreadIsNamedAndTheCommandNeverRuns()
        {
            Post("a", deadlineMs: 4500);
            Assert.That(_dispatcher.NextDeadlineMs, Is.EqualTo(4500));
            _now = 4499;
            Assert.That(_dispatcher.Expired(null), Is.Empty);
            _now = 4500;
            var error = _dispatcher.Expired(null).Single()()["error"];
            Assert.That((string)error["code"], Is.EqualTo("ERR_EDITOR_NOT_READY"));
            Assert.That(((string)error["message"]).Contains("main thread has been blocked for 4.5 s"), Is.True);
            Assert.That(((string)error["message"]).Length, Is.LessThanOrEqualTo(200));
            _dispatcher.Update(answer => _answers.Add(answer()));
            Assert.That(_answers, Is.Empty);
            Assert.That(_dispatcher.NextDeadlineMs, Is.Null);
        }

        [Test]
        public void IsBounded()
        {
            for (var number = 0; number < MainThreadDispatcher.MaxWaiting; number++)
            {
                Assert.That(Post("a"), Is.Null);
            }

            Assert.That(Post("a").Code, Is.EqualTo("ERR_QUEUE_FULL"));
        }

        [Test]
        public void AReloadAnswersWhatWaits()
        {
            Post("a");
            Assert.That((string)_dispatcher.Close().Single()()["error"]["code"], Is.EqualTo("ERR_EDITOR_NOT_READY"));
            Assert.That(Post("b").Code, Is.EqualTo("ERR_EDITOR_NOT_READY"));
        }

        private ToolFailure Post(string id, long deadlineMs = 1000, long costMs = 0) =>
            _dispatcher.Post(new MainThreadCommand(id, "a_tool", deadlineMs, () =>
            {
                _now += costMs;
                return () => new JObject { ["of"] = id };
            }));
    }

    public class WaitTests
    {
        [TestCase(5000, 4000)]
        [TestCase(10000, 8000)]
        [TestCase(300000, 10000)]
        [TestCase(2000, 1500)]
        [TestCase(600, 300)]
        [TestCase(0, 10000)]
        public void TheAnswerFindsItsCaller(long timeoutMs, long waitMs) =>
            Assert.That(CommandRouter.WaitMs(timeoutMs), Is.EqualTo(waitMs));
    }

    public class CommandRouterTests
    {
        private MainThreadDispatcher _dispatcher;
        private BridgeWorker _worker;
        private CommandRouter _router;
        private RequestMemory _memory;
        private Counter _counter;

        [SetUp]
        public void SetUp()
        {
            _counter = new Counter();
            _memory = new RequestMemory("");
            NewDomain();
        }

        /// <summary>Everything but the memory is new.</summary>
        private void NewDomain()
        {
            // The worker is not started: what it is given is what it would send.
            var log = new SilentLog();
            _dispatcher = new MainThreadDispatcher(() => 0);
            _worker = new BridgeWorker(_dispatcher, new StatusBoard(EditorState.Ready), () => { }, log, () => 0);
            _router = new CommandRouter(
                new ITool[] { new Echo(), new Broken(), _counter }, new JobRunners(new NoJobs()), _memory, _dispatcher, _worker, log, () => 0);
        }

        [Test]
        public void AToolAnswersWithItsResult()
        {
            Route("{\"type\":\"execute\",\"request_id\":\"r\",\"tool_name\":\"echo\",\"params\":{\"a\":1}}");
            _dispatcher.Update(_worker.Answer);
            var answer = Answered();
            Assert.That((string)answer["type"], Is.EqualTo("result"));
            Assert.That((string)answer["request_id"], Is.EqualTo("r"));
            Assert.That((int)answer["result"]["a"], Is.EqualTo(1));
        }

        [TestCase("{}")]
        [TestCase("{\"early\":true}")]
        public void AnExceptionIsAFailedResult(string parameters)
        {
            Route("{\"type\":\"execute\",\"request_id\":\"r\",\"tool_name\":\"broken\",\"params\":" + parameters + "}");
            _dispatcher.Update(_worker.Answer);
            var answer = Answered();
            Assert.That((string)answer["status"], Is.EqualTo("error"));
            Assert.That((string)answer["result"]["code"], Is.EqualTo("ERR_PLUGIN_EXCEPTION"));
        }

        [TestCase("{\"type\":\"execute\",\"request_id\":\"r\",\"tool_name\":\"newer\"}", "ERR_UNKNOWN_COMMAND")]
        [TestCase("{\"type\":\"submit_job\",\"request_id\":\"r\",\"tool_name\":\"newer\"}", "ERR_UNKNOWN_COMMAND")]
        [TestCase("{\"type\":\"newer\",\"request_id\":\"r\"}", "ERR_INVALID_REQUEST")]
        [TestCase("{\"type\":\"execute\",\"tool_name\":\"echo\"}", "ERR_INVALID_REQUEST")]
        public void WhatItDoesNotKnowIsRefused(string message, string code)
        {
            Route(message);
            Assert.That((string)Answered()["error"]["code"], Is.EqualTo(code));
        }

        [Test]
        public void AnUnknownJobIsNotFound()
        {
            Route("{\"type\":\"cancel\",\"request_id\":\"r\",\"target_job_id\":\"job-x\"}");
            _dispatcher.Update(_worker.Answer);
            Assert.That((string)Answered()["error"]["code"], Is.EqualTo("ERR_JOB_NOT_FOUND"));
        }

        [Test]
        public void WhatIsAskedAgainIsDoneOnce()
        {
            Count("r1", "mine");
            Count("r2", "mine");
            Count("r3", "another");
            Count("r4", null);
            _dispatcher.Update(_worker.Answer);
            var answers = All();
            Assert.That(answers.Select(each => (string)each["request_id"]), Is.EqualTo(new[] { "r1", "r2", "r3", "r4" }));
            Assert.That(answers.Select(each => (int)each["result"]["n"]), Is.EqualTo(new[] { 1, 1, 2, 3 }));
        }

        [Test]
        public void WhatWasDoneBeforeADomainReloadIsNotDoneAgain()
        {
            Count("r1", "mine");
            _dispatcher.Update(_worker.Answer);
            All();
            var id = _memory.Id;
            _memory = new RequestMemory(_memory.Save());
            Assert.That(_memory.Id, Is.EqualTo(id));
            NewDomain();
            Count("r2", "mine");
            _dispatcher.Update(_worker.Answer);
            var answer = All().Single();
            Assert.That((string)answer["request_id"], Is.EqualTo("r2"));
            Assert.That((int)answer["result"]["n"], Is.EqualTo(1));
        }

        [Test]
        public void WhatWasNotDoneIsDoneWhenItIsAskedAgain()
        {
            Count("r1", "mine");
            _dispatcher.Close();
            NewDomain();
            _counter.Refuses = true;
            Count("r2", "mine");
            _dispatcher.Update(_worker.Answer);
            _counter.Refuses = false;
            Count("r3", "mine");
            _dispatcher.Update(_worker.Answer);
            Assert.That((int)All().Last()["result"]["n"], Is.EqualTo(1));
        }

        [Test]
        public void ANameIsForOneRequestWhateverTheOrderOfItsParameters()
        {
            Count("r1", "mine", "{\"a\":1,\"b\":2}");
            Count("r2", "mine", "{\"b\":2,\"a\":1}");
            Count("r3", "mine", "{\"a\":1}");
            _dispatcher.Update(_worker.Answer);
            var answers = All();
            Assert.That((int)answers[1]["result"]["n"], Is.EqualTo(1));
            Assert.That((string)answers[2]["error"]["code"], Is.EqualTo("ERR_DUPLICATE_REQUEST"));
        }

        [Test]
        public void AFailureHalfWayIsRemembered()
        {
            _counter.Throws = true;
            Count("r1", "mine");
            _dispatcher.Update(_worker.Answer);
            _counter.Throws = false;
            Count("r2", "mine");
            _dispatcher.Update(_worker.Answer);
            Assert.That(
                All().Select(each => (string)each["result"]["code"]),
                Is.EqualTo(new[] { "ERR_PLUGIN_EXCEPTION", "ERR_PLUGIN_EXCEPTION" }));
        }

        [Test]
        public void ARequestIsOpenUntilItsAnswerIsSent()
        {
            Count("r1", null);
            Assert.That(_worker.OpenRequests(), Is.EqualTo(new[] { "r1" }));
            _dispatcher.Update(_worker.Answer);
            Assert.That(_worker.OpenRequests(), Is.EqualTo(new[] { "r1" }));
            var unsent = _worker.Unsent();
            NewDomain();
            Assert.That(_worker.OpenRequests(), Is.Empty);
            _worker.Restore(unsent);
            Assert.That(_worker.OpenRequests(), Is.EqualTo(new[] { "r1" }));
        }

        [Test]
        public void JobsAreAnnouncedOnceTheServerListensAndNotKeptAcrossAReload()
        {
            _router.Announce(new Func<JObject>[] { () => new JObject { ["job_id"] = "job-1", ["state"] = "running" } });
            Route("{\"type\":\"capability\",\"tools\":[]}");
            Route("{\"type\":\"job_confirmed\",\"job_id\":\"job-1\"}");
            Assert.That(_worker.Unsent(), Is.Empty);
            var told = WireFrames.JobStatus(null, new JObject { ["job_id"] = "job-1" });
            Assert.That((string)told["type"], Is.EqualTo("job_status"));
            Assert.That(told.Property("request_id"), Is.Null);
        }

        private void Count(string requestId, string name, string parameters = "{}") => Route(
            "{\"type\":\"execute\",\"request_id\":\"" + requestId + "\",\"tool_name\":\"count\",\"params\":" + parameters +
            (name == null ? "" : ",\"client_request_id\":\"" + name + "\"") + "}");

        private void Route(string message) => _router.Route(IncomingFrame.Read(message));

        private JObject[] All() => _worker.Unsent().Select(Read).ToArray();

        private JObject Answered() => All().Single();

        private static JObject Read(Outgoing sent) => StrictJson.Parse(System.Text.Encoding.UTF8.GetString(sent.Bytes));

        /// <summary>A tool that tells how often it was run.</summary>
        private sealed class Counter : ITool
        {
            private int _count;

            public string Name => "count";

            public bool NeedsMainThread => true;

            public bool ChangesThings => true;

            public bool Refuses { get; set; }

            public bool Throws { get; set; }

            public Func<ToolOutcome> Prepare(JObject parameters) => () =>
            {
                if (Refuses)
                {
                    return ToolOutcome.Refused("ERR_X", "no");
                }

                var count = ++_count;
                return Throws ? throw new InvalidOperationException("boom") : ToolOutcome.Ok(() => new JObject { ["n"] = count });
            };
        }

        private sealed class Echo : ITool
        {
            public string Name => "echo";

            public bool NeedsMainThread => true;

            public bool ChangesThings => false;

            public Func<ToolOutcome> Prepare(JObject parameters) => () => ToolOutcome.Ok(() => (JObject)parameters.DeepClone());
        }

        private sealed class Broken : ITool
        {
            public string Name => "broken";

            public bool NeedsMainThread => true;

            public bool ChangesThings => false;

            public Func<ToolOutcome> Prepare(JObject parameters) => parameters["early"] == null
                ? (Func<ToolOutcome>)(() => throw new InvalidOperationException("boom"))
                : throw new InvalidOperationException("boom");
        }

        private sealed class NoJobs : IJobRunner
        {
            public string ToolName => "run_tests";

            public long LongestWaitMs => CommandRouter.MaxWaitMs;

            public Func<ToolOutcome> Submit(JObject parameters) => throw new InvalidOperationException();

            public ToolOutcome Join() => null;

            public JObject Status(string jobId) => null;

            public IReadOnlyList<Func<JObject>> Unconfirmed() => new Func<JObject>[0];

            public void Confirm(string jobId)
            {
            }

            public string Cancel(string jobId) => null;
        }
    }

    internal sealed class SilentLog : IBridgeLog
    {
        public void Info(string message)
        {
        }

        public void Warning(string message)
        {
        }
    }

    public class OversizeAnswerTests
    {
        [Test]
        public void IsNeverSent()
        {
            var dispatcher = new MainThreadDispatcher(() => 0);
            var worker = new BridgeWorker(dispatcher, new StatusBoard(EditorState.Ready), () => { }, new SilentLog(), () => 0);
            worker.Answer(() => WireFrames.Result("r", new JObject { ["x"] = new string('x', WireFrames.MaxMessageBytes) }));
            var sent = worker.Unsent().Single().Bytes;
            Assert.That(sent.Length, Is.LessThan(1000));
            var answer = StrictJson.Parse(System.Text.Encoding.UTF8.GetString(sent));
            Assert.That((string)answer["request_id"], Is.EqualTo("r"));
            Assert.That((string)answer["result"]["code"], Is.EqualTo("ERR_RESULT_TOO_LARGE"));
        }
    }

    public class WorkerTests
    {
        [Test]
        public void AReloadAnswersWhatWasNotStarted()
        {
            var dispatcher = new MainThreadDispatcher(() => 0);
            var worker = new BridgeWorker(dispatcher, new StatusBoard(EditorState.Ready), () => { }, new SilentLog(), () => 0);
            Assert.That(worker.Post(new WorkerCommand("r1", "read_console", () => new JObject())), Is.Null);
            worker.Stop();
            Assert.That(
                worker.Post(new WorkerCommand("r2", "read_console", () => new JObject())).Code,
                Is.EqualTo("ERR_EDITOR_NOT_READY"));
            var answer = StrictJson.Parse(System.Text.Encoding.UTF8.GetString(worker.Unsent().Single().Bytes));
            Assert.That((string)answer["request_id"], Is.EqualTo("r1"));
            Assert.That((string)answer["error"]["code"], Is.EqualTo("ERR_EDITOR_NOT_READY"));
        }
    }

    public class PlayModeToolsTests
    {
        [TestCase(false, false, "stopped")]
        [TestCase(false, true, "stopped")]
        [TestCase(true, false, "playing")]
        [TestCase(true, true, "paused")]
        public void TheStateIsMadeOfTheFlags(bool isPlaying, bool isPaused, string state)
        {
            var playMode = new PlayMode { IsPlaying = isPlaying, IsPaused = isPaused };
            var result = new GetPlayModeStateTool(playMode).Prepare(new JObject())().Result();
            Assert.That((string)result["state"], Is.EqualTo(state));
            Assert.That((bool)result["is_playing"], Is.EqualTo(isPlaying));
            Assert.That((bool)result["is_paused"], Is.EqualTo(isPaused));
        }

        [Test]
        public void TheStateNamesWhatIsNotSaved()
        {
            var playMode = new PlayMode { UnsavedAssets = new[] { "Assets/Main.unity", "Assets/Hero.prefab" } };
            var result = new GetPlayModeStateTool(playMode).Prepare(new JObject())().Result();
            Assert.That(result["unsaved"].Select(each => (string)each), Is.EqualTo(playMode.UnsavedAssets));
        }

        [TestCase("start", true, false)]
        [TestCase("stop", false, false)]
        [TestCase("pause", true, true)]
        public void ActionsSetTheFlags(string action, bool isPlaying, bool isPaused)
        {
            var playMode = new PlayMode { IsPlaying = true, IsPaused = true };
            var result = new ControlPlayModeTool(playMode).Prepare(new JObject { ["action"] = action })().Result();
            Assert.That((string)result["action"], Is.EqualTo(action));
            Assert.That((bool)result["accepted"], Is.True);
            Assert.That((bool)result["is_playing"], Is.EqualTo(isPlaying));
            Assert.That((bool)result["is_paused"], Is.EqualTo(isPaused));
            Assert.That(result.Count, Is.EqualTo(5));
        }

        [Test]
        public void PauseOutsidePlayModeIsAnInvalidState()
        {
            var outcome = new ControlPlayModeTool(new PlayMode()).Prepare(new JObject { ["action"] = "pause" })();
            Assert.That(outcome.Failure.Code, Is.EqualTo("ERR_INVALID_STATE"));
            Assert.That(outcome.Started, Is.True);
        }

        [Test]
        public void BrokenCodeIsWhyItDoesNotPlay()
        {
            var error = CompilerIssue.Of(true, "Assets/A.cs(3,4): error CS1002: ; expected", "Assets/A.cs", 3, 4, "");
            var playMode = new PlayMode { CodeIsBroken = true, CompilerErrors = new[] { error } };
            var outcome = new ControlPlayModeTool(playMode).Prepare(new JObject { ["action"] = "start" })();
            Assert.That(outcome.Started, Is.False);
            Assert.That(outcome.Failure.Code, Is.EqualTo("ERR_COMPILE_ERRORS"));
            Assert.That(outcome.Failure.Message, Contains.Substring("Assets/A.cs(3,4): CS1002: ; expected"));
            Assert.That((int)outcome.Failure.ToJson()["details"]["errors"][0]["line"], Is.EqualTo(3));
            Assert.That(playMode.IsPlaying, Is.False);
        }

        [TestCase("stop")]
        [TestCase("start")]
        public void BrokenCodeIsNoObstacleWhilePlaying(string action)
        {
            var playMode = new PlayMode { CodeIsBroken = true, IsPlaying = true };
            Assert.That(new ControlPlayModeTool(playMode).Prepare(new JObject { ["action"] = action })().Failure, Is.Null);
        }

        private sealed class PlayMode : IPlayMode
        {
            public bool IsPlaying { get; set; }

            public bool IsPaused { get; set; }

            public bool IsPlayingOrWillChange => IsPlaying;

            public bool CodeIsBroken { get; set; }

            public IReadOnlyList<CompilerIssue> CompilerErrors { get; set; } = new CompilerIssue[0];

            public IReadOnlyList<string> UnsavedAssets { get; set; } = new string[0];
        }
    }
}
