using System.Linq;
using UnityBench.Contract;

namespace UnityEngine.SceneManagement
{
    public struct Scene
    {
        private readonly SceneState m_State;

        internal Scene(SceneState state) => m_State = state;

        public string path => m_State.Path;

        public string name => System.IO.Path.GetFileNameWithoutExtension(m_State.Path);

        public bool isDirty => m_State.Dirty;

        public bool isLoaded => true;
    }

    public class SceneManager
    {
        public static int sceneCount => Scenes().Length;

        public static Scene GetSceneAt(int index) => new Scene(Scenes()[index]);

        private static SceneState[] Scenes()
        {
            BenchSide.MainThreadOnly("GetSceneAt");
            return BenchSide.Editor.OpenScenes.Where(each => !each.Prefab).ToArray();
        }
    }
}
