using System;
using System.Collections.Generic;
using System.Linq;
using Newtonsoft.Json.Linq;
using NUnit.Framework;

namespace UnityMcpPlugin.Tests
{
    public class TestJobsTests
    {
        private readonly Storage _storage = new Storage();
        private readonly List<Func<JObject>> _told = new List<Func<JObject>>();
        private Runner _runner;
        private TestJobs _jobs;
        private long _now;

        [SetUp]
        public void SetUp()
        {
            _now = 10000;
            _storage.Stored = "";
            _told.Clear();
            _jobs = null;
            _runner = new Runner();
            NewDomain();
        }

        [Test]
        public void ARunFromBeginningToEnd()
        {
            var id = Submit("edit");
            Assert.That(State(id), Is.EqualTo("queued"));
            Assert.That(Status(id)["progress"].Type, Is.EqualTo(JTokenType.Null));
            _jobs.Update(true);
            Assert.That(_runner.Started, Is.EqualTo(new[] { "Edit " }));
            _jobs.OnRunStarted(2);
            _jobs.OnTestStarted("A.One");
            Assert.That(State(id), Is.EqualTo("running"));
            Assert.That(
                Status(id)["progress"].ToString(Newtonsoft.Json.Formatting.None),
                Is.EqualTo("{\"completed\":0,\"total\":2,\"current\":\"A.One\"}"));
            Finish("A.One", passed: true);
            Finish("A.Two", passed: false);
            Assert.That((int)Status(id)["progress"]["completed"], Is.EqualTo(2));
            RunFinished(1, 1, 0);
            Assert.That(State(id), Is.EqualTo("succeeded"));
            var result = Status(id)["result"];
            Assert.That((int)result["summary"]["total"], Is.EqualTo(2));
            Assert.That((int)result["summary"]["failed"], Is.EqualTo(1));
            Assert.That((string)result["failed_tests"].Single()["name"], Is.EqualTo("A.Two"));
            Assert.That((string)result["failed_tests"].Single()["message"], Is.EqualTo("why"));
        }

        [Test]
        public void AllModesAreTwoRunsWithTimeBetween()
        {
            var id = Submit("all");
            _jobs.Update(true);
            _jobs.OnRunStarted(1);
            RunFinished(1, 0, 0);
            Assert.That(State(id), Is.EqualTo("running"));
            _jobs.Update(true);
            Assert.That(_runner.Started.Count, Is.EqualTo(1));
            _now += TestJobs.BetweenRunsMs;
            _runner.Tests = new[] { "P.One", "P.Two", "P.Three" };
            _jobs.Update(true);
            Assert.That(_runner.Started, Is.EqualTo(new[] { "Edit ", "Play " }));
            _jobs.OnRunStarted(3);
            RunFinished(2, 1, 0);
            Assert.That((int)Status(id)["result"]["summary"]["total"], Is.EqualTo(4));
        }

        [Test]
        public void PlayModeIsNotEnteredForNoTest()
        {
            var id = Submit("all");
            _jobs.Update(true);
            _jobs.OnRunStarted(1);
            RunFinished(1, 0, 0);
            _now += TestJobs.BetweenRunsMs;
            _runner.Tests = new string[0];
            _jobs.Update(true);
            Assert.That(State(id), Is.EqualTo("succeeded"));
            Assert.That(_runner.Started.Count, Is.EqualTo(1));
        }

        [Test]
        public void ARunSurvivesADomainReload()
        {
            var id = Submit("edit");
            _jobs.Update(true);
            _jobs.OnRunStarted(2);
            Finish("A.One", passed: false);
            NewDomain();
            Assert.That(State(id), Is.EqualTo("running"));
            Assert.That((int)Status(id)["progress"]["completed"], Is.EqualTo(1));
            _jobs.OnRunStarted(2);
            Finish("A.Two", passed: true);
            RunFinished(1, 1, 0);
            Assert.That(State(id), Is.EqualTo("succeeded"));
            Assert.That(Status(id)["result"]["failed_tests"].Count(), Is.EqualTo(1));
        }

