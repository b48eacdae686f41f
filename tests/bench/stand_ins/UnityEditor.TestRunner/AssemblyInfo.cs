using System.Runtime.CompilerServices;

[assembly: InternalsVisibleTo("UnityBench.Domain")]
