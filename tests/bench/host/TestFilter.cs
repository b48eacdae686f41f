using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.RegularExpressions;
using UnityBench.Contract;

namespace UnityBench
{
    /// <summary>
    /// Which tests the test framework takes names and patterns for: it matches them against a test,
    /// and against every suite that the test is in, the assembly's file among them; a leading
    /// exclamation mark turns one into what is not to run.
    /// </summary>
    internal sealed class TestFilter
    {
        private readonly string[] m_Names;
        private readonly string[] m_Groups;

        internal TestFilter(string[] names, string[] groups)
        {
            m_Names = names;
            m_Groups = groups;
        }

        internal bool Passes(DefinedTest test)
        {
            var nodes = Chain(test).ToArray();
            return Passes(m_Names, name => nodes.Contains(name)) &&
                Passes(m_Groups, pattern => nodes.Any(node => Regex.IsMatch(node, pattern)));
        }

        private static bool Passes(string[] values, Func<string, bool> fits)
        {
            var included = values.Where(value => !value.StartsWith("!", StringComparison.Ordinal)).ToArray();
            var excluded = values.Except(included).Select(value => value.Substring(1));
            return (included.Length == 0 || included.Any(fits)) && !excluded.Any(fits);
        }

        /// <summary>The test's full name, and those of all suites around it, but for the root, which has none.</summary>
        private static IEnumerable<string> Chain(DefinedTest test)
        {
            for (var name = test.FullName; name != ""; name = name.Substring(0, Math.Max(0, name.LastIndexOf('.'))))
            {
                yield return name;
            }

            yield return TestStep.AssemblyOf(test.Play);
        }
    }
}
