// Find the places of a text that spell a name, and the symbols that they stand for.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;

namespace RoslynServer
{
    /// <summary>What kind of text a name stands in.</summary>
    internal enum MentionKind
    {
        Identifier,
        Text,
        Inactive,
        Documentation,
    }

    /// <summary>A place that spells a name. <c>Span</c> is the identifier, or the name elsewhere.</summary>
    internal readonly struct Mention
    {
        public Mention(MentionKind kind, SyntaxToken token, TextSpan span) => (Kind, Token, Span) = (kind, token, span);

        public MentionKind Kind { get; }

        public SyntaxToken Token { get; }

        public TextSpan Span { get; }
    }

    internal static class Mentions
    {
        /// <summary>
        /// Returns the places that spell a name; none in comments, except for documentation that the
        /// tree was parsed without.
        /// </summary>
        public static IEnumerable<Mention> Of(string name, SyntaxTree tree, CancellationToken token)
        {
            var root = tree.GetRoot(token);
            var text = tree.GetText(token).ToString();
            if (text.Contains("\\u", StringComparison.Ordinal) || text.Contains("\\U", StringComparison.Ordinal))
            {
                foreach (var each in root.DescendantTokens(descendIntoTrivia: true))
                    if (each.IsKind(SyntaxKind.IdentifierToken) && each.ValueText == name && each.Text != name)
                        yield return new Mention(MentionKind.Identifier, each, each.Span);
            }
            for (var at = text.IndexOf(name, StringComparison.Ordinal); at >= 0;
                at = text.IndexOf(name, at + name.Length, StringComparison.Ordinal))
            {
                token.ThrowIfCancellationRequested();
                if (at > 0 && SyntaxFacts.IsIdentifierPartCharacter(text[at - 1])
                    || at + name.Length < text.Length && SyntaxFacts.IsIdentifierPartCharacter(text[at + name.Length]))
                    continue;
                var span = new TextSpan(at, name.Length);
                var found = root.FindToken(at, findInsideTrivia: true);
                if (found.Span.Contains(span))
                {
                    if (found.IsKind(SyntaxKind.IdentifierToken) && found.ValueText == name)
                    {
                        // Names of XML elements, and symbols in directives, are identifiers, too.
                        if (!(found.Parent is XmlNameSyntax) && !(found.Parent is XmlPrefixSyntax)
                            && found.Parent?.FirstAncestorOrSelf<DirectiveTriviaSyntax>() == null)
                            yield return new Mention(MentionKind.Identifier, found, found.Span);
                    }
                    else if (found.Value is string && found.Parent is LiteralExpressionSyntax
                        || found.IsKind(SyntaxKind.InterpolatedStringTextToken))
                        yield return new Mention(MentionKind.Text, found, span);
                    continue;
                }
                var trivia = root.FindTrivia(at);
                if (trivia.IsKind(SyntaxKind.DisabledTextTrivia))
                    yield return new Mention(MentionKind.Inactive, found, span);
                else if ((trivia.IsKind(SyntaxKind.SingleLineCommentTrivia) || trivia.IsKind(SyntaxKind.MultiLineCommentTrivia))
                    && (Begins(text, trivia, "///") || Begins(text, trivia, "/**")))
                    yield return new Mention(MentionKind.Documentation, found, span);
            }
        }

        private static bool Begins(string text, SyntaxTrivia trivia, string with) =>
            string.CompareOrdinal(text, trivia.SpanStart, with, 0, with.Length) == 0;
    }

