using System.Threading;
using UnityEditor;
using UnityEngine;

namespace UnityBench
{
    /// <summary>A script that shows what the bench does to scripts; for tests of the bench itself.</summary>
    [InitializeOnLoad]
    public static class Probe
    {
        private static int s_Starts;
        private static volatile bool s_Stop;

        static Probe()
        {
            s_Starts++;
            var survived = SessionState.GetInt("starts", 0) + 1;
            SessionState.SetInt("starts", survived);
            Debug.Log("probe: starts=" + s_Starts + " survived=" + survived + " saved=" + ProbeAsset.instance.Saved);
            EditorApplication.playModeStateChanged += change =>
                Debug.Log("probe: " + change + " playing=" + EditorApplication.isPlaying
                    + " will=" + EditorApplication.isPlayingOrWillChangePlaymode);
            AssemblyReloadEvents.beforeAssemblyReload += () => s_Stop = true;
            AssemblyReloadEvents.afterAssemblyReload += () => Debug.Log("probe: after reload");
            EditorApplication.quitting += () => Debug.Log("probe: quitting");
        }

        /// <summary>A thread that ends only when it is aborted.</summary>
        [MenuItem("Probe/Sleep")]
        public static void Sleep() => Start("probe-sleeper", () =>
        {
            while (true)
            {
                Thread.Sleep(10);
            }
        });

        /// <summary>A thread that ends when the domain is about to go.</summary>
        [MenuItem("Probe/Behave")]
        public static void Behave() => Start("probe-behaved", () =>
        {
            while (!s_Stop)
            {
                Thread.Sleep(1);
            }
        });

        /// <summary>A thread that nothing ends.</summary>
        [MenuItem("Probe/Hang")]
        public static void Hang() => Start("probe-hanger", () =>
        {
            try
            {
            }
            finally
            {
                Thread.Sleep(Timeout.Infinite);
            }
        });

        /// <summary>Saves an asset.</summary>
        [MenuItem("Probe/Save")]
        public static void Save() => ProbeAsset.instance.Keep(7);

        /// <summary>Asks for the Editor's state on another thread.</summary>
        [MenuItem("Probe/Other Thread")]
        public static void OtherThread() => Start("probe-other", () =>
        {
            try
            {
                Debug.Log("probe: allowed " + EditorApplication.isPlaying);
            }
            catch (UnityException exception)
            {
                Debug.Log("probe: refused " + exception.Message);
            }
        });

        private static void Start(string name, ThreadStart work) =>
            new Thread(work) { IsBackground = true, Name = name }.Start();
    }

    /// <summary>An asset in the project's settings.</summary>
    [FilePath("ProjectSettings/Probe.asset", FilePathAttribute.Location.ProjectFolder)]
    public sealed class ProbeAsset : ScriptableSingleton<ProbeAsset>
    {
        [SerializeField]
        private int m_Saved;

        internal int Saved => m_Saved;

        internal void Keep(int value)
        {
            m_Saved = value;
            Save(true);
        }
    }
}
