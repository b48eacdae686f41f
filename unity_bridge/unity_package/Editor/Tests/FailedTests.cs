using System.Collections.Generic;
using System.Linq;
using Newtonsoft.Json.Linq;

namespace UnityMcpPlugin
{
    /// <summary>The failed tests of a job: each once, the first of many, with texts of bounded length, so that any job's result can be sent.</summary>
    internal sealed class FailedTests
    {
        public const int MaxListed = 200;
        public const int MaxNameLength = 512;

        /// <summary>Longest message or stack trace, in UTF-16 code units.</summary>
        public const int MaxTextLength = 4096;

        /// <summary>Most text of all, after which messages are cut to a line or two.</summary>
        public const int MaxTotalLength = 200000;

        private const int ShortTextLength = 200;

        private readonly List<JObject> _listed = new List<JObject>();
        private readonly HashSet<string> _names = new HashSet<string>();
        private int _length;

        /// <summary>How many there are, listed or not.</summary>
        public int Count => _names.Count;

        /// <summary>Add a failed test; nothing happens when it is there already.</summary>
        public void Add(string name, string message, string stackTrace)
        {
            if (!_names.Add(name) || _listed.Count >= MaxListed)
            {
                return;
            }

            var longest = _length < MaxTotalLength ? MaxTextLength : ShortTextLength;
            var entry = Entry(Cut(name, MaxNameLength), Cut(message, longest), Cut(stackTrace, longest));
            _length += entry.Values().Sum(text => ((string)text).Length);
            _listed.Add(entry);
        }

        /// <summary>The <c>failed_tests</c> of a job's result.</summary>
        public JArray ToList()
        {
            var list = new JArray(_listed.Select(entry => (object)entry.DeepClone()).ToArray());
            if (_names.Count > _listed.Count)
            {
                list.Add(Entry($"({_names.Count - _listed.Count} more failed tests)", "Run fewer tests, with filter, to see them.", ""));
            }

            return list;
        }

        public JObject ToJson() => new JObject
        {
            ["listed"] = new JArray(_listed.Select(entry => (object)entry.DeepClone()).ToArray()),
            ["names"] = new JArray(_names.Select(name => (object)name).ToArray()),
        };

        public static FailedTests FromJson(JObject json)
        {
            var failures = new FailedTests();
            failures._listed.AddRange(json["listed"].Cast<JObject>());
            failures._names.UnionWith(json["names"].Select(name => (string)name));
            failures._length = failures._listed.Sum(entry => entry.Values().Sum(text => ((string)text).Length));
            return failures;
        }

        private static JObject Entry(string name, string message, string stackTrace) =>
            new JObject { ["name"] = name, ["message"] = message, ["stack_trace"] = stackTrace };

        private static string Cut(string text, int length) =>
            text == null ? "" : text.Length <= length ? text : text.Substring(0, length) + "…";
    }
}
