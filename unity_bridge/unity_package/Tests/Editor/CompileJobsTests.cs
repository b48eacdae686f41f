using System;
using System.Collections.Generic;
using System.Linq;
using Newtonsoft.Json.Linq;
using NUnit.Framework;

namespace UnityMcpPlugin.Tests
{
    public class CompileJobsTests
    {
        private readonly List<JObject> _told = new List<JObject>();
        private Compiler _compiler;
        private CompilationRecord _record;
        private CompileJobs _jobs;
        private bool _testsRun;
        private bool _ready;
        private long _now;

        [SetUp]
        public void SetUp()
        {
            _now = 10000;
            _testsRun = false;
            _ready = true;
            _told.Clear();
            _compiler = new Compiler();
            _record = new CompilationRecord("", Utc);
            Make("");
        }

        [Test]
        public void NothingToCompileSaysSinceWhen()
        {
            Compile();
            NewDomain();
            var before = _now;
            _now += 60000;
            var id = Submit();
            Updates(4);
            var result = Result(id);
            Assert.That((string)result["status"], Is.EqualTo("up_to_date"));
            Assert.That((string)result["last_compiled"], Is.EqualTo(Utc(before).ToString("yyyy-MM-dd'T'HH:mm:ss.fff'Z'")));
            Assert.That(result["assemblies"].Count(), Is.EqualTo(0));
            Assert.That(_compiler.Refreshes, Is.EqualTo(1));
        }

        [Test]
        public void NothingSeenYetSaysNoTime()
        {
            var id = Submit();
            Updates(4);
            Assert.That((string)Result(id)["status"], Is.EqualTo("up_to_date"));
            Assert.That(Result(id)["last_compiled"], Is.Null);
        }

        [Test]
        public void ErrorsComeWithTheirPlaces()
        {
            _compiler.OnRefresh = Begin;
            var id = Submit();
            Updates(3);
            Assert.That((string)Status(id)["state"], Is.EqualTo("running"));
            Finish(Error("/project/Assets/A.cs(5,36): error CS0029: Cannot convert", "/project\\Assets\\A.cs", 5, 36));
            Updates(1);
            var result = Result(id);
            Assert.That((string)result["status"], Is.EqualTo("failed"));
            Assert.That(
                result["errors"].Single().ToString(Newtonsoft.Json.Formatting.None),
                Is.EqualTo("{\"path\":\"Assets/A.cs\",\"line\":5,\"column\":36,\"code\":\"CS0029\",\"message\":\"Cannot convert\"}"));
            Assert.That((bool)result["reloaded"], Is.False);
        }

        [Test]
        public void TheAnswerComesFromTheNewDomain()
        {
            _compiler.OnRefresh = Begin;
            var id = Submit();
            Updates(3);
            Finish();
            _ready = false;
            Updates(3);
            Assert.That((string)Status(id)["state"], Is.EqualTo("running"));
            NewDomain();
            Updates(1);
            Assert.That((string)Status(id)["state"], Is.EqualTo("running"), "it has just come up");
            _ready = true;
            _now += 250;
            Updates(1);
            var result = Result(id);
            Assert.That((string)result["status"], Is.EqualTo("succeeded"));
            Assert.That((bool)result["reloaded"], Is.True);
            Assert.That((long)result["duration_ms"], Is.EqualTo(250));
            Assert.That(result["assemblies"].Select(each => (string)each), Is.EqualTo(new[] { "Assembly-CSharp" }));
            Assert.That((string)_told.Last()["state"], Is.EqualTo("succeeded"));
            Assert.That((string)_told.Last()["tool_name"], Is.EqualTo("compile"));
        }

        [Test]
        public void AnEndIsToldUntilItIsKnownAndOutlivesADomain()
        {
            var id = Submit();
            Updates(4);
            NewDomain();
            Assert.That((string)Result(id)["status"], Is.EqualTo("up_to_date"));
            Assert.That((bool)Result(id)["reloaded"], Is.False, "what comes after isn't its own");
            Assert.That(_jobs.Unconfirmed().Count, Is.EqualTo(1));
            _jobs.Confirm(id);
            Assert.That(_jobs.Unconfirmed().Count, Is.EqualTo(0));
            NewDomain();
            Assert.That(_jobs.Unconfirmed().Count, Is.EqualTo(0));
        }

