// What names and values come to whatever libraries there are besides: own types, keywords, and what is
// declared by these.
//
// Of a project without a build, scripts are bound together with nothing but .NET. What a name is bound to
// then is what it means with all libraries too, unless one of these has something that is nearer. Nearer
// is what a class inherits, what the same namespace or one around has, and what a part has that
// is generated. So what is told here has been looked for there; and if a library should make it ambiguous
// instead, then that is an error as well.
using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace RoslynServer
{
    /// <summary>Of one assembly. Not for two threads at a time.</summary>
    internal sealed class Settled
    {
        // No project has these to itself.
        private static readonly ImmutableHashSet<string> SharedRoots = ImmutableHashSet.Create(
            "System", "Microsoft", "Mono", "Unity", "UnityEngine", "UnityEditor", "UnityEngineInternal",
            "UnityEditorInternal", "TMPro", "NUnit", "JetBrains", "AOT", "Cinemachine", "Newtonsoft");

        // Of their extension methods none is of every type; so it was in every version since Unity 2021.
        private static readonly ImmutableHashSet<string> WithoutExtensions = ImmutableHashSet.Create(
            "UnityEngine", "UnityEditor", "UnityEngine.SceneManagement", "UnityEngine.Events", "UnityEngine.UI",
            "UnityEngine.EventSystems", "UnityEngine.Serialization");

        // Nobody adds to these.
        private static readonly ImmutableHashSet<string> OfNet = ImmutableHashSet.Create(
            "System", "System.Collections", "System.Collections.Concurrent", "System.Collections.Generic",
            "System.Collections.ObjectModel", "System.Diagnostics", "System.Globalization", "System.IO", "System.Linq",
            "System.Reflection", "System.Runtime.CompilerServices", "System.Text", "System.Text.RegularExpressions",
            "System.Threading", "System.Threading.Tasks");

        private readonly Func<SyntaxTree, SemanticModel> _model;
        private readonly HashSet<string> _inactive;
        private readonly UnknownLibraries _unknown;
        private readonly CancellationToken _token;
        private readonly HashSet<ISymbol> _asked = new HashSet<ISymbol>(SymbolEqualityComparer.Default);

        /// <summary>
        /// Names that code may declare which symbols leave out are <c>inactive</c>; which libraries are used
        /// that nothing is known of, <c>unknown</c> tells.
        /// </summary>
        public Settled(
            Func<SyntaxTree, SemanticModel> model, HashSet<string> inactive, UnknownLibraries unknown,
            CancellationToken token)
        {
            _model = model;
            _inactive = inactive;
            _unknown = unknown;
            _token = token;
            Inherited = new InheritedNames(unknown, token);
        }

        /// <summary>What types may have from elsewhere.</summary>
        public InheritedNames Inherited { get; }

        /// <summary>Whether a look for a name in a type finds what is known, or nothing.</summary>
        public bool Knows(INamedTypeSymbol type, string name) =>
            !_inactive.Contains(name) && !Inherited.May(type, name);

        /// <summary>Whether none of the types around a place, in each of which a name is looked for, may have it.</summary>
        public bool KnowsAround(SyntaxNode place, string name) => !_inactive.Contains(name)
            && TypesAround(place).All(each => each != null && !Inherited.May(each, name))
            && !Usings.Around(place).Any(each => each.StaticKeyword.RawKind != 0 && !IsOfProject(each.Name));

        /// <summary>Whether an extension method for a type may come from a library.</summary>
        public bool MayExtend(INamedTypeSymbol type, SyntaxNode place) => !_unknown.AreOnlyUnitys
            || !_unknown.IsUnityOfKnownVersion || !Inherited.IsWhole(type)
            || NamespacesAround(place).Any(IsShared)
            || Usings.Around(place).Any(each => each.Alias == null && each.StaticKeyword.RawKind == 0
                && !WithoutExtensions.Contains(each.Name.ToString()) && !IsKnownNamespace(each.Name));

        /// <summary>The type that a name of it stands for in any case; else <c>null</c>.</summary>
        public ITypeSymbol Type(TypeSyntax type)
        {
            var model = _model(type.SyntaxTree);
            switch (type)
            {
                case PredefinedTypeSyntax _:
                    return model.GetTypeInfo(type, _token).Type;
                case NullableTypeSyntax nullable:
                    return Type(nullable.ElementType) == null ? null : model.GetTypeInfo(type, _token).Type;
                case ArrayTypeSyntax array:
                    return Type(array.ElementType) == null ? null : model.GetTypeInfo(type, _token).Type;
                case QualifiedNameSyntax { Left: var outer, Right: IdentifierNameSyntax inner }:
                    return Type(outer) is INamedTypeSymbol around && Knows(around, inner.Identifier.ValueText)
                        && model.GetSymbolInfo(type, _token).Symbol is INamedTypeSymbol nested
                        && InheritedNames.IsOfProject(nested) ? nested : null;
                case IdentifierNameSyntax { IsVar: false } name:
                    return model.GetSymbolInfo(name, _token).Symbol is ITypeParameterSymbol parameter ? parameter
                        : TypeNamed(name) is { IsGenericType: false } named ? named : (ITypeSymbol)null;
                case GenericNameSyntax { IsUnboundGenericName: false } name:
                    return name.TypeArgumentList.Arguments.All(each => Type(each) != null) ? TypeNamed(name) : null;
                default:
                    return null;
            }
        }

        /// <summary>The type of the project that a single name stands for in any case; else <c>null</c>.</summary>
        public INamedTypeSymbol TypeNamed(SimpleNameSyntax name)
        {
            var model = _model(name.SyntaxTree);
            if (!(model.GetSymbolInfo(name, _token).Symbol is INamedTypeSymbol type)) return null;
            var text = name.Identifier.ValueText;
            if (!InheritedNames.IsOfProject(type) || type.Name != text || _inactive.Contains(text)) return null;
            foreach (var around in TypesAround(name))
            {
                if (around == null) return null;
                if (type.ContainingType != null && IsOrComesFrom(around, type.ContainingType)) return type;
                if (Inherited.May(around, text)) return null;
            }
            return type.ContainingType == null && IsNearest(type.ContainingNamespace, name) ? type : null;
        }

        /// <summary>
        /// Whether a name is that of a member of a type around, or of a local, in any case. Of methods
        /// others may be meant besides, unless <see cref="Knows"/> tells otherwise.
        /// </summary>
        public bool IsOwn(SimpleNameSyntax name, ISymbol symbol)
        {
            if (_inactive.Contains(name.Identifier.ValueText)) return false;
            if (symbol is ILocalSymbol || symbol is IParameterSymbol) return true;
            if (symbol is IMethodSymbol { MethodKind: MethodKind.LocalFunction }) return true;
            if (symbol.ContainingType == null || !InheritedNames.IsOfProject(symbol)) return false;
            foreach (var around in TypesAround(name))
            {
                if (around == null) return false;
                if (IsOrComesFrom(around, symbol.ContainingType)) return IsFoundIn(around, symbol);
                if (Inherited.May(around, symbol.Name)) return false;
            }
            return false;
        }

        // Nothing that is generated may lie between.
        private bool IsFoundIn(INamedTypeSymbol type, ISymbol member) =>
            SymbolEqualityComparer.Default.Equals(type.OriginalDefinition, member.ContainingType.OriginalDefinition)
            || !Inherited.May(type, member.Name);

        /// <summary>The type of a value if that is settled; else <c>null</c>.</summary>
        public ITypeSymbol Value(ExpressionSyntax value)
        {
            var model = _model(value.SyntaxTree);
            switch (value)
            {
                case ParenthesizedExpressionSyntax inner:
                    return Value(inner.Expression);
                case LiteralExpressionSyntax _ when value.IsKind(SyntaxKind.DefaultLiteralExpression)
                    || value.IsKind(SyntaxKind.NullLiteralExpression):
                    return null;
                case LiteralExpressionSyntax _:
                    return model.GetTypeInfo(value, _token).Type;
                case ThisExpressionSyntax _:
                    return model.GetTypeInfo(value, _token).Type;
                case CastExpressionSyntax cast:
                    return Type(cast.Type);
                case ObjectCreationExpressionSyntax made:
                    return Type(made.Type);
                case PrefixUnaryExpressionSyntax unary when IsOfKeyword(Value(unary.Operand)):
                case BinaryExpressionSyntax binary when !(binary.IsKind(SyntaxKind.AsExpression)
                    || binary.IsKind(SyntaxKind.IsExpression) || binary.IsKind(SyntaxKind.CoalesceExpression))
                    && IsOfKeyword(Value(binary.Left)) && IsOfKeyword(Value(binary.Right)):
                    return model.GetTypeInfo(value, _token).Type is { TypeKind: not TypeKind.Error } type ? type : null;
                case IdentifierNameSyntax name:
                    return model.GetSymbolInfo(name, _token).Symbol is { } symbol && IsOwn(name, symbol)
                        ? Declared(symbol) : null;
                case MemberAccessExpressionSyntax { Name: IdentifierNameSyntax name } member
                    when member.IsKind(SyntaxKind.SimpleMemberAccessExpression):
                    return Receiver(member.Expression) is INamedTypeSymbol receiver
                        && model.GetSymbolInfo(member, _token).Symbol is { } found && !(found is IMethodSymbol)
                        && InheritedNames.IsOfProject(found) && !_inactive.Contains(name.Identifier.ValueText)
                        && IsOrComesFrom(receiver, found.ContainingType) && IsFoundIn(receiver, found)
                        ? Declared(found) : null;
                case InvocationExpressionSyntax call:
                    return OnlyMethod(call) is { } method ? Declared(method) : null;
                default:
                    return null;
            }
        }

        /// <summary>What a member is looked for in: a value's type, or a type that is named.</summary>
        public ITypeSymbol Receiver(ExpressionSyntax receiver)
        {
            var symbol = _model(receiver.SyntaxTree).GetSymbolInfo(receiver, _token).Symbol;
            if (symbol is INamedTypeSymbol)
                return receiver is SimpleNameSyntax name ? Type(name) : null;
            return Value(receiver);
        }

        /// <summary>Which method is called if there is but one that can be; else <c>null</c>.</summary>
        public IMethodSymbol OnlyMethod(InvocationExpressionSyntax call) =>
            Methods(call) is { Length: 1 } methods && !methods[0].IsGenericMethod ? methods[0] : null;

        /// <summary>All methods of which one is called, if it is settled which these are; else <c>null</c>.</summary>
        public IMethodSymbol[] Methods(InvocationExpressionSyntax call)
        {
            var name = call.Expression switch
            {
                SimpleNameSyntax simple => simple,
                MemberAccessExpressionSyntax { Name: var member } => member,
                _ => null,
            };
            if (name == null) return null;
            var group = _model(call.SyntaxTree).GetMemberGroup(call.Expression, _token)
                .OfType<IMethodSymbol>().ToArray();
            if (group.Length == 0 || group.Any(each => !InheritedNames.IsOfProject(each) || each.ReducedFrom != null))
                return null;
            var text = name.Identifier.ValueText;
            if (call.Expression is MemberAccessExpressionSyntax access)
            {
                if (!(Receiver(access.Expression) is INamedTypeSymbol receiver) || !Knows(receiver, text)) return null;
                var isOfType = _model(call.SyntaxTree).GetSymbolInfo(access.Expression, _token).Symbol is INamedTypeSymbol;
                return isOfType || !MayExtend(receiver, call) ? group : null;
            }
            if (!group.All(each => IsOwn(name, each))) return null;
            if (group.All(each => each.MethodKind == MethodKind.LocalFunction)) return group;
            var around = TypesAround(name).FirstOrDefault(each =>
                each == null || IsOrComesFrom(each, group[0].ContainingType));
            return around != null && Knows(around, text) ? group : null;
        }

        /// <summary>What is declared as the type of a local or a member, of a method as what it returns.</summary>
        public ITypeSymbol Declared(ISymbol symbol)
        {
            if (symbol is IMethodSymbol { IsGenericMethod: true }) return null;
            if (symbol is IFieldSymbol { ContainingType: { TypeKind: TypeKind.Enum } listing }) return listing;
            return Written(symbol) is { } type ? symbol switch
            {
                // With what type parameters stand for.
                IFieldSymbol field => field.Type,
                IPropertySymbol property => property.Type,
                IMethodSymbol method => method.ReturnType,
                _ => type,
            } : null;
        }

        private ITypeSymbol Written(ISymbol symbol)
        {
            switch (symbol.DeclaringSyntaxReferences.FirstOrDefault()?.GetSyntax(_token))
            {
                case VariableDeclaratorSyntax { Parent: VariableDeclarationSyntax of } declarator:
                    return of.Type.IsVar ? Inferred(symbol, declarator.Initializer?.Value) : Type(of.Type);
                case PropertyDeclarationSyntax property: return Type(property.Type);
                case ParameterSyntax { Type: { } type }: return Type(type);
                case MethodDeclarationSyntax method: return Type(method.ReturnType);
                case LocalFunctionStatementSyntax function: return Type(function.ReturnType);
                case ForEachStatementSyntax { Type: { IsVar: false } type }: return Type(type);
                case SingleVariableDesignationSyntax { Parent: DeclarationExpressionSyntax of }: return Type(of.Type);
                case SingleVariableDesignationSyntax { Parent: DeclarationPatternSyntax of }: return Type(of.Type);
                default: return null;
            }
        }

        /// <summary>Whether of a type all conversions and operators are known.</summary>
        public bool IsClosed(ITypeSymbol type)
        {
            if (type is IArrayTypeSymbol array) return IsClosed(array.ElementType);
            if (IsOfKeyword(type)) return true;
            return type is INamedTypeSymbol { IsGenericType: false } named && InheritedNames.IsOfProject(named)
                && named.TypeKind != TypeKind.Interface && named.TypeKind != TypeKind.Delegate
                && Inherited.IsWhole(named) && !BaseTypes(named).Any(HasInactiveCode);
        }

        /// <summary>Whether symbols leave out code within a type.</summary>
        public bool HasInactiveCode(ISymbol symbol) => symbol.DeclaringSyntaxReferences
            .Any(each => HasInactive(each.GetSyntax(_token)));

        public static bool HasInactive(SyntaxNode node) => node.ContainsDirectives
            && node.DescendantTrivia(each => each.ContainsDirectives)
                .Any(each => each.IsKind(SyntaxKind.DisabledTextTrivia));

        private ITypeSymbol Inferred(ISymbol local, ExpressionSyntax value)
        {
            if (value == null || !_asked.Add(local)) return null;
            var type = Value(value);
            _asked.Remove(local);
            return type;
        }

        private static bool IsOfKeyword(ITypeSymbol type) => type != null && type.SpecialType switch
        {
            SpecialType.System_Boolean => true,
            SpecialType.System_Char => true,
            SpecialType.System_String => true,
            SpecialType.System_Object => true,
            SpecialType.System_Decimal => true,
            var each => each >= SpecialType.System_SByte && each <= SpecialType.System_Double,
        };

        private static bool IsOrComesFrom(INamedTypeSymbol type, INamedTypeSymbol from) =>
            BaseTypes(type).Any(each => SymbolEqualityComparer.Default.Equals(
                each.OriginalDefinition, from.OriginalDefinition));

        private static IEnumerable<INamedTypeSymbol> BaseTypes(INamedTypeSymbol type)
        {
            for (var each = type; each != null && each.TypeKind != TypeKind.Error; each = each.BaseType)
                if (InheritedNames.IsOfProject(each)) yield return each;
        }

        private IEnumerable<INamedTypeSymbol> TypesAround(SyntaxNode place)
        {
            var model = _model(place.SyntaxTree);
            // Bases and constraints are looked up outside of what they are said of.
            foreach (var each in place.Ancestors().OfType<BaseTypeDeclarationSyntax>())
                yield return model.GetDeclaredSymbol(each, _token);
        }

        private IEnumerable<INamespaceSymbol> NamespacesAround(SyntaxNode place)
        {
            var around = place.Ancestors().FirstOrDefault(each => each is BaseTypeDeclarationSyntax
                || each is DelegateDeclarationSyntax);
            var symbol = around == null ? null : _model(place.SyntaxTree).GetDeclaredSymbol(around, _token);
            for (var each = symbol?.ContainingNamespace; each is { IsGlobalNamespace: false };
                each = each.ContainingNamespace) yield return each;
        }

        // Whether it is the innermost namespace, or no library may have a type of that name further in.
        private bool IsNearest(INamespaceSymbol of, SyntaxNode place)
        {
            var isFirst = true;
            foreach (var each in NamespacesAround(place))
            {
                if (each.ToDisplayString() == of.ToDisplayString())
                    return isFirst || _unknown.AreOnlyUnitys;
                if (IsShared(each)) return false;
                isFirst = false;
            }
            var isInner = place.Ancestors().Any(each => each is MemberDeclarationSyntax
                && !(each is BaseTypeDeclarationSyntax) && each.ChildNodes().OfType<UsingDirectiveSyntax>().Any());
            if (isInner) return false;
            return of.IsGlobalNamespace && isFirst || _unknown.AreOnlyUnitys;
        }

        private static bool IsShared(INamespaceSymbol of)
        {
            while (of.ContainingNamespace is { IsGlobalNamespace: false } around) of = around;
            return SharedRoots.Contains(of.Name);
        }

        private bool IsKnownNamespace(NameSyntax name) =>
            _model(name.SyntaxTree).GetSymbolInfo(name, _token).Symbol is INamespaceSymbol found
            && (!IsShared(found) || OfNet.Contains(found.ToDisplayString()));

        private bool IsOfProject(NameSyntax name) =>
            _model(name.SyntaxTree).GetSymbolInfo(name, _token).Symbol is { } symbol
            && InheritedNames.IsOfProject(symbol);
    }
}