        [Test]
        public void ARunnerThatForgotWhatCameBeforeIsCorrected()
        {
            var id = Submit("edit");
            _jobs.Update(true);
            _jobs.OnRunStarted(2);
            Finish("A.One", passed: true);
            NewDomain();
            Finish("A.Two", passed: true);
            RunFinished(1, 0, 0);
            Assert.That((int)Status(id)["result"]["summary"]["total"], Is.EqualTo(2));
        }

        [Test]
        public void ATestThatCameToNoVerdictIsNotCalledSkipped()
        {
            var id = Submit("edit");
            _jobs.Update(true);
            _jobs.OnRunStarted(1);
            _jobs.OnTestFinished("A.Unsure", new TestCounts(0, 0, 0, 1, 1), "assumed too much", null);
            NewDomain();
            RunFinished(0, 0, 0);
            Assert.That(State(id), Is.EqualTo("succeeded"));
            var summary = Status(id)["result"]["summary"];
            Assert.That((int)summary["total"], Is.EqualTo(1));
            Assert.That((int)summary["inconclusive"], Is.EqualTo(1));
            Assert.That((int)summary["skipped"], Is.EqualTo(0));
        }

        [Test]
        public void AResultSurvivesADomainReload()
        {
            var id = Submit("edit");
            _jobs.Update(true);
            _jobs.OnRunStarted(1);
            RunFinished(1, 0, 0);
            var before = Status(id).ToString();
            NewDomain();
            Assert.That(Status(id).ToString(), Is.EqualTo(before));
        }

        [TestCase("nonsense")]
        [TestCase("0 1 ")]
        [TestCase("1 1 5 job-x")]
        public void WhatAnotherVersionStoredIsNothing(string stored)
        {
            _storage.Stored = stored;
            _jobs = null;
            NewDomain();
            Assert.That(_jobs.Status("job-x"), Is.Null);
        }

        [Test]
        public void FailuresThatWereNotToldAreAskedFor()
        {
            var id = Submit("edit");
            _jobs.Update(true);
            _jobs.OnRunStarted(1);
            _jobs.OnRunFinished(new TestCounts(0, 1, 0, 0, 1), () => new[] { ("A.Fixture", "set-up failed", "at A") });
            Assert.That((string)Status(id)["result"]["failed_tests"][0]["name"], Is.EqualTo("A.Fixture"));
        }

        [Test]
        public void AQueuedJobIsCancelledAtOnce()
        {
            var first = Submit("edit");
            var second = Submit("edit");
            _jobs.Update(true);
            Assert.That(_jobs.Cancel(second), Is.EqualTo("cancelled"));
            Assert.That(State(second), Is.EqualTo("cancelled"));
            Assert.That(State(first), Is.EqualTo("running"));
            Assert.That(_jobs.Cancel(second), Is.EqualTo("rejected"));
        }

        [Test]
        public void ARunningJobIsCancelledWhenItsRunHasEnded()
        {
            var id = Submit("all");
            _jobs.Update(true);
            _jobs.OnRunStarted(2);
            Assert.That(_jobs.Cancel(id), Is.EqualTo("cancel_requested"));
            Assert.That(_jobs.Cancel(id), Is.EqualTo("cancel_requested"));
            Assert.That(_runner.Cancelled, Is.EqualTo(new[] { "run-1" }));
            Assert.That(State(id), Is.EqualTo("running"));
            RunFinished(1, 0, 0);
            Assert.That(State(id), Is.EqualTo("cancelled"));
            Assert.That(_runner.Started.Count, Is.EqualTo(1));
        }

