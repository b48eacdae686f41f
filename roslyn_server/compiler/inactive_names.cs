// What code declares, perhaps, that the symbols leave out: it isn't known whether they are the build's.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace RoslynServer
{
    internal static class InactiveNames
    {
        /// <summary>
        /// The names that texts declare, perhaps, where they aren't compiled: by what stands before
        /// them, and rather too many.
        /// </summary>
        public static HashSet<string> In(IEnumerable<SyntaxTree> trees, CancellationToken token)
        {
            var found = new HashSet<string>(StringComparer.Ordinal);
            foreach (var tree in trees)
            {
                var before = SyntaxKind.OpenBraceToken;
                foreach (var each in SyntaxFactory.ParseTokens(InactiveCode.Of(tree, token)))
                {
                    if (each.IsKind(SyntaxKind.IdentifierToken) && MayBeDeclaredAfter(before))
                        found.Add(each.ValueText);
                    before = each.Kind();
                }
            }
            return found;
        }

        private static bool MayBeDeclaredAfter(SyntaxKind before) => before switch
        {
            SyntaxKind.IdentifierToken => true,
            SyntaxKind.GreaterThanToken => true,
            SyntaxKind.CloseBracketToken => true,
            SyntaxKind.CloseParenToken => true,
            SyntaxKind.QuestionToken => true,
            SyntaxKind.AsteriskToken => true,
            SyntaxKind.CommaToken => true,
            SyntaxKind.OpenBraceToken => true,
            SyntaxKind.ClassKeyword => true,
            SyntaxKind.StructKeyword => true,
            SyntaxKind.InterfaceKeyword => true,
            SyntaxKind.EnumKeyword => true,
            // What stands before a constructor.
            SyntaxKind.PublicKeyword => true,
            SyntaxKind.InternalKeyword => true,
            SyntaxKind.ProtectedKeyword => true,
            SyntaxKind.PrivateKeyword => true,
            SyntaxKind.StaticKeyword => true,
            _ => SyntaxFacts.IsPredefinedType(before),
        };
    }
}
