using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace UnityMcpPlugin
{
    /// <summary>
    /// The file that a server leaves for its clients, as in <c>contracts/server.schema.json</c>. A value.
    /// </summary>
    internal sealed class ServerFile
    {
        private const int MaxBytes = 65536;

        private ServerFile(int port, string started, string key, string token)
        {
            Port = port;
            Started = started;
            Key = key;
            Token = token;
        }

        public int Port { get; }

        /// <summary>When the server was started, as a text that sorts by time.</summary>
        public string Started { get; }

        /// <summary>The key that proves the server; in hexadecimal digits.</summary>
        public string Key { get; }

        /// <summary>The server's bearer token; null if it requires none.</summary>
        public string Token { get; }

        /// <summary>Parses the file; null if the text isn't one.</summary>
        public static ServerFile Parse(string text)
        {
            try
            {
                var file = StrictJson.Parse(text);
                var port = file["port"];
                var key = TextOf(file["key"]);
                return port?.Type == JTokenType.Integer && ServerProof.IsKey(key)
                    ? new ServerFile((int)port, TextOf(file["started"]) ?? "", key, TextOf(file["token"]))
                    : null;
            }
            catch (Exception failure) when (failure is JsonException || failure is OverflowException)
            {
                return null;
            }
        }

        /// <summary>Reads the file at a path; null if there is none, or it can't be read.</summary>
        public static ServerFile Read(string path)
        {
            try
            {
                return new FileInfo(path) is FileInfo file && file.Exists && file.Length <= MaxBytes
                    ? Parse(File.ReadAllText(path))
                    : null;
            }
            catch (Exception failure) when (failure is IOException || failure is UnauthorizedAccessException)
            {
                return null;
            }
        }

        private static string TextOf(JToken token) => token?.Type == JTokenType.String ? (string)token : null;
    }

    /// <summary>
    /// How this Editor and its server recognise each other: the token to send, and the file that proves the
    /// server. The file is in the project, or by port in the user's state folder.
    /// </summary>
    internal sealed class ServerAccess
    {
        private readonly string _token;
        private readonly Func<int, IEnumerable<string>> _places;

        /// <param name="token">The user's token; null or empty for the one in the server's file.</param>
        /// <param name="places">Where the file of the server on a port may be.</param>
        public ServerAccess(string token, Func<int, IEnumerable<string>> places)
        {
            _token = token;
            _places = places;
        }

        /// <summary>
        /// The possible paths for a project, on every system; those of other systems don't exist.
        /// </summary>
        public static IEnumerable<string> Places(string projectPath, int port)
        {
            var home = Environment.GetFolderPath(Environment.SpecialFolder.UserProfile);
            var state = Environment.GetEnvironmentVariable("XDG_STATE_HOME");
            var name = port.ToString(CultureInfo.InvariantCulture) + ".json";
            yield return InProject(projectPath);
            foreach (var folder in new[]
            {
                string.IsNullOrEmpty(state) ? Path.Combine(home, ".local", "state") : state,
                Path.Combine(home, "Library", "Application Support"),
                Environment.GetFolderPath(Environment.SpecialFolder.LocalApplicationData),
            })
            {
                yield return Path.Combine(folder, "unity-snippet", "servers", name);
            }
        }

        /// <summary>
        /// The port in the file of the project's own server; null if there is none. Only a hint: the server
        /// itself says whether it works in this project.
        /// </summary>
        public static int? OwnPort(string projectPath) => ServerFile.Read(InProject(projectPath))?.Port;

        private static string InProject(string projectPath) =>
            Path.Combine(projectPath, "Library", "SnippetEngine", "server.json");

        /// <summary>The token to send to the server on a port; null for none.</summary>
        public string TokenFor(int port) => string.IsNullOrEmpty(_token) ? FileOf(port)?.Token : _token;

        /// <summary>The file of the server on a port: the newest of several; null if there is none.</summary>
        public ServerFile FileOf(int port)
        {
            ServerFile newest = null;
            foreach (var path in _places(port))
            {
                var found = ServerFile.Read(path);
                if (found?.Port == port && (newest == null || string.CompareOrdinal(found.Started, newest.Started) > 0))
                {
                    newest = found;
                }
            }

            return newest;
        }
    }
}
