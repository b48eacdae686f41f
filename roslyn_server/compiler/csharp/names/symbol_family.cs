// Find the symbols that share one name: overrides, and what implements the same interface member.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace RoslynServer
{
    /// <summary>A symbol with all that must have the same name.</summary>
    internal sealed class SymbolFamily
    {
        private static readonly ConditionalWeakTable<CSharpCompilation, IReadOnlyList<INamedTypeSymbol>> Heirs =
            new ConditionalWeakTable<CSharpCompilation, IReadOnlyList<INamedTypeSymbol>>();

        private readonly Dictionary<string, HashSet<string>> _relatives =
            new Dictionary<string, HashSet<string>>(StringComparer.Ordinal);
        private readonly Dictionary<string, ISymbol> _known = new Dictionary<string, ISymbol>(StringComparer.Ordinal);

        private SymbolFamily() { }

        /// <summary>The keys of its symbols.</summary>
        public HashSet<string> Keys { get; } = new HashSet<string>(StringComparer.Ordinal);

        /// <summary>Its symbols, as far as they were met.</summary>
        public IEnumerable<ISymbol> Symbols => Keys.Where(_known.ContainsKey).Select(key => _known[key]);

        /// <summary>Returns the family of a symbol, from the bound places that spell its name.</summary>
        public static SymbolFamily Of(
            ISymbol symbol, IReadOnlyList<BoundName> bound, IEnumerable<CSharpCompilation> compilations,
            CancellationToken token)
        {
            var family = new SymbolFamily();
            var start = SymbolKeys.Of(symbol);
            family._known[start] = SymbolKeys.Plain(symbol);
            if (symbol is INamedTypeSymbol type)
                foreach (var own in type.OriginalDefinition.GetMembers().OfType<IMethodSymbol>().Where(IsNamedAsType))
                    family.Relate(type, own);
            else if (symbol is IMethodSymbol || symbol is IPropertySymbol || symbol is IEventSymbol
                || symbol is IParameterSymbol) family.TakeMembers(symbol, bound, compilations, token);
            family.Close(start);
            return family;
        }

        /// <summary>Returns the name as written, for <c>IDemo.Run</c> of an explicit implementation <c>Run</c>.</summary>
        public static string NameOf(ISymbol symbol)
        {
            if (symbol is IMethodSymbol method && IsNamedAsType(method)) return method.ContainingType.Name;
            return symbol.Name.Substring(symbol.Name.LastIndexOf('.') + 1);
        }

        private static bool IsNamedAsType(IMethodSymbol method) => method.MethodKind
            is MethodKind.Constructor or MethodKind.StaticConstructor or MethodKind.Destructor;

        private void TakeMembers(
            ISymbol symbol, IReadOnlyList<BoundName> bound, IEnumerable<CSharpCompilation> compilations,
            CancellationToken token)
        {
            TakeRelatives(symbol);
            // Of libraries only those members are met that something names.
            var met = new HashSet<ISymbol>(SymbolEqualityComparer.Default);
            foreach (var each in bound.SelectMany(each => each.Binding.Symbols))
                if (met.Add(SymbolKeys.Plain(each))) TakeRelatives(each);
            if (symbol is IParameterSymbol || !symbol.ContainingType.IsReferenceType
                || symbol.DeclaredAccessibility != Accessibility.Public) return;
            var name = NameOf(symbol);
            foreach (var type in compilations.SelectMany(each => HeirsIn(each, token)))
                foreach (var member in type.AllInterfaces.SelectMany(each => each.GetMembers(name)))
                    if (type.FindImplementationForInterfaceMember(member) is { } implementation)
                        Relate(implementation, member);
        }

        private void TakeRelatives(ISymbol symbol)
        {
            if (!(SymbolKeys.Plain(symbol) is { } plain)) return;
            foreach (var each in RelativesOf(plain))
            {
                Relate(symbol, each);
                // A chain may pass through libraries, in which nothing is bound.
                if (each.Locations.All(at => !at.IsInSource)) TakeRelatives(each);
            }
        }

        private static IEnumerable<ISymbol> RelativesOf(ISymbol symbol)
        {
            switch (symbol)
            {
                case IMethodSymbol method:
                    if (method.OverriddenMethod != null) yield return method.OverriddenMethod;
                    foreach (var each in method.ExplicitInterfaceImplementations) yield return each;
                    break;
                case IPropertySymbol property:
                    if (property.OverriddenProperty != null) yield return property.OverriddenProperty;
                    foreach (var each in property.ExplicitInterfaceImplementations) yield return each;
                    if (PositionalParameter(property) is { } parameter) yield return parameter;
                    break;
                case IEventSymbol @event:
                    if (@event.OverriddenEvent != null) yield return @event.OverriddenEvent;
                    foreach (var each in @event.ExplicitInterfaceImplementations) yield return each;
                    break;
                case IParameterSymbol { ContainingSymbol: IMethodSymbol { MethodKind: MethodKind.Constructor } maker } own:
                    foreach (var each in maker.ContainingType.GetMembers(own.Name).OfType<IPropertySymbol>())
                        if (PositionalParameter(each) != null) yield return each;
                    break;
            }
            if (symbol.Kind != SymbolKind.Parameter && symbol.ContainingType is { } type
                && type.TypeKind is TypeKind.Class or TypeKind.Struct && !symbol.IsStatic)
                foreach (var member in type.AllInterfaces.SelectMany(each => each.GetMembers(symbol.Name)))
                    if (SymbolEqualityComparer.Default.Equals(type.FindImplementationForInterfaceMember(member), symbol))
                        yield return member;
        }

        // The parameter of a record that declares a property.
        private static IParameterSymbol PositionalParameter(IPropertySymbol property) =>
            property.DeclaringSyntaxReferences.FirstOrDefault()?.GetSyntax() is ParameterSyntax
                ? property.ContainingType.InstanceConstructors.SelectMany(each => each.Parameters)
                    .FirstOrDefault(each => each.Locations.SequenceEqual(property.Locations))
                : null;

        // Types that may implement an interface by a member which they inherit.
        private static IReadOnlyList<INamedTypeSymbol> HeirsIn(CSharpCompilation compilation, CancellationToken token)
        {
            if (Heirs.TryGetValue(compilation, out var known)) return known;
            var found = SourceTypes.In(compilation, token).Where(each => each.Interfaces.Length > 0
                && each is { TypeKind: TypeKind.Class, BaseType: { SpecialType: SpecialType.None } }).ToList();
            return Heirs.GetValue(compilation, _ => found);
        }

        private void Relate(ISymbol one, ISymbol other)
        {
            if (!(SymbolKeys.Of(one) is { } key) || !(SymbolKeys.Of(other) is { } otherKey)) return;
            _known.TryAdd(key, SymbolKeys.Plain(one));
            _known.TryAdd(otherKey, SymbolKeys.Plain(other));
            Set(key).Add(otherKey);
            Set(otherKey).Add(key);
        }

        private HashSet<string> Set(string key) =>
            _relatives.TryGetValue(key, out var set) ? set : _relatives[key] = new HashSet<string>(StringComparer.Ordinal);

        private void Close(string start)
        {
            var left = new Stack<string>();
            left.Push(start);
            while (left.Count > 0)
                if (left.Pop() is { } key && Keys.Add(key))
                    foreach (var each in Set(key)) left.Push(each);
        }
    }
}