        [Test]
        public void WhoComesWhileOneRunsJoinsItAndHasItLookAgain()
        {
            _compiler.OnRefresh = Begin;
            var id = Submit();
            Assert.That(Submit(), Is.EqualTo(id));
            Updates(3);
            Assert.That(Submit(), Is.EqualTo(id));
            Finish();
            NewDomain();
            _compiler.OnRefresh = Begin;
            Updates(3);
            Assert.That(_compiler.Refreshes, Is.EqualTo(1), "in this domain");
            Finish(Error("Assets/B.cs(1,2): error CS1002: ; expected", "Assets/B.cs", 1, 2));
            Updates(1);
            Assert.That((string)Result(id)["status"], Is.EqualTo("failed"), "what the one who joined has changed");
        }

        [Test]
        public void JoiningForEverDoesNotKeepItForEver()
        {
            var id = Submit();
            for (var turn = 0; turn < 100 && (string)Status(id)["state"] == "running"; turn++)
            {
                _compiler.OnRefresh = () =>
                {
                    Begin();
                    Finish();
                };
                _jobs.Join();
                Updates(1);
            }

            Assert.That((string)Result(id)["status"], Is.EqualTo("succeeded"));
            Assert.That(_compiler.Refreshes, Is.EqualTo(CompileJobs.MaxImports));
        }

        [Test]
        public void WhoCannotBeServedAnyMoreIsToldSo()
        {
            Submit();
            _compiler.OnRefresh = Begin;
            Updates(3);
            for (var imports = 1; imports < CompileJobs.MaxImports; imports++)
            {
                Assert.That(_jobs.Join().Failure, Is.Null);
                Finish();
                _compiler.OnRefresh = Begin;
                Updates(3);
            }

            Assert.That(_jobs.Join().Failure.Code, Is.EqualTo("ERR_EDITOR_NOT_READY"));
            Assert.That(_jobs.Submit(new JObject())().Failure.Code, Is.EqualTo("ERR_EDITOR_NOT_READY"));
        }

        [Test]
        public void WhatCompilesAlreadyIsWaitedForAndThenLookedAtAgain()
        {
            Begin();
            _ready = false;
            var id = Submit();
            Updates(5);
            Assert.That(_compiler.Refreshes, Is.EqualTo(0));
            Finish();
            _ready = true;
            Updates(4);
            Assert.That(_compiler.Refreshes, Is.EqualTo(1));
            Assert.That((string)Result(id)["status"], Is.EqualTo("succeeded"), "it was seen to compile");
        }

        [Test]
        public void ErrorsOfBeforeAreAskedFor()
        {
            _compiler.CodeIsBroken = true;
            _compiler.OnRequest = Begin;
            var id = Submit();
            Updates(5);
            Assert.That(_compiler.Requests, Is.EqualTo(1));
            Finish(Error("Assets/A.cs(1,2): error CS1002: ; expected", "Assets/A.cs", 1, 2));
            Updates(2);
            Assert.That((string)Result(id)["errors"].Single()["code"], Is.EqualTo("CS1002"));
        }

        [Test]
        public void ErrorsThatNobodyTellsAreFailedAllTheSame()
        {
            _compiler.CodeIsBroken = true;
            var id = Submit();
            Updates(8);
            Assert.That((string)Result(id)["status"], Is.EqualTo("failed"));
            Assert.That(Result(id)["errors"].Count(), Is.EqualTo(0));
            Assert.That((string)Result(id)["note"], Contains.Substring("read_console"));
            Assert.That(_compiler.Requests, Is.EqualTo(1));
        }

        [Test]
        public void TheEditorsFlagIsLateAfterAGoodCompilation()
        {
            _compiler.CodeIsBroken = true;
            _compiler.OnRefresh = Begin;
            var id = Submit();
            Updates(3);
            Finish();
            Updates(2);
            Assert.That((string)Result(id)["status"], Is.EqualTo("succeeded"));
        }

        [Test]
        public void PlayModeIsRefusedUnlessItMayEnd()
        {
            _compiler.IsPlaying = true;
            Assert.That(Refused(), Is.EqualTo("ERR_INVALID_STATE"));
            var id = Submit("{\"stop_play_mode\":true}");
            Assert.That(_compiler.Stops, Is.EqualTo(1));
            Updates(3);
            Assert.That(_compiler.Refreshes, Is.EqualTo(0));
            _compiler.IsPlaying = false;
            Updates(5);
            Assert.That((string)Result(id)["status"], Is.EqualTo("up_to_date"));
        }

