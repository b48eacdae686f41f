using System.IO;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace UnityMcpPlugin
{
    /// <summary>JSON as it stands: strings that look like dates stay strings, and nothing is nested without end.</summary>
    internal static class StrictJson
    {
        private const int MaxDepth = 64;

        /// <exception cref="JsonException">The text is not one JSON object and nothing else.</exception>
        public static JObject Parse(string text)
        {
            using (var reader = new JsonTextReader(new StringReader(text)))
            {
                reader.DateParseHandling = DateParseHandling.None;
                reader.MaxDepth = MaxDepth;
                if (JToken.ReadFrom(reader) is JObject found && !reader.Read())
                {
                    return found;
                }

                throw new JsonException("not one JSON object");
            }
        }
    }
}
