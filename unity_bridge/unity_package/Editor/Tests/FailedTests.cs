using System.Collections.Generic;
using System.Linq;
using Newtonsoft.Json.Linq;

namespace UnityMcpPlugin
{
    /// <summary>A failed test. A value.</summary>
    internal sealed class FailedTest
    {
        public FailedTest(string name, string message, string stackTrace)
        {
            Name = name;
            Message = message;
            StackTrace = stackTrace;
        }

        public string Name { get; }

        public string Message { get; }

        public string StackTrace { get; }

        public int Length => Name.Length + Message.Length + StackTrace.Length;

        public JObject ToJson() =>
            new JObject { ["name"] = Name, ["message"] = Message, ["stack_trace"] = StackTrace };
    }

    /// <summary>
    /// The failed tests of a job: each once, at most a fixed number, with texts of bounded length, so that
    /// every job's result can be sent.
    /// </summary>
    internal sealed class FailedTests
    {
        public const int MaxListed = 200;
        public const int MaxNameLength = 512;

        /// <summary>Longest message or stack trace, in UTF-16 code units.</summary>
        public const int MaxTextLength = 4096;

        /// <summary>Longest text of all together; beyond that, messages are cut to a line or two.</summary>
        public const int MaxTotalLength = 200000;

        private const int ShortTextLength = 200;

        /// <summary>Most different names that are counted.</summary>
        private const int MaxNames = 100000;

        private readonly List<FailedTest> _listed = new List<FailedTest>();
        private readonly HashSet<string> _names = new HashSet<string>();
        private int _length;

        /// <summary>Their number, listed or not.</summary>
        public int Count => _names.Count;

        /// <summary>The length of the kept text, in UTF-16 code units.</summary>
        public int Length => _length;

        /// <summary>Add a failed test; no effect if it is already there.</summary>
        public void Add(string name, string message, string stackTrace)
        {
            name = Cut(name, MaxNameLength);
            if (_names.Count >= MaxNames || !_names.Add(name) || _listed.Count >= MaxListed)
            {
                return;
            }

            var longest = _length < MaxTotalLength ? MaxTextLength : ShortTextLength;
            List(new FailedTest(name, Cut(message, longest), Cut(stackTrace, longest)));
        }

        /// <summary>The listed ones, and one entry for all others.</summary>
        public IReadOnlyList<FailedTest> ToList()
        {
            var list = _listed.ToList();
            if (_names.Count > _listed.Count)
            {
                list.Add(new FailedTest(
                    $"({_names.Count - _listed.Count} more failed tests)", "Run fewer tests, with filter, to see them.", ""));
            }

            return list;
        }

        public void Write(FieldWriter fields)
        {
            fields.Add(_listed.Count);
            foreach (var test in _listed)
            {
                fields.Add(test.Name);
                fields.Add(test.Message);
                fields.Add(test.StackTrace);
            }

            fields.Add(_names.Count);
            foreach (var name in _names)
            {
                fields.Add(name);
            }
        }

        public static FailedTests Read(FieldReader fields)
        {
            var failures = new FailedTests();
            for (var left = fields.Count(MaxListed); left > 0; left--)
            {
                failures.List(new FailedTest(fields.Text(), fields.Text(), fields.Text()));
            }

            for (var left = fields.Count(MaxNames); left > 0; left--)
            {
                failures._names.Add(fields.Text());
            }

            return failures;
        }

        private void List(FailedTest test)
        {
            _length += test.Length;
            _listed.Add(test);
        }

        private static string Cut(string text, int length) => ConsoleText.Clean(
            text == null ? "" : text.Length <= length ? text : text.Substring(0, length) + "…");
    }
}
