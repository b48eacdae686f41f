using System.Collections.Generic;
using UnityEditor.SceneManagement;
using UnityEngine.SceneManagement;

namespace UnityMcpPlugin
{
    /// <summary>
    /// Open scenes with unsaved changes: before a test run, Unity asks about each with a modal dialog, and a
    /// cancelled dialog ends the run without any message.
    /// </summary>
    internal static class UnsavedScenes
    {
        /// <summary>Their paths in the project; "Untitled" for a scene without a path. Main thread.</summary>
        public static IReadOnlyList<string> Names()
        {
            var names = new List<string>();
            for (var index = 0; index < SceneManager.sceneCount; index++)
            {
                var scene = SceneManager.GetSceneAt(index);
                if (scene.isDirty)
                {
                    names.Add(string.IsNullOrEmpty(scene.path) ? "Untitled" : scene.path);
                }
            }

            var prefab = PrefabStageUtility.GetCurrentPrefabStage();
            if (prefab != null && prefab.scene.isDirty)
            {
                names.Add(prefab.assetPath);
            }

            return names;
        }
    }
}