        [Test]
        public void PlayModeThatDoesNotEndIsTold()
        {
            _compiler.IsPlaying = true;
            var id = Submit("{\"stop_play_mode\":true}");
            Updates(1);
            _now += CompileJobs.LeaveLimitMs;
            Updates(1);
            Assert.That((string)Status(id)["result"]["code"], Is.EqualTo("ERR_INVALID_STATE"));
        }

        [Test]
        public void PlayModeThatBeginsMeanwhileIsTold()
        {
            _compiler.OnRefresh = () => _compiler.IsCompiling = true;
            var id = Submit();
            Updates(2);
            _compiler.IsPlaying = true;
            Updates(1);
            Assert.That((string)Status(id)["state"], Is.EqualTo("failed"));
            Assert.That((string)Status(id)["result"]["code"], Is.EqualTo("ERR_INVALID_STATE"));
        }

        [Test]
        public void RunningTestsAreNotEnded()
        {
            _testsRun = true;
            Assert.That(Refused(), Is.EqualTo("ERR_INVALID_STATE"));
        }

        [Test]
        public void ALockThatHoldsACompilationUpIsTold()
        {
            _compiler.ReloadIsLocked = true;
            _compiler.OnRefresh = () =>
            {
                _compiler.IsCompiling = true;
                _ready = false;
            };
            var id = Submit();
            Updates(3);
            Assert.That((string)Status(id)["state"], Is.EqualTo("running"), "a lock may be short");
            _now += CompileJobs.LockLimitMs;
            Updates(1);
            Assert.That((string)Status(id)["result"]["code"], Is.EqualTo("ERR_RELOAD_LOCKED"));
            Assert.That(Refused(), Is.EqualTo("ERR_RELOAD_LOCKED"), "now it is known at once");
        }

        [Test]
        public void ALockThatHoldsNothingUpIsNoObstacle()
        {
            _compiler.ReloadIsLocked = true;
            var id = Submit();
            Updates(4);
            Assert.That((string)Result(id)["status"], Is.EqualTo("up_to_date"));
        }

        [Test]
        public void CompiledAndNotLoadedIsSaid()
        {
            _compiler.OnRefresh = Begin;
            var id = Submit();
            Updates(3);
            _compiler.ReloadIsLocked = true;
            Finish();
            _ready = false;
            Updates(1);
            _now += CompileJobs.LockLimitMs;
            Updates(1);
            Assert.That((string)Result(id)["status"], Is.EqualTo("succeeded"));
            Assert.That((bool)Result(id)["reloaded"], Is.False);
            Assert.That((string)Result(id)["note"], Contains.Substring("not loaded"));
        }

        [Test]
        public void ACompilationThatNeverBeginsIsNotWaitedForForEver()
        {
            _compiler.OnRefresh = () => _compiler.IsCompiling = true;
            var id = Submit();
            Updates(CompileJobs.OddUpdates);
            _now += CompileJobs.OddLimitMs;
            Updates(1);
            Assert.That((string)Status(id)["state"], Is.EqualTo("failed"));
            Assert.That(CompileJobs.OddLimitMs, Is.LessThan(2600), "what stands in the way is told within that");
        }

        [Test]
        public void AMainThreadThatWasBlockedHasSeenNothingOdd()
        {
            _compiler.OnRefresh = () => _compiler.IsCompiling = true;
            var id = Submit();
            Updates(3);
            _now += 10 * CompileJobs.OddLimitMs;
            Updates(1);
            Assert.That((string)Status(id)["state"], Is.EqualTo("running"));
            _record.Started();
            Updates(1);
            _now += 10 * CompileJobs.OddLimitMs;
            Updates(CompileJobs.OddUpdates);
            Assert.That((string)Status(id)["state"], Is.EqualTo("running"), "it has begun");
        }

        [Test]
        public void ACompilationWhoseEndIsNeverToldIsGivenUp()
        {
            _compiler.OnRefresh = Begin;
            var id = Submit();
            Updates(3);
            _compiler.IsCompiling = false;
            _compiler.OnRefresh = null;
            Updates(CompileJobs.OddUpdates);
            _now += CompileJobs.OddLimitMs;
            Updates(1);
            Assert.That((string)Status(id)["state"], Is.EqualTo("failed"));
            var next = Submit();
            Updates(5);
            Assert.That((string)Result(next)["status"], Is.EqualTo("up_to_date"));
        }