        [Test]
        public void ACancelledRunThatTellsNothingMoreIsOver()
        {
            var id = Submit("edit");
            _jobs.Update(true);
            _jobs.OnRunStarted(2);
            _jobs.Cancel(id);
            _now += TestJobs.CancelLimitMs - 1;
            _jobs.Update(true);
            Assert.That(State(id), Is.EqualTo("running"));
            _now += 1;
            _jobs.Update(true);
            Assert.That(State(id), Is.EqualTo("cancelled"));
        }

        [Test]
        public void ARunnerThatCannotCancelLetsTheRunEnd()
        {
            _runner.CanCancel = false;
            var id = Submit("edit");
            _jobs.Update(true);
            _jobs.OnRunStarted(2);
            Assert.That(_jobs.Cancel(id), Is.EqualTo("cancel_requested"));
            _now += 10 * TestJobs.CancelLimitMs;
            _jobs.Update(true);
            Assert.That(State(id), Is.EqualTo("running"));
            RunFinished(2, 0, 0);
            Assert.That(State(id), Is.EqualTo("cancelled"));
        }

        [Test]
        public void PlayModeTestsAreCancelledByLeavingPlayMode()
        {
            _runner.CanCancel = false;
            var id = Submit("play");
            _jobs.Update(true);
            _jobs.OnRunStarted(2);
            _jobs.Cancel(id);
            Assert.That(_runner.LeftPlayMode, Is.True);
            _jobs.OnError("Playmode tests were aborted");
            Assert.That(State(id), Is.EqualTo("cancelled"));
        }

        [Test]
        public void CancelBetweenTwoRunsEndsTheJob()
        {
            var id = Submit("all");
            _jobs.Update(true);
            _jobs.OnRunStarted(1);
            RunFinished(1, 0, 0);
            Assert.That(_jobs.Cancel(id), Is.EqualTo("cancelled"));
            _now += TestJobs.BetweenRunsMs;
            _jobs.Update(true);
            Assert.That(_runner.Started.Count, Is.EqualTo(1));
        }

        [Test]
        public void ARunThatNeverBeginsFails()
        {
            var id = Submit("edit");
            _jobs.Update(true);
            _now += TestJobs.StartLimitMs;
            _jobs.Update(false);
            _jobs.Update(true);
            Assert.That(State(id), Is.EqualTo("running"));
            _now += TestJobs.StartLimitMs;
            _jobs.Update(true);
            Assert.That(State(id), Is.EqualTo("failed"));
            Assert.That((string)Status(id)["result"]["code"], Is.EqualTo("ERR_TEST_RUN_FAILED"));
        }

        [Test]
        public void ARunThatCannotBeCarriedOutFails()
        {
            var id = Submit("edit");
            _jobs.Update(true);
            _jobs.OnError("no scene");
            Assert.That((string)Status(id)["result"]["message"], Is.EqualTo("no scene"));
        }

        [Test]
        public void ARunnerThatThrowsFailsTheJobAndTheNextOneRuns()
        {
            _runner.Throws = true;
            var first = Submit("edit");
            var second = Submit("edit");
            _jobs.Update(true);
            Assert.That(State(first), Is.EqualTo("failed"));
            _runner.Throws = false;
            _jobs.Update(true);
            Assert.That(State(second), Is.EqualTo("running"));
        }

        [Test]
        public void AFilterThatFitsNothingFails()
        {
            _runner.Tests = new[] { "A.One" };
            var id = Submit("all", "No.Such");
            _jobs.Update(true);
            _jobs.Update(true);
            Assert.That(_runner.Started, Is.Empty);
            var result = Status(id)["result"];
            Assert.That((string)result["code"], Is.EqualTo("ERR_UNITY_EXECUTION"));
            Assert.That((string)result["message"], Is.EqualTo("0 tests matched the filter 'No.Such'."));
        }

