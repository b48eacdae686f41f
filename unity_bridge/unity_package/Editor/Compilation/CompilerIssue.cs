using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text.RegularExpressions;
using Newtonsoft.Json.Linq;

namespace UnityMcpPlugin
{
    /// <summary>One error or warning of the compiler, with its place in the project.</summary>
    internal sealed class CompilerIssue
    {
        /// <summary>Longest message that is kept, in UTF-16 code units.</summary>
        public const int MaxMessageLength = 1000;

        private const int MaxPathLength = 500;

        // "Assets/A.cs(5,36): error CS0029: …"; a message about a missing file has no place.
        private static readonly Regex Line = new Regex(
            @"\A(?:[^\n]*\([0-9]+,[0-9]+\): *)?(?:error|warning) +(?<code>[A-Za-z]+[0-9]+): *(?<message>.*)\z",
            RegexOptions.CultureInvariant | RegexOptions.Singleline);

        private CompilerIssue(bool isError, string path, int line, int column, string code, string message)
        {
            IsError = isError;
            Path = path;
            LineNumber = line;
            Column = column;
            Code = code;
            Message = message;
        }

        public bool IsError { get; }

        /// <summary>Relative to the project, with slashes; empty if the message names no file.</summary>
        public string Path { get; }

        /// <summary>From 1; 0 if the message has no place.</summary>
        public int LineNumber { get; }

        /// <summary>From 1, as the compiler counts; 0 if the message has no place.</summary>
        public int Column { get; }

        /// <summary><c>CS0029</c>; empty if the message has none.</summary>
        public string Code { get; }

        public string Message { get; }

        /// <summary>Its size in UTF-16 code units.</summary>
        public int Length => Path.Length + Message.Length;

        /// <param name="text">The whole message from the Editor.</param>
        /// <param name="file">The file that it names; null or empty for none.</param>
        /// <param name="projectFolder">The folder to which paths are made relative.</param>
        public static CompilerIssue Of(bool isError, string text, string file, int line, int column, string projectFolder)
        {
            text = ConsoleText.Clean(text ?? "");
            var parts = Line.Match(text);
            var message = parts.Success ? parts.Groups["message"].Value : text;
            return new CompilerIssue(
                isError,
                Shortened(Relative(ConsoleText.Clean(file ?? ""), projectFolder), MaxPathLength),
                Math.Max(0, line),
                Math.Max(0, column),
                parts.Success ? parts.Groups["code"].Value : "",
                Shortened(message.Trim(), MaxMessageLength));
        }

        public JObject ToJson() => new JObject
        {
            ["path"] = Path,
            ["line"] = LineNumber,
            ["column"] = Column,
            ["code"] = Code,
            ["message"] = Message,
        };

        /// <summary>As compilers print it: path, place, code, message.</summary>
        public override string ToString()
        {
            var place = Path == "" ? "" : $"{Path}({Number(LineNumber)},{Number(Column)}): ";
            return place + (Code == "" ? Message : $"{Code}: {Message}");
        }

        /// <summary>The first issues in words, for a short message.</summary>
        public static string Some(IReadOnlyList<CompilerIssue> issues, int most) =>
            string.Join("; ", issues.Take(most)) +
            (issues.Count > most ? $"; and {Number(issues.Count - most)} more" : "");

        public void Write(FieldWriter fields)
        {
            fields.Add(IsError);
            fields.Add(Path);
            fields.Add(LineNumber);
            fields.Add(Column);
            fields.Add(Code);
            fields.Add(Message);
        }

        public static CompilerIssue Read(FieldReader fields) => new CompilerIssue(
            fields.Flag(),
            fields.Text() ?? "",
            (int)fields.Number(),
            (int)fields.Number(),
            fields.Text() ?? "",
            fields.Text() ?? "");

        private static string Relative(string file, string projectFolder)
        {
            var path = file.Replace('\\', '/');
            var folder = (projectFolder ?? "").Replace('\\', '/').TrimEnd('/') + "/";
            return folder.Length > 1 && path.StartsWith(folder, StringComparison.OrdinalIgnoreCase)
                ? path.Substring(folder.Length)
                : path;
        }

        private static string Shortened(string text, int most)
        {
            if (text.Length <= most)
            {
                return text;
            }

            return text.Substring(0, char.IsHighSurrogate(text[most - 1]) ? most - 1 : most) + "…";
        }

        private static string Number(int value) => value.ToString(CultureInfo.InvariantCulture);
    }
}
