// The edits that give a symbol another name.
using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;

namespace RoslynServer
{
    internal static class RenameEdits
    {
        private const string Attribute = "Attribute";

        /// <summary>Returns the name as it must be written in a text.</summary>
        public static string Escaped(string name) =>
            SyntaxFacts.GetKeywordKind(name) == SyntaxKind.None ? name : "@" + name;

        /// <summary>Returns the name without <c>Attribute</c>, as it may be written in brackets.</summary>
        public static string Short(string name) =>
            name.Length > Attribute.Length && name.EndsWith(Attribute, StringComparison.Ordinal)
                ? name.Substring(0, name.Length - Attribute.Length) : name;

        /// <summary>Returns the edits of each reference that spells the name.</summary>
        public static IEnumerable<TextEdit> Of(ReferenceSearch search, string newName)
        {
            var name = SymbolFamily.NameOf(search.Symbol);
            foreach (var each in search.Found.Where(each => each.Name != null && IsNamed(each, search)))
            {
                var token = each.Name.Token;
                var isShort = token.ValueText != name;
                var written = Escaped(isShort ? Short(newName) : newName);
                if (KeepsName(each, search)) continue;
                yield return new TextEdit(each.Tree, each.Span, written, each.Kind);
            }
        }

        /// <summary>
        /// Returns the edits that keep the names which members of anonymous types, or elements of tuples,
        /// take from renamed expressions.
        /// </summary>
        public static IEnumerable<TextEdit> Kept(ReferenceSearch search, bool ofTuples) =>
            from each in search.Found
            where each.Name != null && IsNamed(each, search) && Inferring(each.Name.Token)?.Sign == (ofTuples ? ": " : " = ")
            select new TextEdit(each.Tree, new TextSpan(Inferring(each.Name.Token).Value.Node.SpanStart, 0),
                each.Name.Token.Text + Inferring(each.Name.Token).Value.Sign, "other");

        /// <summary>
        /// Returns whether a <c>nameof</c> stays: an overload that keeps the name is meant, too.
        /// </summary>
        public static bool KeepsName(Reference each, ReferenceSearch search) =>
            each.Kind == "nameof" && each.Name?.Keys.All(search.Family.Keys.Contains) == false && IsNamed(each, search);

        // An alias of the same name stays.
        private static bool IsNamed(Reference each, ReferenceSearch search) => search.Symbol is IAliasSymbol
            || !each.Name.Binding.Symbols.OfType<IAliasSymbol>().Any();

        // A member of an anonymous type, or an element of a tuple, that takes its name from the
        // expression: it keeps the name.
        private static (SyntaxNode Node, string Sign)? Inferring(SyntaxToken token)
        {
            var at = token.Parent;
            if (at?.Parent is MemberAccessExpressionSyntax access && access.Name == at) at = access;
            return at?.Parent switch
            {
                AnonymousObjectMemberDeclaratorSyntax { NameEquals: null } => (at, " = "),
                ArgumentSyntax { NameColon: null, Parent: TupleExpressionSyntax tuple }
                    when !(tuple.Parent is AssignmentExpressionSyntax set && set.Left == tuple) => (at, ": "),
                _ => null,
            };
        }
    }
}
