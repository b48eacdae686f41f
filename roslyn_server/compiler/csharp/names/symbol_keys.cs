// Identify a symbol by a text that is the same in each compilation that sees it.
using System.Linq;
using Microsoft.CodeAnalysis;

namespace RoslynServer
{
    /// <summary>
    /// A symbol in its own sources and the same symbol in the image that other assemblies refer to
    /// are different objects. Their keys are equal.
    /// </summary>
    internal static class SymbolKeys
    {
        /// <summary>Returns the key; <c>null</c> if the symbol has no name to refer to it by.</summary>
        public static string Of(ISymbol symbol)
        {
            switch (symbol = Plain(symbol))
            {
                case null: return null;
                case INamespaceSymbol space:
                    return space.IsGlobalNamespace ? null : "N:" + space.ToDisplayString();
                case IParameterSymbol parameter:
                    return IsLocal(parameter.ContainingSymbol) ? Place(parameter)
                        : $"{Of(parameter.ContainingSymbol)}({parameter.Ordinal}";
                case ITypeParameterSymbol parameter:
                    return IsLocal(parameter.ContainingSymbol) ? Place(parameter)
                        : $"{Of(parameter.ContainingSymbol)}<{parameter.Ordinal}";
                case INamedTypeSymbol type:
                    return type.IsAnonymousType ? "A:" + type.ToDisplayString() : Declared(type);
                case IFieldSymbol field when field.ContainingType?.IsTupleType == true:
                    return $"U:{field.ContainingType.ToDisplayString()}.{field.Name}";
                case IPropertySymbol property when property.ContainingType.IsAnonymousType:
                    return $"A:{property.ContainingType.ToDisplayString()}.{property.Name}";
                case IMethodSymbol method when IsLocal(method): return Place(method);
                case IMethodSymbol _:
                case IPropertySymbol _:
                case IFieldSymbol _:
                case IEventSymbol _:
                    return Declared(symbol);
                default: return Place(symbol);
            }
        }

        /// <summary>
        /// Returns the declared symbol behind one: of an accessor its property or event, of a
        /// generic's use or an extension's call the definition.
        /// </summary>
        public static ISymbol Plain(ISymbol symbol)
        {
            if (symbol is IMethodSymbol { ReducedFrom: { } extension }) symbol = extension;
            if (symbol is IMethodSymbol { AssociatedSymbol: { } owner } && !(owner is INamedTypeSymbol)) symbol = owner;
            if (symbol is IFieldSymbol { AssociatedSymbol: { } owned }) symbol = owned;
            if (symbol is IParameterSymbol { ContainingSymbol: IMethodSymbol { AssociatedSymbol: IPropertySymbol of } } index
                && index.Ordinal < of.Parameters.Length) symbol = of.Parameters[index.Ordinal];
            if (symbol is IParameterSymbol { ContainingSymbol: IMethodSymbol { ReducedFrom: { } whole } } first)
                symbol = whole.Parameters[first.Ordinal + 1];
            if (symbol is IFieldSymbol { ContainingType: { IsTupleType: true } } element)
                return element.IsExplicitlyNamedTupleElement ? element
                    : element.CorrespondingTupleField ?? element;
            if (symbol is INamedTypeSymbol { TypeKind: TypeKind.Error }) return null;
            return symbol?.OriginalDefinition;
        }

        /// <summary>Returns whether only one text can name the symbol.</summary>
        public static bool IsLocal(ISymbol symbol) =>
            symbol is IMethodSymbol { MethodKind: MethodKind.LocalFunction or MethodKind.AnonymousFunction };

        private static string Declared(ISymbol symbol) =>
            symbol.GetDocumentationCommentId() is { } id ? $"{id}@{symbol.ContainingAssembly?.Name}{OwnFile(symbol)}" : null;

        // Each file may have a type of one name that no other file sees.
        private static string OwnFile(ISymbol symbol)
        {
            var type = symbol as INamedTypeSymbol ?? symbol.ContainingType;
            while (type?.ContainingType != null) type = type.ContainingType;
            return type != null && type.MetadataName.StartsWith('<') ? type.MetadataName : "";
        }

        private static string Place(ISymbol symbol) =>
            symbol.Locations.FirstOrDefault(each => each.IsInSource) is { } at
                ? $"L:{at.SourceTree.FilePath}:{at.SourceSpan.Start}" : null;
    }
}
