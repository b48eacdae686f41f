using System;
using System.Reflection;

namespace UnityMcpPlugin
{
    /// <summary>
    /// What some versions of the test framework's API have and others don't, or call otherwise, or
    /// keep to themselves.
    /// </summary>
    internal sealed class RunnerMembers
    {
        private const BindingFlags Statics = BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic;

        private readonly MethodInfo _cancelTestRun;
        private readonly MethodInfo _isAnyRunActive;

        /// <param name="api">The framework's <c>TestRunnerApi</c>.</param>
        public RunnerMembers(Type api)
        {
            // Public since 1.4; 1.1, which Unity 2021.3 comes with, has none.
            _cancelTestRun = api.GetMethod("CancelTestRun", Statics, null, new[] { typeof(string) }, null);

            // 2.0 calls it otherwise, and has an IsRunActive that is about one run.
            _isAnyRunActive = api.GetMethod("IsAnyRunActive", Statics, null, Type.EmptyTypes, null) ??
                api.GetMethod("IsRunActive", Statics, null, Type.EmptyTypes, null);
        }

        /// <summary>Cancel a run; false where the framework can't.</summary>
        public bool CancelTestRun(string runId) => Ask(_cancelTestRun, runId);

        /// <summary>Whether a run is under way, as far as the framework tells; else runs are known by their events alone.</summary>
        public bool IsAnyRunActive() => Ask(_isAnyRunActive);

        private static bool Ask(MethodInfo member, params object[] arguments)
        {
            try
            {
                return member != null && member.ReturnType == typeof(bool) && (bool)member.Invoke(null, arguments);
            }
            catch (TargetInvocationException)
            {
                // It is asked in every update: what it can't tell is not known.
                return false;
            }
        }
    }
}