        [Test]
        public void AFilterSelectsByNameAndIsCountedAsItWillRun()
        {
            _runner.Tests = new[] { "A.One", "A.Two", "B.Twofold" };
            var id = Submit("edit", "Two");
            _jobs.Update(true);
            Assert.That(_runner.Started, Is.EqualTo(new[] { "Edit A.Two,B.Twofold" }));
            Assert.That((int)Status(id)["progress"]["total"], Is.EqualTo(2));
            NewDomain();

            // The runner tells how many tests there are, not how many run.
            _jobs.OnRunStarted(3);
            Assert.That((int)Status(id)["progress"]["total"], Is.EqualTo(2));
        }

        [Test]
        public void AFilterThatCannotBeAppliedRunsNothing()
        {
            var id = Submit("edit", "Two");
            _jobs.Update(true);
            Assert.That(State(id), Is.EqualTo("queued"));
            _now += TestJobs.CountLimitMs;
            _jobs.Update(true);
            Assert.That(_runner.Started, Is.Empty);
            Assert.That((string)Status(id)["result"]["code"], Is.EqualTo("ERR_TEST_RUN_FAILED"));
        }

        [Test]
        public void EachPhaseSelectsForItself()
        {
            _runner.Tests = new[] { "A.One" };
            Submit("all", "One");
            _jobs.Update(true);
            _jobs.OnRunStarted(1);
            RunFinished(1, 0, 0);
            _now += TestJobs.BetweenRunsMs;
            _runner.Tests = new[] { "P.One" };
            _jobs.Update(true);
            Assert.That(_runner.Started, Is.EqualTo(new[] { "Edit A.One", "Play P.One" }));
        }

        [Test]
        public void WhatWasEditedOutsideIsImportedFirst()
        {
            _runner.OnRefresh = () => _runner.IsSettling = true;
            var id = Submit("edit");
            Assert.That(_runner.Refreshes, Is.EqualTo(1));
            _jobs.Update(true);
            Assert.That(_runner.Started, Is.Empty);
            NewDomain();
            _runner.IsSettling = false;
            _jobs.Update(true);
            Assert.That(_runner.Refreshes, Is.EqualTo(1), "once, or a script that each import changes reloads for ever");
            Assert.That(_runner.Started.Count, Is.EqualTo(1));
            Assert.That(State(id), Is.EqualTo("running"));
        }

        [Test]
        public void NothingIsImportedUnderARunningTest()
        {
            Submit("edit");
            _jobs.Update(true);
            var second = Submit("edit");
            Assert.That(_runner.Refreshes, Is.EqualTo(1));
            _jobs.OnRunStarted(1);
            RunFinished(1, 0, 0);
            _now += TestJobs.BetweenRunsMs;
            _jobs.Update(true);
            Assert.That(_runner.Refreshes, Is.EqualTo(2));
            Assert.That(State(second), Is.EqualTo("queued"));
            _jobs.Update(true);
            Assert.That(State(second), Is.EqualTo("running"));
        }

        [Test]
        public void NothingIsImportedOrJudgedWhileTheRunnerIsBusyOrCleansUp()
        {
            _runner.IsBusy = true;
            _runner.Unsaved = new[] { "Untitled" };
            _runner.Tests = new[] { "A.One" };
            _jobs.Cancel(Submit("edit"));
            _runner.IsBusy = false;
            _jobs.OnTestStarted("By.Hand");
            RunFinished(1, 0, 0);
            var id = Submit("edit");
            Assert.That(_runner.Refreshes, Is.EqualTo(0));
            _now += TestJobs.BetweenRunsMs;
            _runner.Unsaved = new string[0];
            _jobs.Update(true);
            Assert.That(_runner.Refreshes, Is.EqualTo(1));
            _jobs.Update(true);
            Assert.That(State(id), Is.EqualTo("running"));
        }

        [Test]
        public void CodeThatTheImportMendsIsNotRefused()
        {
            _runner.CodeIsBroken = true;
            _runner.OnRefresh = () => _runner.IsCompiling = true;
            var id = Submit("edit");
            _runner.IsCompiling = false;
            _runner.CodeIsBroken = false;
            _jobs.Update(true);
            Assert.That(State(id), Is.EqualTo("running"));
        }