        [Test]
        public void JoiningNeedsNoMainThread()
        {
            Assert.That(_jobs.Join(), Is.Null);
            var id = Submit();
            Updates(1);
            Assert.That((string)_jobs.Join().Result()["job_id"], Is.EqualTo(id));
            Updates(4);
            Assert.That(_compiler.Refreshes, Is.EqualTo(2), "whoever joined wants to be sure");
            Assert.That(_jobs.Join(), Is.Null, "it has ended");
        }

        [Test]
        public void AnImportThatThrowsEndsTheJob()
        {
            _compiler.OnRefresh = () => throw new InvalidOperationException("no");
            var id = Submit();
            Updates(2);
            Assert.That((string)Status(id)["result"]["code"], Is.EqualTo("ERR_PLUGIN_EXCEPTION"));
            _compiler.OnRefresh = null;
            var next = Submit();
            Updates(5);
            Assert.That((string)Result(next)["status"], Is.EqualTo("up_to_date"));
        }

        [Test]
        public void WhatItIsAtIsTold()
        {
            _compiler.IsImporting = true;
            var id = Submit();
            Updates(1);
            Assert.That((string)Status(id)["progress"]["current"], Is.EqualTo("importing assets"));
            Assert.That((string)_told.Last()["progress"]["current"], Is.EqualTo("importing assets"));
            var told = _told.Count;
            Updates(20);
            Assert.That(_told.Count, Is.EqualTo(told), "once");
        }

        [Test]
        public void ADialogThatIsSeenEndsIt()
        {
            var id = Submit();
            Updates(2);
            _jobs.MainThreadSeen(new Blockage(0, "Script Updating Consent"));
            Assert.That((string)Status(id)["result"]["code"], Is.EqualTo("ERR_EDITOR_BLOCKED"));
            Assert.That((string)Status(id)["result"]["message"], Contains.Substring("Script Updating Consent"));
            Updates(5);
            Assert.That((string)Status(id)["state"], Is.EqualTo("failed"), "it ends once");
        }

        [Test]
        public void AMainThreadThatIsKeptByNobodyKnowsWhatIsToldAndWaitedFor()
        {
            var id = Submit();
            Updates(1);
            _jobs.MainThreadSeen(new Blockage(0, null));
            Assert.That((string)_told.Last()["progress"]["current"], Contains.Substring("main thread"));
            _jobs.MainThreadSeen(null);
            Updates(5);
            Assert.That((string)Result(id)["status"], Is.EqualTo("up_to_date"));
            _jobs.MainThreadSeen(new Blockage(0, "later"));
            Assert.That((string)Result(id)["status"], Is.EqualTo("up_to_date"));
        }

        [Test]
        public void ThousandsOfErrorsAreCut()
        {
            _compiler.OnRefresh = Begin;
            var id = Submit();
            Updates(3);
            var many = Enumerable.Range(1, 3000).Select(line => Error($"Assets/A.cs({line},1): error CS1002: {new string('x', 5000)}", "Assets/A.cs", line, 1));
            Finish(many.ToArray());
            Updates(2);
            var result = Result(id);
            Assert.That(result["errors"].Count(), Is.EqualTo(CompilationRecord.MaxErrors));
            Assert.That((bool)result["truncated"], Is.True);
            Assert.That(WireFrames.ToBytes((JObject)result).Length, Is.LessThan(300000));
            NewDomain();
            Assert.That(JToken.DeepEquals(Result(id), result), Is.True);
        }

        [Test]
        public void EndedOnesAreBounded()
        {
            for (var turn = 0; turn < 30; turn++)
            {
                Submit();
                Updates(4);
            }

            Assert.That(_jobs.Unconfirmed().Count, Is.LessThanOrEqualTo(CompileJobs.MaxEnded + 1));
            NewDomain();
            Assert.That(_jobs.Unconfirmed().Count, Is.GreaterThan(0));
        }

