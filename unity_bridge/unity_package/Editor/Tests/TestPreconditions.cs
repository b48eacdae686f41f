using System.Linq;

namespace UnityMcpPlugin
{
    /// <summary>What must hold before Unity's test runner may be asked to run tests.</summary>
    internal static class TestPreconditions
    {
        private const int MaxNamed = 5;

        /// <summary>What stands in the way, and what to do; null when nothing does. Main thread.</summary>
        /// <param name="mayBeOld">What is loaded is to be tested, whether or not it is what the scripts say.</param>
        public static ToolFailure Problem(ITestRunner runner, bool mayBeOld)
        {
            // While it compiles, what is broken is what compiled before.
            if (runner.CodeIsBroken && !runner.IsCompiling && !mayBeOld)
            {
                return ToolFailure.BrokenCode("the tests would run old code", runner.CompilerErrors);
            }

            var unsaved = runner.UnsavedScenes();
            if (unsaved.Count == 0)
            {
                return null;
            }

            var named = string.Join(", ", unsaved.Take(MaxNamed)) +
                (unsaved.Count > MaxNamed ? $" and {unsaved.Count - MaxNamed} more" : "");
            return new ToolFailure(
                ToolFailure.UnsavedScenes,
                $"Not saved: {named}. Unity would ask about that with a dialog before it runs tests. Save or discard " +
                "the changes in the Editor, then run the tests again.");
        }
    }
}
