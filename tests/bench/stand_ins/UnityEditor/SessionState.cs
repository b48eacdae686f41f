using System.Globalization;
using System.Text;
using UnityEngine;

namespace UnityEditor
{
    public sealed class SessionState
    {
        public static void SetString(string key, string value) => Set("s:" + key, Native(value));

        public static string GetString(string key, string defaultValue) => Get("s:" + key) ?? defaultValue;

        public static void EraseString(string key) => Set("s:" + key, null);

        public static void SetInt(string key, int value) => Set("i:" + key, value.ToString(CultureInfo.InvariantCulture));

        public static int GetInt(string key, int defaultValue)
        {
            var found = Get("i:" + key);
            return found == null ? defaultValue : int.Parse(found, CultureInfo.InvariantCulture);
        }

        public static void EraseInt(string key) => Set("i:" + key, null);

        public static void SetBool(string key, bool value) => Set("b:" + key, value ? "1" : "0");

        public static bool GetBool(string key, bool defaultValue)
        {
            var found = Get("b:" + key);
            return found == null ? defaultValue : found == "1";
        }

        public static void EraseBool(string key) => Set("b:" + key, null);

        /// <summary>A string as it comes back from native code: it ends at a NUL, and halves of characters are gone.</summary>
        private static string Native(string value)
        {
            var kept = new StringBuilder();
            for (var at = 0; value != null && at < value.Length && value[at] != '\0'; at++)
            {
                if (char.IsHighSurrogate(value[at]) && at + 1 < value.Length && char.IsLowSurrogate(value[at + 1]))
                {
                    kept.Append(value[at]).Append(value[++at]);
                }
                else if (!char.IsSurrogate(value[at]))
                {
                    kept.Append(value[at]);
                }
            }

            return kept.ToString();
        }

        private static string Get(string key)
        {
            BenchSide.MainThreadOnly("GetString");
            return BenchSide.Editor.GetSessionState(key);
        }

        private static void Set(string key, string value)
        {
            BenchSide.MainThreadOnly("SetString");
            BenchSide.Editor.SetSessionState(key, value);
        }
    }
}