    /// <summary>What an identifier stands for.</summary>
    internal readonly struct Binding
    {
        private Binding(IReadOnlyList<ISymbol> symbols, bool isDeclaration, CandidateReason reason) =>
            (Symbols, IsDeclaration, Reason) = (symbols, isDeclaration, reason);

        /// <summary>Its symbols; several if it names a type and its constructor, or is ambiguous.</summary>
        public IReadOnlyList<ISymbol> Symbols { get; }

        public bool IsDeclaration { get; }

        /// <summary>Why there is no certain symbol.</summary>
        public CandidateReason Reason { get; }

        public static Binding Of(SyntaxToken token, SemanticModel model, CancellationToken cancellation)
        {
            var parent = token.Parent;
            if (!(parent is SimpleNameSyntax name))
            {
                var declared = model.GetDeclaredSymbol(parent, cancellation);
                if (declared is IMethodSymbol { MethodKind: MethodKind.Constructor or MethodKind.StaticConstructor
                    or MethodKind.Destructor } own) return Declares(own, own.ContainingType);
                return Declares(declared);
            }
            switch (name.Parent)
            {
                case NameEqualsSyntax { Parent: UsingDirectiveSyntax directive }:
                    return Declares(model.GetDeclaredSymbol(directive, cancellation));
                case NameEqualsSyntax { Parent: AnonymousObjectMemberDeclaratorSyntax member }:
                    return Declares(model.GetDeclaredSymbol(member, cancellation));
                case NameColonSyntax { Parent: ArgumentSyntax { Parent: TupleExpressionSyntax _ } element }:
                    return Declares(model.GetDeclaredSymbol(element, cancellation));
            }
            if (DeclaredNamespace(name, model, cancellation) is { } space) return Declares(space);
            return Uses(name, model, cancellation);
        }

        private static Binding Declares(params ISymbol[] symbols) =>
            new Binding(symbols.Where(each => each != null).ToArray(), true, CandidateReason.None);

        private static Binding Uses(SimpleNameSyntax name, SemanticModel model, CancellationToken cancellation)
        {
            var found = new List<ISymbol>();
            var info = model.GetSymbolInfo(name, cancellation);
            if (info.Symbol != null) found.Add(info.Symbol);
            else found.AddRange(info.CandidateSymbols);
            if (name is IdentifierNameSyntax identifier && model.GetAliasInfo(identifier, cancellation) is { } alias)
                found.Add(alias);
            var whole = Whole(name);
            if (whole.Parent is ObjectCreationExpressionSyntax creation && creation.Type == whole)
            {
                var made = model.GetSymbolInfo(creation, cancellation);
                if (made.Symbol != null) found.Add(made.Symbol);
                else found.AddRange(made.CandidateSymbols);
            }
            if (whole.Parent is AttributeSyntax)
                found.AddRange(found.OfType<IMethodSymbol>().Select(each => each.ContainingType).ToList());
            if (Inferred(name, model, cancellation) is { } inferred) found.Add(inferred);
            return new Binding(found, false, info.Symbol == null ? info.CandidateReason : CandidateReason.None);
        }

        private static ISymbol DeclaredNamespace(
            SimpleNameSyntax name, SemanticModel model, CancellationToken cancellation)
        {
            var above = 0;
            SyntaxNode at = name;
            while (at.Parent is QualifiedNameSyntax qualified)
            {
                if (qualified.Left == at) above++;
                at = qualified;
            }
            if (!(at.Parent is MemberDeclarationSyntax around) || around.RawKind == (int)SyntaxKind.GlobalStatement
                || !(model.GetDeclaredSymbol(around, cancellation) is INamespaceSymbol declared)) return null;
            for (; above > 0; above--) declared = declared.ContainingNamespace;
            return declared;
        }

        /// <summary>Returns the node that names a type, of which this is the last part.</summary>
        public static SyntaxNode Whole(SimpleNameSyntax name) =>
            name.Parent is QualifiedNameSyntax qualified && qualified.Right == name
            || name.Parent is AliasQualifiedNameSyntax aliased && aliased.Name == name ? name.Parent : name;

        // The member of an anonymous type, or the element of a tuple, that is named like the expression.
        private static ISymbol Inferred(SimpleNameSyntax name, SemanticModel model, CancellationToken cancellation)
        {
            SyntaxNode at = name;
            if (at.Parent is MemberAccessExpressionSyntax access && access.Name == at) at = access;
            return at.Parent switch
            {
                AnonymousObjectMemberDeclaratorSyntax { NameEquals: null } member =>
                    model.GetDeclaredSymbol(member, cancellation),
                ArgumentSyntax { NameColon: null, Parent: TupleExpressionSyntax _ } element =>
                    model.GetDeclaredSymbol(element, cancellation) is { } symbol && symbol.Name == name.Identifier.ValueText
                        ? symbol : null,
                _ => null,
            };
        }
    }
}
