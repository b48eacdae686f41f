using UnityEngine;

namespace UnityEditor
{
    public class EditorUtility
    {
        public static bool scriptCompilationFailed
        {
            get
            {
                BenchSide.MainThreadOnly("get_scriptCompilationFailed");
                return BenchSide.Flags.CompilationFailed;
            }
        }

        public static void RequestScriptReload()
        {
            BenchSide.MainThreadOnly("RequestScriptReload");
            BenchSide.Editor.RequestReload();
        }

        public static void SetDirty(UnityEngine.Object target) => BenchSide.MainThreadOnly("SetDirty");
    }

    public class AssetDatabase
    {
        public static void Refresh()
        {
            BenchSide.MainThreadOnly("Refresh");
            BenchSide.Flags.Compiling = BenchSide.Editor.Refresh();
        }

        /// <summary>Unity starts its import workers with <c>-adb2 -batchMode -name AssetImportWorker0</c>.</summary>
        public static bool IsAssetImportWorkerProcess() =>
            System.Array.IndexOf(System.Environment.GetCommandLineArgs(), "-adb2") >= 0;
    }
}

namespace UnityEditorInternal
{
    public class InternalEditorUtility
    {
        public static bool isApplicationActive
        {
            get
            {
                BenchSide.MainThreadOnly("get_isApplicationActive");
                return BenchSide.Flags.Focused;
            }
        }
    }
}