        [Test]
        public void CodeThatTheImportBreaksIsNotRun()
        {
            _runner.OnRefresh = () => _runner.IsCompiling = true;
            var id = Submit("edit");
            _runner.IsCompiling = false;
            _runner.CodeIsBroken = true;
            _jobs.Update(true);
            Assert.That(_runner.Started, Is.Empty);
            Assert.That((string)Status(id)["result"]["code"], Is.EqualTo("ERR_COMPILE_ERRORS"));
        }

        [Test]
        public void UnsavedScenesAreRefusedByName()
        {
            _runner.Unsaved = new[] { "Assets/Main.unity", "Untitled" };
            var refused = _jobs.Submit(new JObject())();
            Assert.That(refused.Started, Is.False);
            Assert.That(refused.Failure.Code, Is.EqualTo("ERR_UNSAVED_SCENES"));
            Assert.That(refused.Failure.Message.Contains("Assets/Main.unity, Untitled."), Is.True);
        }

        [Test]
        public void UnsavedScenesAreRefusedWhileTheImportIsCompiled()
        {
            _runner.CodeIsBroken = true;
            _runner.OnRefresh = () => _runner.IsCompiling = true;
            _runner.Unsaved = new[] { "Assets/Main.unity" };
            Assert.That(_jobs.Submit(new JObject())().Failure.Code, Is.EqualTo("ERR_UNSAVED_SCENES"));
        }

        [Test]
        public void ASceneThatIsChangedWhileAJobWaitsStopsIt()
        {
            var id = Submit("edit");
            _runner.Unsaved = new[] { "Assets/Main.unity" };
            _jobs.Update(true);
            Assert.That(_runner.Started, Is.Empty);
            Assert.That((string)Status(id)["result"]["code"], Is.EqualTo("ERR_UNSAVED_SCENES"));
        }

        [Test]
        public void WhatHasRunIsToldWhereTheRestCannot()
        {
            var id = Submit("all");
            _jobs.Update(true);
            _jobs.OnRunStarted(2);
            Finish("A.One", passed: true);
            Finish("A.Two", passed: false);
            RunFinished(1, 1, 0);
            _now += TestJobs.BetweenRunsMs;
            _runner.Tests = new[] { "P.One" };
            _runner.Unsaved = new[] { "Assets/Main.unity" };
            _jobs.Update(true);
            NewDomain();
            Assert.That(State(id), Is.EqualTo("failed"));
            var result = Status(id)["result"];
            Assert.That((string)result["code"], Is.EqualTo("ERR_UNSAVED_SCENES"));
            Assert.That(
                (string)result["message"],
                Contains.Substring("The EditMode tests have run, the PlayMode tests have not. Not saved: Assets/Main.unity."));
            Assert.That((int)result["summary"]["total"], Is.EqualTo(2));
            Assert.That((int)result["summary"]["failed"], Is.EqualTo(1));
            Assert.That((string)result["failed_tests"].Single()["name"], Is.EqualTo("A.Two"));
        }

        [Test]
        public void WhatHasRunOfABrokenRunIsTold()
        {
            var id = Submit("edit");
            _jobs.Update(true);
            _jobs.OnRunStarted(2);
            Finish("A.One", passed: false);
            _jobs.OnError("the runner broke");
            var result = Status(id)["result"];
            Assert.That((string)result["message"], Is.EqualTo("Not all EditMode tests have run. the runner broke"));
            Assert.That((int)result["summary"]["total"], Is.EqualTo(1));
            Assert.That((string)result["failed_tests"].Single()["name"], Is.EqualTo("A.One"));
        }

        [Test]
        public void WhereNothingHasRunThereIsNoSummary()
        {
            var id = Submit("edit");
            _jobs.Update(true);
            _jobs.OnError("no scene");
            Assert.That(
                ((JObject)Status(id)["result"]).Properties().Select(each => each.Name),
                Is.EqualTo(new[] { "code", "message" }));
        }

