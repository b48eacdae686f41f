using System.Collections.Generic;
using NUnit.Framework;

namespace UnityMcpPlugin.Tests
{
    public class EditorStateTrackerTests
    {
        private EditorStateTracker _tracker;
        private long _now;

        [SetUp]
        public void SetUp()
        {
            _tracker = new EditorStateTracker();
            _now = 0;
        }

        [Test]
        public void ANewDomainIsReloadingUntilItsFirstUpdate()
        {
            Assert.That(_tracker.State, Is.EqualTo(EditorState.Reloading));
            Update();
            Assert.That(_tracker.State, Is.EqualTo(EditorState.Ready));
        }

        [Test]
        public void NoFalseReadyBetweenACompilationAndItsReload()
        {
            Update();
            _tracker.CompilationStarted();
            Assert.That(_tracker.State, Is.EqualTo(EditorState.Compiling));
            Update(compiling: true);
            _tracker.CompilationFinished(failed: false);
            for (var updates = 0; updates < 20; updates++)
            {
                Assert.That(_tracker.State, Is.EqualTo(EditorState.Compiling));
                Update(milliseconds: 10);
            }

            _tracker.DomainGoesDown();
            Assert.That(_tracker.State, Is.EqualTo(EditorState.Reloading));
        }

        [Test]
        public void ASlowLoopGetsAsManyUpdates()
        {
            Update();
            _tracker.CompilationStarted();
            _tracker.CompilationFinished(failed: false);
            for (var updates = 1; updates < EditorStateTracker.SettledUpdates; updates++)
            {
                Update(milliseconds: 5000);
                Assert.That(_tracker.State, Is.EqualTo(EditorState.Compiling));
            }

            Update(milliseconds: 5000);
            Assert.That(_tracker.State, Is.EqualTo(EditorState.Ready));
        }

        [Test]
        public void ACompilationWithoutReloadEndsInReady()
        {
            Update();
            _tracker.CompilationStarted();
            _tracker.CompilationFinished(failed: false);
            for (var updates = 0; updates < 120; updates++)
            {
                Update(milliseconds: 10);
            }

            Assert.That(_tracker.State, Is.EqualTo(EditorState.Ready));
        }

        [Test]
        public void AFailedCompilationIsReadyAtOnce()
        {
            Update();
            _tracker.CompilationStarted();
            Update(compiling: true);
            _tracker.CompilationFinished(failed: true);
            Update(compilationFailed: true);
            Assert.That(_tracker.State, Is.EqualTo(EditorState.Ready));
        }

        [Test]
        public void ACompilationThatOnlyTheFlagShowsIsSeen()
        {
            Update(compiling: true);
            Assert.That(_tracker.State, Is.EqualTo(EditorState.Compiling));
            Update();
            Assert.That(_tracker.State, Is.EqualTo(EditorState.Compiling));
        }

        [Test]
        public void EnteringPlayModeIsAReloadUntilItHasBeenEntered()
        {
            Update();
            _tracker.EnteringPlayMode();
            Assert.That(_tracker.State, Is.EqualTo(EditorState.Reloading));
            _tracker.PlayModeSettled();
            Assert.That(_tracker.State, Is.EqualTo(EditorState.Ready));
        }

        [Test]
        public void PlayModeThatIsNotEnteredAfterAllEndsInReady()
        {
            Update();
            _tracker.EnteringPlayMode();
            for (var updates = 0; updates < 120; updates++)
            {
                Update(milliseconds: 10);
            }

            Assert.That(_tracker.State, Is.EqualTo(EditorState.Ready));
        }

        private void Update(bool compiling = false, bool compilationFailed = false, int milliseconds = 10)
        {
            _now += milliseconds;
            _tracker.Update(compiling, false, false, compilationFailed, _now);
        }
    }

    public class StatusBoardTests
    {
        [Test]
        public void CountsChangesFromOneOnEveryConnection()
        {
            var board = new StatusBoard(EditorState.Ready);
            var told = new List<long>();
            board.Changed += report => told.Add(report.Seq);
            Assert.That(board.Restart(), Is.EqualTo(EditorState.Ready));
            board.Set(EditorState.Compiling);
            board.Set(EditorState.Compiling);
            board.Set(EditorState.Ready);
            Assert.That(board.Restart(), Is.EqualTo(EditorState.Ready));
            board.Set(EditorState.Reloading);
            Assert.That(told, Is.EqualTo(new long[] { 1, 2, 1 }));
            Assert.That(board.Now.State, Is.EqualTo(EditorState.Reloading));
        }
    }

