using System;
using System.Threading;
using UnityBench.Contract;

namespace UnityBench
{
    /// <summary>Real application domains, as in Unity's own runtime: unloading aborts their threads.</summary>
    internal sealed class DomainHost : IDomainHost
    {
        private readonly string m_Folder;
        private AppDomain m_Domain;
        private int m_Number;

        internal DomainHost(string folder) => m_Folder = folder;

        public Domain Create()
        {
            var setup = new AppDomainSetup { ApplicationBase = m_Folder };
            m_Domain = AppDomain.CreateDomain("Unity Child Domain " + ++m_Number, null, setup);
            return (Domain)m_Domain.CreateInstanceAndUnwrap("UnityBench.Domain", "UnityBench.ChildDomain");
        }

        public bool Unload(int limitMs)
        {
            Exception failure = null;
            var domain = m_Domain;
            m_Domain = null;
            var unloading = new Thread(() =>
            {
                try
                {
                    AppDomain.Unload(domain);
                }
                catch (Exception exception)
                {
                    failure = exception;
                }
            }) { IsBackground = true, Name = "bench-unload" };
            unloading.Start();
            if (!unloading.Join(limitMs))
            {
                return false;
            }

            if (failure != null)
            {
                Output.Write("unload_failed", "message", failure.ToString());
            }

            return failure == null;
        }
    }
}
