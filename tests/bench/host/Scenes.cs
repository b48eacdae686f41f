using System.Collections.Generic;
using System.Linq;
using UnityBench.Contract;

namespace UnityBench
{
    /// <summary>The scenes that are open, and the prefab that is.</summary>
    internal sealed class Scenes
    {
        private readonly List<SceneState> m_Open = new List<SceneState>();

        internal SceneState[] Open => m_Open.ToArray();

        /// <summary>Opens it, or changes what it is.</summary>
        internal void Set(SceneState scene)
        {
            m_Open.RemoveAll(each => each.Path == scene.Path || (scene.Prefab && each.Prefab));
            m_Open.Add(scene);
        }

        /// <summary>
        /// Asks whether to save what is not saved, where there is something; nobody sits at the bench,
        /// so the dialog is cancelled. Whether there was nothing to ask.
        /// </summary>
        internal bool SaveIfUserWantsTo()
        {
            var unsaved = m_Open.Where(each => each.Dirty).Select(each => each.Path).ToArray();
            if (unsaved.Length > 0)
            {
                Output.Write("dialog", "unsaved", unsaved);
            }

            return unsaved.Length == 0;
        }
    }
}
