using System;
using System.Threading;
using UnityBench.Contract;

namespace UnityEngine
{
    /// <summary>The stand-ins' way to the Editor that they are part of.</summary>
    internal static class BenchSide
    {
        internal static EditorServices Editor;
        internal static EditorFlags Flags;
        private static Thread s_MainThread;

        internal static void Start(EditorServices editor, EditorFlags flags)
        {
            Editor = editor;
            Flags = flags;
            s_MainThread = Thread.CurrentThread;
        }

        internal static bool OnMainThread => Thread.CurrentThread == s_MainThread;

        /// <summary>Unity's own refusal of most of its API on other threads.</summary>
        internal static void MainThreadOnly(string member)
        {
            if (!OnMainThread)
            {
                throw new UnityException(
                    member + " can only be called from the main thread.\n" +
                    "Constructors and field initializers will be executed from the loading thread when loading a scene.\n" +
                    "Don't use this function in the constructor or field initializers, instead move initialization code to the Awake or Start function.");
            }
        }

        /// <summary>Calls every subscriber; what one throws is logged, and the others still run.</summary>
        internal static void Each<T>(T subscribers, Action<T> call) where T : Delegate
        {
            if (subscribers == null)
            {
                return;
            }

            foreach (var each in subscribers.GetInvocationList())
            {
                try
                {
                    call((T)each);
                }
                catch (Exception exception) when (!(exception is ThreadAbortException))
                {
                    Debug.LogException(exception);
                }
            }
        }
    }
}
