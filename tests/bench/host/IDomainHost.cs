using UnityBench.Contract;

namespace UnityBench
{
    /// <summary>Makes domains and throws them away; how, depends on the runtime.</summary>
    internal interface IDomainHost
    {
        /// <summary>A new domain; there is none at present.</summary>
        Domain Create();

        /// <summary>
        /// Unloads the domain, waiting up to <paramref name="limitMs"/> until nothing of it runs;
        /// whether it went.
        /// </summary>
        bool Unload(int limitMs);
    }
}