        [Test]
        public void WhatAnotherVersionStoredIsNoJob()
        {
            Make("99 1 2 3");
            Assert.That(_jobs.Unconfirmed().Count, Is.EqualTo(0));
            Make("1 1 200000 ");
            Assert.That(_jobs.Unconfirmed().Count, Is.EqualTo(0));
            Assert.That(new CompilationRecord("1 x", Utc).EndedUtc, Is.Null);
        }

        [Test]
        public void ACompilationCannotBeTakenBack()
        {
            var id = Submit();
            Assert.That(_jobs.Cancel(id), Is.EqualTo("rejected"));
            Assert.That(_jobs.Cancel("another"), Is.Null);
        }

        [TestCase("error CS2001: Source file 'A.cs' could not be found.", "", "", "CS2001", "Source file 'A.cs' could not be found.")]
        [TestCase("Assets/A (1).cs(1,2): warning UNT0010: no", "Assets/A (1).cs", "Assets/A (1).cs", "UNT0010", "no")]
        [TestCase("something else", "Assets/A.cs", "Assets/A.cs", "", "something else")]
        [TestCase("A.cs(1,2): error CS1: two\nlines", "C:\\Project\\A.cs", "C:/Project/A.cs", "CS1", "two\nlines")]
        [TestCase(null, null, "", "", "")]
        public void MessagesAreTakenApart(string text, string file, string path, string code, string message)
        {
            var issue = CompilerIssue.Of(true, text, file, -1, -1, "/project");
            Assert.That(new[] { issue.Path, issue.Code, issue.Message }, Is.EqualTo(new[] { path, code, message }));
            Assert.That(issue.LineNumber, Is.EqualTo(0));
        }

        private DateTime Utc() => Utc(_now);

        private static DateTime Utc(long ms) => new DateTime(2026, 1, 1, 0, 0, 0, DateTimeKind.Utc).AddMilliseconds(ms);

        private void Make(string stored)
        {
            _jobs = new CompileJobs(_compiler, _record, stored, () => _testsRun, () => _now, Utc);
            _jobs.Changed += told => _told.Add(told());
        }

        private void NewDomain()
        {
            var record = _record.Save();
            var stored = _jobs.Save();
            _compiler = new Compiler { CodeIsBroken = _compiler.CodeIsBroken };
            _record = new CompilationRecord(record, Utc);
            Make(stored);
        }

        private void Compile()
        {
            Begin();
            Finish();
        }

        private void Begin()
        {
            _compiler.IsCompiling = true;
            _record.Started();
        }

        private void Finish(params CompilerIssue[] issues)
        {
            _compiler.IsCompiling = false;
            _compiler.OnRefresh = null;
            _record.AssemblyCompiled("Library/ScriptAssemblies/Assembly-CSharp.dll", issues);
            _record.Finished();
        }

        private static CompilerIssue Error(string text, string file, int line, int column) =>
            CompilerIssue.Of(true, text, file, line, column, "/project");

        private string Submit(string parameters = "{}")
        {
            var outcome = _jobs.Submit(JObject.Parse(parameters))();
            Assert.That(outcome.Failure, Is.Null, outcome.Failure?.Message);
            return (string)outcome.Result()["job_id"];
        }

        private string Refused()
        {
            var outcome = _jobs.Submit(new JObject())();
            Assert.That(outcome.Started, Is.False);
            return outcome.Failure.Code;
        }

        private void Updates(int count)
        {
            for (var turn = 0; turn < count; turn++)
            {
                _jobs.Update(_ready);
            }
        }

        private JObject Status(string id) => _jobs.Status(id);

        private JToken Result(string id)
        {
            Assert.That((string)Status(id)["state"], Is.EqualTo("succeeded"), Status(id).ToString());
            return Status(id)["result"];
        }

        private sealed class Compiler : ICompiler
        {
            public Action OnRefresh { get; set; }

            public Action OnRequest { get; set; }

            public int Refreshes { get; private set; }

            public int Requests { get; private set; }

            public int Stops { get; private set; }

            public bool IsCompiling { get; set; }

            public bool IsImporting { get; set; }

            public bool CodeIsBroken { get; set; }

            public bool IsPlaying { get; set; }

            public bool ReloadIsLocked { get; set; }

            public void Refresh()
            {
                Refreshes++;
                OnRefresh?.Invoke();
            }

            public void RequestCompilation()
            {
                Requests++;
                OnRequest?.Invoke();
            }

            public void StopPlaying() => Stops++;
        }
    }
}
