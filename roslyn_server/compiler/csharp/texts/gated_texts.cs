// Texts that went through the language gate, so that one that differs in a body or two needn't go
// through it as a whole.
using System.Collections.Generic;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Text;

namespace RoslynServer
{
    /// <summary>What the gate found in one text.</summary>
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

        /// <summary>Note an error, of a declaration or of a body.</summary>
        public void Add(Diagnostic each, bool isOfDeclaration) =>
            _errors.Add((each.Id, each.Location.SourceSpan, Messages.OneLine(each), isOfDeclaration));

        public void Add(string id, TextSpan span, string message) => _errors.Add((id, span, message, false));

        /// <summary>Tell all of it.</summary>
        public void TellTo(IFindings found)
        {
            foreach (var each in _errors) found.Add(each.Id, each.Span, each.Message);
        }

        /// <summary>
        /// The same of a text that has other bodies, but for what was found in members that changed;
        /// <c>null</c> where places don't tell where they are now.
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

        /// <summary>Whether it was parsed as these options have it.</summary>
        public bool IsUnder(ParseOptions options) => _options.Equals(options);
    }

    /// <summary>The gate, which knows the texts that went through it lately. For whatever threads.</summary>
    internal sealed class GatedTexts
    {
        private readonly LatestTexts<GatedText> _latest = new LatestTexts<GatedText>();

        /// <summary>What the gate finds in a tree that parses.</summary>
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
