using System;

namespace UnityBench.Contract
{
    /// <summary>A scene that is open, or the prefab that is.</summary>
    [Serializable]
    public struct SceneState
    {
        /// <summary>Relative to the project; empty for a scene that was never saved.</summary>
        public string Path;

        /// <summary>Whether it has changes that are not saved.</summary>
        public bool Dirty;

        /// <summary>A prefab in Prefab Mode, else a scene.</summary>
        public bool Prefab;
    }
}
