using System;
using System.Linq;
using UnityEditor;
using UnityEditor.MPE;
using UnityEngine;

namespace UnityMcpPlugin
{
    /// <summary>
    /// Decides which of the processes that load this package is the Editor that a user works in.
    /// </summary>
    internal static class EditorProcess
    {
        /// <summary>Set to let an Editor without windows connect, too.</summary>
        public const string BatchModeVariable = "UNITY_MCP_BATCH_MODE";

        /// <summary>
        /// The argument with which Multiplayer Play Mode starts the Editors of its virtual players, on the
        /// same project.
        /// </summary>
        public const string VirtualPlayerArgument = "--virtual-project-clone";

        /// <summary>
        /// Whether this isn't one of Unity's helper processes, which load this package, too.
        /// </summary>
        public static bool IsTheEditor() =>
            !AssetDatabase.IsAssetImportWorkerProcess() &&
            ProcessService.level != ProcessLevel.Secondary &&
            !Environment.GetCommandLineArgs().Contains(VirtualPlayerArgument) &&
            (!Application.isBatchMode || Wanted(BatchModeVariable));

        private static bool Wanted(string variable) => !string.IsNullOrEmpty(Environment.GetEnvironmentVariable(variable));
    }
}
