using System.Linq;
using UnityBench.Contract;
using UnityEngine;
using UnityEngine.SceneManagement;

namespace UnityEditor.SceneManagement
{
    /// <summary>A prefab in Prefab Mode.</summary>
    public sealed class PrefabStage : ScriptableObject
    {
        internal PrefabStage(SceneState state)
        {
            assetPath = state.Path;
            scene = new Scene(state);
        }

        public string assetPath { get; }

        public Scene scene { get; }
    }

    public static class PrefabStageUtility
    {
        public static PrefabStage GetCurrentPrefabStage()
        {
            BenchSide.MainThreadOnly("GetCurrentPrefabStage");
            return BenchSide.Editor.OpenScenes.Where(each => each.Prefab).Select(each => new PrefabStage(each)).FirstOrDefault();
        }
    }
}
