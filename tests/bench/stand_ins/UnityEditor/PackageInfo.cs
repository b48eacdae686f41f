using System.IO;
using System.Reflection;
using System.Text.RegularExpressions;

namespace UnityEditor.PackageManager
{
    public class PackageInfo
    {
        private PackageInfo(string name, string version)
        {
            this.name = name;
            this.version = version;
        }

        public string name { get; }

        public string version { get; }

        /// <summary>The package that an assembly was compiled from: the bench puts its manifest beside it.</summary>
        public static PackageInfo FindForAssembly(Assembly assembly)
        {
            var manifest = Path.ChangeExtension(assembly.Location, ".package.json");
            if (!File.Exists(manifest))
            {
                return null;
            }

            var json = File.ReadAllText(manifest);
            return new PackageInfo(Member(json, "name"), Member(json, "version"));
        }

        private static string Member(string json, string name) =>
            Regex.Match(json, "\"" + name + "\"\\s*:\\s*\"([^\"]*)\"").Groups[1].Value;
    }
}
