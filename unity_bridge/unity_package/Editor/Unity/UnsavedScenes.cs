using System.Collections.Generic;
using UnityEditor.SceneManagement;
using UnityEngine.SceneManagement;

namespace UnityMcpPlugin
{
    /// <summary>
    /// What is open and has changes that are not saved: before it runs tests, Unity asks about each
    /// with a modal dialog, and a cancelled one ends the run without a word to anybody.
    /// </summary>
    internal static class UnsavedScenes
    {
        /// <summary>Their paths in the project; "Untitled" for a scene that has none yet. Main thread.</summary>
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
