using System.Linq;

namespace UnityMcpPlugin
{
    /// <summary>The conditions for asking Unity's test runner to run tests.</summary>
    internal static class TestPreconditions
    {
        private const int MaxNamed = 5;

        /// <summary>What prevents it, and what to do; null if nothing does. Main thread.</summary>
        /// <param name="mayBeOld">
        /// Whether to test the loaded code even if it is older than the scripts.
        /// </param>
        public static ToolFailure Problem(ITestRunner runner, bool mayBeOld)
        {
            // While it compiles, the flag is about the last compilation.
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