        [Test]
        public void TestsThatRunAreKnownAsSuch()
        {
            Assert.That(_jobs.RunIsOn, Is.False);
            Submit("edit");
            Assert.That(_jobs.RunIsOn, Is.False);
            _jobs.Update(true);
            Assert.That(_jobs.RunIsOn, Is.True);
            NewDomain();
            Assert.That(_jobs.RunIsOn, Is.True);
            _jobs.OnRunStarted(1);
            RunFinished(1, 0, 0);
            Assert.That(_jobs.RunIsOn, Is.False);
            _jobs.OnTestStarted("By.Hand");
            Assert.That(_jobs.RunIsOn, Is.True);
        }

        [Test]
        public void ARunByHandIsWaitedFor()
        {
            _jobs.OnRunStarted(5);
            var id = Submit("edit");
            _jobs.Update(true);
            Assert.That(State(id), Is.EqualTo("queued"));
            Finish("Other", passed: false);
            RunFinished(4, 1, 0);
            _now += TestJobs.BetweenRunsMs;
            _jobs.Update(true);
            _jobs.Update(true);
            Assert.That(State(id), Is.EqualTo("running"));
            Assert.That((int)Status(id)["progress"]["completed"], Is.EqualTo(0));
        }

        [Test]
        public void NothingStartsWhileTheEditorCompiles()
        {
            var id = Submit("edit");
            _jobs.Update(false);
            Assert.That(State(id), Is.EqualTo("queued"));
        }

        [Test]
        public void BrokenCodeIsRefused()
        {
            _runner.CodeIsBroken = true;
            Assert.That(_jobs.Submit(new JObject())().Failure.Code, Is.EqualTo("ERR_COMPILE_ERRORS"));
        }

        [Test]
        public void TheCompilersErrorsAreToldAndOutliveADomain()
        {
            var id = Submit("edit");
            _runner.CodeIsBroken = true;
            _runner.CompilerErrors = Enumerable.Range(1, 30)
                .Select(line => CompilerIssue.Of(true, "error CS1002: ; expected", "Assets/A.cs", line, 4, ""))
                .ToArray();
            _jobs.Update(true);
            NewDomain();
            var result = Status(id)["result"];
            Assert.That((string)result["code"], Is.EqualTo("ERR_COMPILE_ERRORS"));
            Assert.That((string)result["message"], Contains.Substring("Assets/A.cs(1,4): CS1002: ; expected; and 29 more"));
            Assert.That(result["details"]["errors"].Count(), Is.EqualTo(ToolFailure.MaxErrors));
        }

        [Test]
        public void OldCodeIsTestedOnlyIfThatIsWanted()
        {
            _runner.CodeIsBroken = true;
            var accepted = _jobs.Submit(new JObject { ["mode"] = "edit", ["compile_first"] = false })();
            var id = (string)accepted.Result()["job_id"];
            NewDomain();
            _runner.CodeIsBroken = true;
            _jobs.Update(true);
            Assert.That(State(id), Is.EqualTo("running"));
            Assert.That(_runner.Refreshes, Is.EqualTo(0));
        }

        [Test]
        public void PlayModeIsRefused()
        {
            _runner.IsPlaying = true;
            Assert.That(_jobs.Submit(new JObject())().Failure.Code, Is.EqualTo("ERR_INVALID_STATE"));
        }

        [Test]
        public void AnUnknownModeIsRefused() =>
            Assert.That(_jobs.Submit(new JObject { ["mode"] = "both" })().Failure.Code, Is.EqualTo("ERR_INVALID_PARAMS"));

