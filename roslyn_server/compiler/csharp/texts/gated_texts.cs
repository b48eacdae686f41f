// Cache of texts that passed the language gate: a text that differs from one in a body or two isn't
// checked as a whole.
using System.Collections.Generic;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Text;

namespace RoslynServer
{
    /// <summary>The gate's findings in one text.</summary>
    internal sealed class GatedText : IFindings, IOfBodies
    {
        private readonly ParseOptions _options;
        private readonly List<(string Id, TextSpan Span, string Message, bool IsOfDeclaration)> _errors =
            new List<(string, TextSpan, string, bool)>();

        public GatedText(ParseOptions options, Bodies bodies)
        {
            _options = options;
            Bodies = bodies;
        }

        public Bodies Bodies { get; }

        public void Add(Diagnostic each) => Add(each, false);

        /// <summary>Adds an error, of a declaration or of a body.</summary>
        public void Add(Diagnostic each, bool isOfDeclaration) =>
            _errors.Add((each.Id, each.Location.SourceSpan, Messages.OneLine(each), isOfDeclaration));

        public void Add(string id, TextSpan span, string message) => _errors.Add((id, span, message, false));

        /// <summary>Passes all findings on.</summary>
        public void TellTo(IFindings found)
        {
            foreach (var each in _errors) found.Add(each.Id, each.Span, each.Message);
        }

        /// <summary>
        /// Returns the findings for a text with other bodies, without those in changed members;
        /// <c>null</c> if their new places are unknown.
        /// </summary>
        public GatedText MovedTo(Bodies bodies, List<int> changed)
        {
            var moved = new GatedText(_options, bodies);
            foreach (var each in _errors)
            {
                if (!each.IsOfDeclaration && changed.Contains(Bodies.MemberAt(each.Span))) continue;
                if (!(bodies.Moved(Bodies, each.Span, changed) is { } place)) return null;
                moved._errors.Add((each.Id, place, each.Message, each.IsOfDeclaration));
            }
            return moved;
        }

        /// <summary>Whether it was parsed with these options.</summary>
        public bool IsUnder(ParseOptions options) => _options.Equals(options);
    }

    /// <summary>The gate, which caches recent texts. Thread-safe.</summary>
    internal sealed class GatedTexts
    {
        private readonly LatestTexts<GatedText> _latest = new LatestTexts<GatedText>();

        /// <summary>Returns the gate's findings in a tree without syntax errors.</summary>
        public GatedText Of(SyntaxTree tree, CancellationToken token)
        {
            var bodies = Bodies.Of(tree, token);
            var earlier = _latest.Like(bodies, each => each.IsUnder(tree.Options), out var changed);
            var gated = (earlier == null ? null : LanguageGate.Gated(tree, bodies, earlier, changed, token))
                ?? LanguageGate.Gated(tree, bodies, token);
            _latest.Keep(gated, changed?.Count == 0 ? earlier : null);
            return gated;
        }
    }
}
