using System.Text;

namespace UnityMcpPlugin
{
    /// <summary>
    /// Makes texts safe to store: bounded length, and only characters that every text format can hold.
    /// </summary>
    internal static class ConsoleText
    {
        /// <summary>Longest message or stack trace that is kept, in UTF-16 code units.</summary>
        public const int MaxLength = 16384;

        private const char Replacement = '\uFFFD';

        public static string Kept(string text)
        {
            if (string.IsNullOrEmpty(text))
            {
                return "";
            }

            if (text.Length > MaxLength)
            {
                var end = char.IsHighSurrogate(text[MaxLength - 1]) ? MaxLength - 1 : MaxLength;
                text = $"{text.Substring(0, end)}… [{text.Length - end} more characters]";
            }

            return Clean(text);
        }

        /// <summary>Removes NUL, which ends Unity's own strings, and unpaired surrogates.</summary>
        public static string Clean(string text) => IsClean(text) ? text : Cleaned(text);

        private static bool IsClean(string text)
        {
            foreach (var character in text)
            {
                if (character == '\0' || char.IsSurrogate(character))
                {
                    return false;
                }
            }

            return true;
        }

        private static string Cleaned(string text)
        {
            var cleaned = new StringBuilder(text.Length);
            for (var at = 0; at < text.Length; at++)
            {
                if (char.IsHighSurrogate(text[at]) && at + 1 < text.Length && char.IsLowSurrogate(text[at + 1]))
                {
                    cleaned.Append(text[at]).Append(text[++at]);
                }
                else
                {
                    cleaned.Append(text[at] == '\0' || char.IsSurrogate(text[at]) ? Replacement : text[at]);
                }
            }

            return cleaned.ToString();
        }
    }
}
