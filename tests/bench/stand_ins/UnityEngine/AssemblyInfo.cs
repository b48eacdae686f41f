using System.Runtime.CompilerServices;

[assembly: InternalsVisibleTo("UnityEditor")]
[assembly: InternalsVisibleTo("UnityEditor.TestRunner")]
[assembly: InternalsVisibleTo("UnityBench.Domain")]
