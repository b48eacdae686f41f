using System;
using System.Reflection;

namespace UnityMcpPlugin
{
    /// <summary>
    /// Members of the test framework's API that only some versions have, that have other names in others, or
    /// that are internal.
    /// </summary>
    internal sealed class RunnerMembers
    {
        private const BindingFlags Statics = BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic;

        private readonly MethodInfo _cancelTestRun;
        private readonly MethodInfo _isAnyRunActive;

        /// <param name="api">The framework's <c>TestRunnerApi</c>.</param>
        public RunnerMembers(Type api)
        {
            // Public since 1.4; 1.1, the version in Unity 2021.3, has none.
            _cancelTestRun = api.GetMethod("CancelTestRun", Statics, null, new[] { typeof(string) }, null);

            // In 2.0 it has another name, and IsRunActive is about a single run.
            _isAnyRunActive = api.GetMethod("IsAnyRunActive", Statics, null, Type.EmptyTypes, null) ??
                api.GetMethod("IsRunActive", Statics, null, Type.EmptyTypes, null);
        }

        /// <summary>Cancel a run; false if the framework can't.</summary>
        public bool CancelTestRun(string runId) => Ask(_cancelTestRun, runId);

        /// <summary>
        /// Whether a run is in progress, as far as the framework reports it; otherwise only events show runs.
        /// </summary>
        public bool IsAnyRunActive() => Ask(_isAnyRunActive);

        private static bool Ask(MethodInfo member, params object[] arguments)
        {
            try
            {
                return member != null && member.ReturnType == typeof(bool) && (bool)member.Invoke(null, arguments);
            }
            catch (TargetInvocationException)
            {
                // Called in every update, so a failure counts as unknown.
                return false;
            }
        }
    }
}
