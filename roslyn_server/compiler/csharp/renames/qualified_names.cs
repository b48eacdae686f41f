// Keep the meaning of a simple name that a rename would hide: by this, or by its type.
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;

namespace RoslynServer
{
    internal static class QualifiedNames
    {
        /// <summary>
        /// Returns the edit that puts <c>this.</c> or the type in front of a name; <c>null</c> if
        /// that can't keep its meaning.
        /// </summary>
        public static TextEdit Of(BoundName place, CancellationToken token)
        {
            if (place.Binding.IsDeclaration || !(place.Token.Parent is SimpleNameSyntax name)) return null;
            if (!IsAlone(name) || !(place.Binding.Symbols.FirstOrDefault() is { } symbol)) return null;
            if (!(symbol is IFieldSymbol || symbol is IPropertySymbol || symbol is IMethodSymbol || symbol is IEventSymbol)
                || SymbolKeys.IsLocal(symbol)) return null;
            var model = place.Reading.Model;
            var around = model.GetEnclosingSymbol(name.SpanStart, token);
            if (around == null) return null;
            if (symbol.IsStatic)
            {
                var type = symbol.ContainingType.ToMinimalDisplayString(model, name.SpanStart);
                return new TextEdit(place.Reading.Tree, new TextSpan(name.SpanStart, 0), type + ".", "qualification");
            }
            for (var type = around.ContainingType; type != null; type = type.BaseType)
                if (SymbolEqualityComparer.Default.Equals(type.OriginalDefinition, symbol.ContainingType.OriginalDefinition))
                    return new TextEdit(place.Reading.Tree, new TextSpan(name.SpanStart, 0), "this.", "qualification");
            return null;
        }

        private static bool IsAlone(SimpleNameSyntax name) => name.Parent switch
        {
            MemberAccessExpressionSyntax access => access.Expression == name,
            MemberBindingExpressionSyntax _ => false,
            QualifiedNameSyntax _ => false,
            AliasQualifiedNameSyntax _ => false,
            NameColonSyntax _ => false,
            NameEqualsSyntax _ => false,
            AssignmentExpressionSyntax set => !(set.Left == name && set.Parent is InitializerExpressionSyntax
                && !set.Parent.IsKind(SyntaxKind.CollectionInitializerExpression)),
            _ => name is IdentifierNameSyntax || name.Parent is ExpressionSyntax,
        };
    }
}
