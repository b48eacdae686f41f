using System;
using System.Diagnostics;
using System.IO;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using System.Threading;
using UnityBench.Contract;

namespace UnityBench
{
    /// <summary>
    /// Collectible load contexts, as Unity on .NET has them: one goes when nothing refers to it any
    /// more and no thread runs its code; nothing is aborted.
    /// </summary>
    internal sealed class DomainHost : IDomainHost
    {
        private readonly string m_Folder;
        private ChildContext m_Context;

        internal DomainHost(string folder) => m_Folder = folder;

        public Domain Create()
        {
            m_Context = new ChildContext(m_Folder);
            var assembly = m_Context.LoadFromAssemblyName(new AssemblyName("UnityBench.Domain"));
            return (Domain)Activator.CreateInstance(assembly.GetType("UnityBench.ChildDomain", true));
        }

        public bool Unload(int limitMs)
        {
            var started = Stopwatch.StartNew();
            var context = Let(ref m_Context);
            while (context.IsAlive)
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
                if (context.IsAlive && started.ElapsedMilliseconds > limitMs)
                {
                    return false;
                }

                Thread.Sleep(context.IsAlive ? 1 : 0);
            }

            return true;
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static WeakReference Let(ref ChildContext context)
        {
            var reference = new WeakReference(context, true);
            context.Unload();
            context = null;
            return reference;
        }

        private sealed class ChildContext : AssemblyLoadContext
        {
            private readonly string m_Folder;

            internal ChildContext(string folder) : base("Unity Child Domain", true) => m_Folder = folder;

            protected override Assembly Load(AssemblyName name)
            {
                var path = Path.Combine(m_Folder, name.Name + ".dll");
                // Both sides speak in the contract's types, so they share it.
                return name.Name == "UnityBench.Contract" || !File.Exists(path) ? null : LoadFromAssemblyPath(path);
            }
        }
    }
}