    public class ReloadLockTests
    {
        private const long Limit = EditorStateTracker.LockMs;

        private readonly EditorStateTracker _tracker = new EditorStateTracker();

        [Test]
        public void ALockIsToldOnceItHasHeldTheEditorUpForAWhile()
        {
            Update(isCompiling: true, isLocked: true, 0);
            Update(isCompiling: true, isLocked: true, Limit - 1);
            Assert.That(_tracker.ReloadLocked, Is.False, "Unity holds one itself for moments");
            Update(isCompiling: true, isLocked: true, Limit);
            Assert.That(_tracker.ReloadLocked, Is.True);
            Update(isCompiling: true, isLocked: false, Limit + 1);
            Assert.That(_tracker.ReloadLocked, Is.False);
            Update(isCompiling: true, isLocked: true, Limit + 2);
            Assert.That(_tracker.ReloadLocked, Is.False, "it is counted from its beginning");
        }

        [Test]
        public void ALockThatHoldsNothingUpIsNotTold()
        {
            Update(isCompiling: false, isLocked: true, 0);
            Update(isCompiling: false, isLocked: true, Limit);
            Assert.That(_tracker.ReloadLocked, Is.False, "nothing was compiled");
            _tracker.CompilationStarted();
            Update(isCompiling: true, isLocked: true, 2 * Limit);
            Update(isCompiling: true, isLocked: true, 9 * Limit);
            Assert.That(_tracker.ReloadLocked, Is.False, "a compilation that runs explains itself");
        }

        [Test]
        public void ItIsOnTheWire()
        {
            var board = new StatusBoard(EditorState.Compiling);
            Assert.That(WireFrames.EditorStatus(board.Now, 0)["reload_locked"], Is.Null);
            board.SetReloadLocked(true);
            board.SetReloadLocked(true);
            Assert.That(board.Now.Seq, Is.EqualTo(1), "told once");
            Assert.That((bool)WireFrames.EditorStatus(board.Now, 0)["reload_locked"], Is.True);
            Assert.That((bool)WireFrames.Pong(board.Now, 0)["reload_locked"], Is.True);
        }

        private void Update(bool isCompiling, bool isLocked, long nowMs)
        {
            _tracker.Update(isCompiling, false, false, false, nowMs);
            _tracker.ReloadLock(isLocked, nowMs);
        }
    }

    public class MainThreadWatchTests
    {
        [Test]
        public void AMainThreadThatStopsIsToldOnceAndThatItRunsAgain()
        {
            long now = 0, ran = 0;
            var board = new StatusBoard(EditorState.Ready);
            var dialogs = new Dialogs();
            var watch = new MainThreadWatch(() => ran, dialogs, board, () => now);
            now = MainThreadWatch.LimitMs - 1;
            Assert.That(watch.Look(), Is.Null);
            Assert.That(board.Now.Seq, Is.EqualTo(0));
            now = MainThreadWatch.LimitMs;
            Assert.That(watch.Look().Dialog, Is.Null);
            now += 1000;
            watch.Look();
            Assert.That(board.Now.Seq, Is.EqualTo(1), "nothing new");
            Assert.That(
                WireFrames.EditorStatus(board.Now, now)["blocked"].ToString(Newtonsoft.Json.Formatting.None),
                Is.EqualTo("{\"for_ms\":3000}"));
            dialogs.Title = " Script Updating Consent\0 ";
            watch.Look();
            var dialog = (string)WireFrames.Pong(board.Now, now)["blocked"]["dialog"];
            Assert.That(dialog.StartsWith("Script Updating Consent"), Is.True);
            ran = now;
            Assert.That(watch.Look(), Is.Null);
            Assert.That(WireFrames.EditorStatus(board.Now, now)["blocked"], Is.Null);
            Assert.That(board.Now.Seq, Is.EqualTo(3));
        }

        private sealed class Dialogs : IDialogs
        {
            public string Title { get; set; }

            public string OpenTitle() => Title;
        }
    }
}
