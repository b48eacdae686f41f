using System.Runtime.CompilerServices;

[assembly: InternalsVisibleTo("UnityMcpPlugin.Editor.Tests")]