        [Test]
        public void WaitingJobsAreBoundedAndEndedOnesForgotten()
        {
            for (var round = 0; round < 3; round++)
            {
                var ids = Enumerable.Range(0, TestJobs.MaxWaiting).Select(_ => Submit("edit")).ToArray();
                Assert.That(_jobs.Submit(new JObject())().Failure.Code, Is.EqualTo("ERR_QUEUE_FULL"));
                foreach (var id in ids)
                {
                    _now++;
                    _jobs.Cancel(id);
                }

                Assert.That(ids.Count(id => Status(id) != null), Is.EqualTo(TestJobs.MaxWaiting));
                ids.ToList().ForEach(_jobs.Confirm);
                Assert.That(ids.Count(id => Status(id) != null), Is.EqualTo(TestJobs.MaxConfirmed));
            }
        }

        [Test]
        public void EndsAreKeptUntilTheServerKnowsThem()
        {
            var first = Submit("edit");
            _jobs.Cancel(first);
            for (var number = 0; number < 40; number++)
            {
                _now++;
                var id = Submit("edit");
                _jobs.Cancel(id);
                _jobs.Confirm(id);
            }

            Assert.That(State(first), Is.EqualTo("cancelled"));
            NewDomain();
            Assert.That(_jobs.Unconfirmed().Select(told => (string)told()["job_id"]), Is.EqualTo(new[] { first }));
            _jobs.Confirm(first);
            Assert.That(_jobs.Unconfirmed(), Is.Empty);
            Assert.That(Status(first), Is.Null, "eight have ended since");
        }

        [Test]
        public void EndsThatNobodyConfirmsAreBounded()
        {
            var ids = new List<string>();
            for (var number = 0; number < TestJobs.MaxEnded + 5; number++)
            {
                _now++;
                ids.Add(Submit("edit"));
                _jobs.Cancel(ids.Last());
            }

            Assert.That(_jobs.Unconfirmed().Count, Is.EqualTo(TestJobs.MaxEnded));
            Assert.That(Status(ids[4]), Is.Null);
            Assert.That(State(ids[5]), Is.EqualTo("cancelled"));
            NewDomain();
            Assert.That(_jobs.Unconfirmed().Count, Is.EqualTo(TestJobs.MaxEnded));
        }

        [Test]
        public void AJobThatHasNotEndedCannotBeConfirmed()
        {
            var id = Submit("edit");
            _jobs.Confirm(id);
            _jobs.Confirm("job-x");
            _jobs.Cancel(id);
            Assert.That(_jobs.Unconfirmed().Count, Is.EqualTo(1));
        }

        [Test]
        public void EveryChangeOfStateIsTold()
        {
            var id = Submit("all");
            _jobs.Update(true);
            _jobs.OnRunStarted(1);
            Finish("A.One", passed: true);
            RunFinished(1, 0, 0);
            _now += TestJobs.BetweenRunsMs + TestJobs.CountLimitMs;
            _jobs.Update(true);
            _now += TestJobs.CountLimitMs;
            _jobs.Update(true);
            RunFinished(1, 0, 0);
            Assert.That(State(id), Is.EqualTo("succeeded"));
            Assert.That(_told.Select(told => (string)told()["state"]), Is.EqualTo(new[] { "running", "succeeded" }));
            Assert.That((int)_told.Last()()["result"]["summary"]["total"], Is.EqualTo(2));
        }

        private void NewDomain()
        {
            _jobs?.Save();
            _jobs = new TestJobs(_runner, _storage, () => _now, () => DateTime.UtcNow.AddMilliseconds(_now));
            _jobs.Changed += _told.Add;
        }

        private string Submit(string mode, string filter = null)
        {
            var parameters = new JObject { ["mode"] = mode };
            if (filter != null)
            {
                parameters["filter"] = filter;
            }

            return (string)_jobs.Submit(parameters)().Result()["job_id"];
        }

        private JObject Status(string id) => _jobs.Status(id);

        private string State(string id) => (string)Status(id)["state"];

        private void Finish(string name, bool passed) =>
            _jobs.OnTestFinished(name, new TestCounts(passed ? 1 : 0, passed ? 0 : 1, 0, 0, 1), passed ? null : "why", null);

