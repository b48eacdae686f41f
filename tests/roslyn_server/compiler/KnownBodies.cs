// What of a text is looked at again, where an earlier one is known; and what is found then.
using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis.Text;

namespace RoslynServer
{
    public static class KnownBodies
    {
        /// <summary>
        /// The numbers of the members that are bound again, <c>all</c> where the whole text is; then what
        /// the gate finds by what it knows, and from nothing. For each text but the first, three strings.
        /// </summary>
        public static string[] Told(string[] texts)
        {
            var known = new GatedTexts();
            Bodies earlier = null;
            var told = new List<string>();
            foreach (var text in texts)
            {
                var tree = Host.Parse(SourceText.From(text), Host.Options("9.0", new[] { "HERE" }), "", default);
                var bodies = Bodies.Of(tree, default);
                var (found, all) = (new Findings(text), new Findings(text));
                known.Of(tree, default).TellTo(found);
                LanguageGate.Find(tree, all, default);
                if (earlier != null)
                {
                    var changed = bodies.ChangedSince(earlier);
                    told.Add(changed == null ? "all" : string.Join(" ", changed));
                    told.Add(Sorted(found));
                    told.Add(Sorted(all));
                }
                earlier = bodies;
            }
            return told.ToArray();
        }

        private static string Sorted(Findings found) => string.Join("\n", found.Rows().OrderBy(each => each));
    }
}
