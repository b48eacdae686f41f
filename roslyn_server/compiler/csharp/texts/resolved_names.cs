// Errors that are certain if names mean what they seem to mean in a text bound alone.
//
// The name of a value may also be that of its type (`Color Color`), and another overload may be
// chosen once the types of parameters are known.
using System.Collections.Immutable;
using System.Globalization;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace RoslynServer
{
    internal static class ResolvedNames
    {
        private const string CallsItself = "CS0516";
        private const string NeedsUnsafe = "CS0214";
        private const string ChangesValue = "CS1612";

        // For these errors the name is a local's.
        private static readonly ImmutableHashSet<string> OfLocals =
            ImmutableHashSet.Create("CS0841", "CS0844", "CS1656", "CS1657", "CS8421", "CS8820");

        // Features that depend on types, not on syntax; the types may not be those of the newest
        // .NET.
        private static readonly ImmutableHashSet<string> OfTypes = ImmutableHashSet.Create(
            "interpolated string handlers", "tuple equality", "unmanaged constructed types",
            "unconstrained type parameters in null coalescing operator", "target-typed conditional expression",
            "covariant returns", "extension GetEnumerator", "extension GetAsyncEnumerator", "pattern-based disposal",
            "relaxed shift operator", "pattern matching ReadOnly/Span<char> on constant string",
            "instance member in 'nameof'", "inline arrays", "with on structs", "with on anonymous types",
            "auto default struct fields", "extensible fixed statement", "indexing movable fixed buffers");

        /// <summary>
        /// Whether an error of <c>CertainErrors.OfResolvedNames</c> is certain there.
        /// </summary>
        public static bool Hold(string id, SyntaxNode node, SemanticModel model, CancellationToken token)
        {
            if (id == CallsItself)
                return node is ConstructorInitializerSyntax && node.IsKind(SyntaxKind.ThisConstructorInitializer)
                    && node.FirstAncestorOrSelf<TypeDeclarationSyntax>() is { } type && !IsPart(type)
                    && type.Members.OfType<ConstructorDeclarationSyntax>()
                        .Count(each => !each.Modifiers.Any(SyntaxKind.StaticKeyword)) == 1;
            if (id == NeedsUnsafe) return node.DescendantNodesAndSelf().Any(IsOfPointer);
            if (id == ChangesValue)
                return model.GetTypeInfo(node, token).Type is { DeclaringSyntaxReferences: { IsEmpty: false } };
            var isOfLocal = OfLocals.Contains(id);
            if (node is ThisExpressionSyntax || node is BaseExpressionSyntax) return !isOfLocal;
            if (!(node is SimpleNameSyntax name)) return false;
            var found = model.GetSymbolInfo(name, token);
            var all = found.Symbol != null ? ImmutableArray.Create(found.Symbol) : found.CandidateSymbols;
            return all.Length > 0 && all.All(each => IsMeant(each, isOfLocal));
        }

        /// <summary>
        /// Whether a feature that the language version doesn't have is used, whatever the types
        /// are. A method group as a value may be a property; that of a lambda for `var` is inferred
        /// in any case.
        /// </summary>
        public static bool IsSyntaxFeature(Diagnostic error, SyntaxNode node)
        {
            var message = error.GetMessage(CultureInfo.InvariantCulture);
            if (OfTypes.Any(feature => message.Contains($"'{feature}'"))) return false;
            if (!message.Contains("'inferred delegate type'")) return true;
            return node.AncestorsAndSelf().OfType<AnonymousFunctionExpressionSyntax>().FirstOrDefault() is
            {
                Parent: EqualsValueClauseSyntax { Parent: VariableDeclaratorSyntax { Parent: VariableDeclarationSyntax of } }
            } && of.Type.IsVar;
        }

        private static bool IsMeant(ISymbol symbol, bool isOfLocal) => symbol switch
        {
            ILocalSymbol local => isOfLocal && local.Type.Name != local.Name,
            IParameterSymbol parameter => isOfLocal && parameter.Type.Name != parameter.Name,
            IRangeVariableSymbol _ => isOfLocal,
            IFieldSymbol field => !isOfLocal && field.Type.Name != field.Name,
            IPropertySymbol property => !isOfLocal && property.Type.Name != property.Name,
            IEventSymbol each => !isOfLocal && each.Type.Name != each.Name,
            // No method of that name is static, in a type that is completely visible.
            IMethodSymbol { MethodKind: MethodKind.Ordinary } method => !isOfLocal
                && method.ContainingType.GetMembers(method.Name).All(each => !each.IsStatic)
                && method.ContainingType.DeclaringSyntaxReferences.All(each =>
                    each.GetSyntax() is TypeDeclarationSyntax type && !IsPart(type)),
            _ => false,
        };

        // A method of .NET with a pointer may really be another type's.
        private static bool IsOfPointer(SyntaxNode node) => node is PointerTypeSyntax || node is FixedStatementSyntax
            || node.IsKind(SyntaxKind.AddressOfExpression) || node.IsKind(SyntaxKind.PointerIndirectionExpression)
            || node.IsKind(SyntaxKind.PointerMemberAccessExpression) || node is StackAllocArrayCreationExpressionSyntax;

        private static bool IsPart(TypeDeclarationSyntax type) => type.Modifiers.Any(SyntaxKind.PartialKeyword);
    }
}
