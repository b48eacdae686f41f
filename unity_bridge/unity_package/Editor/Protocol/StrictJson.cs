using System.IO;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace UnityMcpPlugin
{
    /// <summary>Strict JSON: date-like strings stay strings, and nesting is bounded.</summary>
    internal static class StrictJson
    {
        private const int MaxDepth = 64;

        /// <exception cref="JsonException">The text isn't exactly one JSON object.</exception>
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