        private void RunFinished(int passed, int failed, int skipped, int inconclusive = 0) => _jobs.OnRunFinished(
            new TestCounts(passed, failed, skipped, inconclusive, 5), () => new (string, string, string)[0]);

        private sealed class Runner : ITestRunner
        {
            public List<string> Started { get; } = new List<string>();

            public List<string> Cancelled { get; } = new List<string>();

            public bool CanCancel { get; set; } = true;

            public bool Throws { get; set; }

            public bool LeftPlayMode { get; private set; }

            /// <summary>What the runner lists, on the spot; null when it doesn't.</summary>
            public string[] Tests { get; set; }

            public string[] Unsaved { get; set; } = new string[0];

            public int Refreshes { get; private set; }

            public Action OnRefresh { get; set; } = () => { };

            public bool IsCompiling { get; set; }

            public bool IsSettling { get; set; }

            public bool CodeIsBroken { get; set; }

            public IReadOnlyList<CompilerIssue> CompilerErrors { get; set; } = new CompilerIssue[0];

            public bool IsPlaying { get; set; }

            public bool IsBusy { get; set; }

            public void Refresh()
            {
                Refreshes++;
                OnRefresh();
            }

            public IReadOnlyList<string> UnsavedScenes() => Unsaved;

            public void Select(TestPhase phase, string filter, Action<TestSelection> selected)
            {
                if (Tests != null)
                {
                    var tests = Tests.Select(name => new TestNode(name, false, true, null));
                    selected(TestSelection.Of(new TestNode("", false, false, tests), filter));
                }
            }

            public string Start(TestPhase phase, string[] names)
            {
                if (Throws)
                {
                    throw new InvalidOperationException("no");
                }

                Started.Add($"{phase} {string.Join(",", names ?? new string[0])}");
                return $"run-{Started.Count}";
            }

            public bool Cancel(string runId)
            {
                Cancelled.Add(runId);
                return CanCancel;
            }

            public void LeavePlayMode() => LeftPlayMode = true;
        }

        private sealed class Storage : ITestJobStorage
        {
            public string Stored { get; set; } = "";

            public string LoadJobs() => Stored;

            public void SaveJobs(string jobs) => Stored = jobs;
        }
    }

    public class FailedTestsTests
    {
        [Test]
        public void ThousandsOfLongFailuresCanBeSent()
        {
            var failures = new FailedTests();
            for (var number = 0; number < 5000; number++)
            {
                failures.Add($"Game.Tests.T{number}", new string('日', 50000), new string('x', 50000));
            }

            var list = failures.ToList();
            Assert.That(failures.Count, Is.EqualTo(5000));
            Assert.That(list.Count, Is.EqualTo(FailedTests.MaxListed + 1));
            Assert.That(list.Last().Name, Is.EqualTo("(4800 more failed tests)"));
            var json = new JArray(list.Select(test => (object)test.ToJson()).ToArray());
            Assert.That(WireFrames.ToBytes(new JObject { ["all"] = json }).Length, Is.LessThan(900000));
        }

        [Test]
        public void ATestIsListedOnce()
        {
            var failures = new FailedTests();
            failures.Add("A", "one", null);
            failures.Add("A", "two", null);
            Assert.That(failures.ToList().Count, Is.EqualTo(1));
        }

        [Test]
        public void SurvivesAsText()
        {
            var failures = new FailedTests();
            failures.Add("A 1 2", "two\nlines\0", null);
            failures.Add("日本", "", "at 😀");
            var fields = new FieldWriter();
            failures.Write(fields);
            var read = FailedTests.Read(new FieldReader(fields.ToString()));
            Assert.That(
                read.ToList().Select(test => test.ToJson().ToString()),
                Is.EqualTo(failures.ToList().Select(test => test.ToJson().ToString())));
            read.Add("A 1 2", "again", "");
            Assert.That(read.Count, Is.EqualTo(2));
        }
    }
}
