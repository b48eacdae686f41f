using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace UnityMcpPlugin
{
    /// <summary>What a server leaves for those who join it, as <c>contracts/server.schema.json</c> has it. A value.</summary>
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

        /// <summary>When the server was started: such texts sort as their times do.</summary>
        public string Started { get; }

        /// <summary>Proves the server; in hexadecimal digits.</summary>
        public string Key { get; }

        /// <summary>The server's bearer token; null when it asks for none.</summary>
        public string Token { get; }

        /// <summary>The file with this text; null when it isn't one.</summary>
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

        /// <summary>The file at a path; null when there is none, or it can't be read.</summary>
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
    /// What this Editor knows of the server that it may speak with: the token to show, and the file
    /// to believe it by. The file lies in the project, or by port in the user's state folder.
    /// </summary>
    internal sealed class ServerAccess
    {
        private readonly string _token;
        private readonly Func<int, IEnumerable<string>> _places;

        /// <param name="token">What the user gave; null or empty for what the server's file says.</param>
        /// <param name="places">Where the file of the server on a port may lie.</param>
        public ServerAccess(string token, Func<int, IEnumerable<string>> places)
        {
            _token = token;
            _places = places;
        }

        /// <summary>The places for a project, on every system: those of others do not exist.</summary>
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
        /// The port of the project's own server, as that has left it; null when there is none. It is
        /// no more than a hint: the server says itself whether it works in this project.
        /// </summary>
        public static int? OwnPort(string projectPath) => ServerFile.Read(InProject(projectPath))?.Port;

        private static string InProject(string projectPath) =>
            Path.Combine(projectPath, "Library", "SnippetEngine", "server.json");

        /// <summary>The token to show to the server on a port; null for none.</summary>
        public string TokenFor(int port) => string.IsNullOrEmpty(_token) ? FileOf(port)?.Token : _token;

        /// <summary>The file of the server on a port: the newest of several; null when there is none.</summary>
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
