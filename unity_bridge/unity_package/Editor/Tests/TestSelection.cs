using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.RegularExpressions;

namespace UnityMcpPlugin
{
    /// <summary>A test, or a suite of tests, as Unity's test runner lists them. A value.</summary>
    internal sealed class TestNode
    {
        // The runner distinguishes cases of the same name in its events, but not in the names it is given.
        private static readonly Regex CaseNumber = new Regex(@" GeneratedTestCase[0-9]+(?=\)?\z)", RegexOptions.CultureInvariant);

        /// <param name="canBeNamed">
        /// False for the root and for assemblies, which have other names in the runner.
        /// </param>
        /// <param name="children">A suite's; null for a test.</param>
        public TestNode(string fullName, bool isExplicit, bool canBeNamed, IEnumerable<TestNode> children)
        {
            FullName = fullName;
            IsExplicit = isExplicit;
            RunnerName = canBeNamed ? CaseNumber.Replace(fullName, "") : null;
            Children = children?.ToArray();
        }

        public string FullName { get; }

        /// <summary>Whether it runs only if it is asked for by name.</summary>
        public bool IsExplicit { get; }

        /// <summary>The name by which the runner selects it; null if it can't.</summary>
        public string RunnerName { get; }

        /// <summary>Null for a test.</summary>
        public IReadOnlyList<TestNode> Children { get; }
    }

    /// <summary>
    /// Converts a job's filter into names that make the test runner select exactly the wanted tests. The
    /// runner's own patterns can't do that: they also match the names of suites and assembly files, and then
    /// all tests in there run. Exact names do the same, so a suite is named only if all of it is wanted,
    /// which keeps the list short.
    /// </summary>
    internal sealed class TestSelection
    {
        /// <summary>Makes the runner exclude the name after it.</summary>
        private const char Inverts = '!';

        private readonly string _filter;
        private readonly Dictionary<TestNode, Part> _parts = new Dictionary<TestNode, Part>();
        private readonly HashSet<string> _ambiguous = new HashSet<string>(StringComparer.Ordinal);
        private readonly HashSet<string> _names = new HashSet<string>(StringComparer.Ordinal);

        private TestSelection(string filter) => _filter = filter;

        /// <summary>The names for the runner; null for all tests.</summary>
        public string[] Names => _filter == null ? null : _names.ToArray();

        /// <summary>How many tests will run, including those that the runner then skips.</summary>
        public int Count { get; private set; }

        /// <summary>
        /// Selects the tests with <paramref name="filter"/> in their full names; null for all. An explicit
        /// test is selected only by its whole name, or by that of an explicit suite around it.
        /// </summary>
        public static TestSelection Of(TestNode root, string filter)
        {
            var selection = new TestSelection(filter);
            if (filter == null)
            {
                selection.Count = Tests(root);
                return selection;
            }

            selection.Look(root, false, false);
            selection.Name(root);
            selection.Count = Named(root, selection._names, false);
            return selection;
        }

        private static int Tests(TestNode node) => node.Children == null ? 1 : node.Children.Sum(Tests);

        /// <summary>
        /// How many tests the runner selects by these names: a suite's name selects all of its tests.
        /// </summary>
        private static int Named(TestNode node, HashSet<string> names, bool above)
        {
            var named = above || (node.RunnerName != null && names.Contains(node.RunnerName));
            return node.Children == null ? (named ? 1 : 0) : node.Children.Sum(child => Named(child, names, named));
        }

        /// <summary>Determine how much of <paramref name="node"/> is selected.</summary>
        private Part Look(TestNode node, bool explicitAbove, bool namedAbove)
        {
            var isExplicit = explicitAbove || node.IsExplicit;
            var isNamed = namedAbove || (isExplicit && node.FullName == _filter);
            Part part;
            if (node.Children == null)
            {
                var meant = node.FullName.IndexOf(_filter, StringComparison.Ordinal) >= 0 && (!isExplicit || isNamed);

                // Under its suite's name an explicit test would be skipped; under its own it runs.
                part = !meant ? Part.None : isExplicit ? Part.Some : Part.Whole;
            }
            else
            {
                var parts = node.Children.Select(child => Look(child, isExplicit, isNamed)).ToArray();
                part = parts.All(each => each == Part.None) ? Part.None
                    : parts.All(each => each == Part.Whole) ? Part.Whole
                    : Part.Some;
            }

            _parts[node] = part;
            if (part != Part.Whole && node.RunnerName != null)
            {
                _ambiguous.Add(node.RunnerName);
            }

            return part;
        }

        /// <summary>Collect the names of the selected tests, as few as possible.</summary>
        private void Name(TestNode node)
        {
            var part = _parts[node];
            var isTest = node.Children == null;
            if (part == Part.None)
            {
                return;
            }

            var usable = !string.IsNullOrEmpty(node.RunnerName) && node.RunnerName[0] != Inverts;
            if (usable && (isTest || (part == Part.Whole && !_ambiguous.Contains(node.RunnerName))))
            {
                _names.Add(node.RunnerName);
                return;
            }

            foreach (var child in node.Children ?? Array.Empty<TestNode>())
            {
                Name(child);
            }
        }

        /// <summary>How much of a node is selected.</summary>
        private enum Part
        {
            None,
            Some,
            Whole,
        }
    }
}
