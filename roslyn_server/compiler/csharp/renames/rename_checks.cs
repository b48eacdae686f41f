// Refuse renames that can't be right, before anything is bound again.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace RoslynServer
{
    internal static class RenameChecks
    {
        private static readonly string[] Marks = { ".g.cs", ".g.i.cs", ".designer.cs", ".generated.cs" };

        /// <summary>
        /// Returns why a symbol can't have a name. <c>projects</c> are the names of the project's
        /// assemblies; <c>isGenerated</c> says whether a generator made a text.
        /// </summary>
        public static IEnumerable<RenameConflict> Of(
            ReferenceSearch search, string newName, bool force, ISet<string> projects, Func<SyntaxTree, bool> isGenerated)
        {
            var symbol = search.Symbol;
            var name = SymbolFamily.NameOf(symbol);
            var at = search.Found.FirstOrDefault(each => each.Name?.Binding.IsDeclaration == true);
            RenameConflict Conflict(string code, string message) =>
                new RenameConflict(code, message, at?.Tree, at?.Span.Start ?? 0);
            if (!SyntaxFacts.IsValidIdentifier(newName))
            {
                yield return Conflict("not_an_identifier", $"'{newName}' is not a C# identifier");
                yield break;
            }
            if (newName == name)
            {
                yield return Conflict("same_name", $"it is named '{name}' already");
                yield break;
            }
            if (symbol is IPropertySymbol { ContainingType: { IsAnonymousType: true } }
                || symbol is IFieldSymbol { ContainingType: { IsTupleType: true } })
            {
                yield return Conflict("not_renamable", "members of anonymous types and elements of tuples can't be renamed");
                yield break;
            }
            if (at == null)
            {
                yield return new RenameConflict("not_renamable", $"'{symbol.ToDisplayString()}' is not declared in the project");
                yield break;
            }
            foreach (var each in search.Family.Symbols.Where(each => each.Kind != SymbolKind.Namespace
                && each.ContainingAssembly is { } assembly && !projects.Contains(assembly.Name)).Take(1))
                yield return Conflict("library_member",
                    $"it overrides or implements '{each.ToDisplayString()}' of {each.ContainingAssembly.Name}, which keeps its name");
            foreach (var each in search.Found.Where(each => each.Name != null && isGenerated(each.Tree)
                && each.Name.Binding.IsDeclaration).Take(1))
                yield return new RenameConflict("generated", "a source generator declares it, or a part of it", each.Tree, each.Span.Start);
            foreach (var other in search.Family.Symbols.SelectMany(each => Taken(each, newName)).Take(1))
                yield return Declared(other, "name_exists",
                    $"'{(ISymbol)other.ContainingType ?? other.ContainingNamespace}' already has '{newName}'");
            foreach (var each in search.Family.Symbols)
            {
                if (UnityNames.RpcSuffix(each) is { } suffix && !newName.EndsWith(suffix, StringComparison.Ordinal))
                    yield return Conflict("rpc_suffix", $"Netcode demands that the name of this method ends in {suffix}");
                // Of such data, the entry point is the method's name if none is said.
                if (each is IMethodSymbol called && called.GetDllImportData() is { } native && !each.GetAttributes().Any(
                    one => one.AttributeClass?.Name == "DllImportAttribute" && one.NamedArguments.Any(said => said.Key == "EntryPoint")))
                    yield return Conflict("native_name", $"{native.ModuleName} has the function by this name:"
                        + $" give [DllImport] an EntryPoint = \"{name}\" first");
                if (force) continue;
                if (UnityNames.IsMessage(each, name))
                    yield return Conflict("unity_message", $"Unity calls {name} by this name");
                else if (UnityNames.IsMessage(each, newName))
                    yield return Conflict("unity_message", $"Unity would call the method by the name {newName}");
            }
        }

        /// <summary>Returns members of the new name that the renamed ones would hide, or be hidden by.</summary>
        public static IEnumerable<RenameConflict> Hiding(ReferenceSearch search, NameSearch search_, string newName)
        {
            foreach (var each in search.Family.Symbols.Where(each => each.ContainingType != null && IsMember(each)))
                for (var type = each.ContainingType.BaseType; type != null; type = type.BaseType)
                    foreach (var hidden in type.GetMembers(newName).Where(one => Clash(one, each)).Take(1))
                        yield return Place(search, "hides", $"it would hide '{hidden.ToDisplayString()}'");
            foreach (var bound in search_.Bound.Where(each => each.Binding.IsDeclaration && each.Token.ValueText == newName))
                foreach (var other in bound.Binding.Symbols.Where(IsMember))
                    for (var type = other.ContainingType?.BaseType; type != null; type = type.BaseType)
                        if (search.Family.Symbols.FirstOrDefault(each => IsMember(each) && Clash(each, other)
                            && SymbolKeys.Of(each.ContainingType) == SymbolKeys.Of(type)) is { } renamed)
                            yield return new RenameConflict("hides", $"'{other.ToDisplayString()}' would hide it",
                                bound.Reading.Tree, bound.Token.SpanStart);
        }

        /// <summary>
        /// Returns members of interfaces that the renamed ones would begin to implement: no name in C#
        /// shows that another method is called then.
        /// </summary>
        public static IEnumerable<RenameConflict> Implementing(ReferenceSearch search, SymbolFacts facts, string newName) =>
            from each in search.Family.Symbols
            where each.ContainingType != null && IsMember(each) && !each.IsStatic && each.DeclaredAccessibility == Accessibility.Public
            from type in facts.Types.WithDerived(facts.Types.Of(each.ContainingType.OriginalDefinition))
            where type.TypeKind != TypeKind.Interface
            // One that a base implements is looked for again only where the type lists its interface.
            from member in type.Interfaces.Concat(type.Interfaces.SelectMany(one => one.AllInterfaces))
                .SelectMany(one => one.GetMembers(newName))
            where member.Kind == each.Kind && HaveSameParameters(member, each)
            let now = type.FindImplementationForInterfaceMember(member)
            where now == null || IsAbove(now.ContainingType, each.ContainingType)
            select Place(search, "implements", $"it would implement '{member.ToDisplayString()}' of '{type}'");

        /// <summary>
        /// Returns the fields of the type, its bases and heirs that Unity serializes under the new name
        /// already, or that take what it serialized under that name before.
        /// </summary>
        public static IEnumerable<RenameConflict> SerializedTwice(ReferenceSearch search, SymbolFacts facts, string newName) =>
            facts.Serialized.SelectMany(each => SerializedTwice(search, each.Symbol, facts, newName));

        private static IEnumerable<RenameConflict> SerializedTwice(
            ReferenceSearch search, ISymbol symbol, SymbolFacts facts, string newName)
        {
            var renamed = facts.Serialized.Select(each => SymbolKeys.Of(SerializedFields.FieldOf(each.Symbol))).ToHashSet();
            var key = symbol is IPropertySymbol ? $"<{newName}>k__BackingField" : newName;
            var own = facts.Types.Of(symbol.ContainingType.OriginalDefinition);
            var related = facts.Types.WithDerived(own).ToList();
            for (var type = own.BaseType; type != null; type = facts.Types.Of(type).BaseType) related.Add(facts.Types.Of(type));
            var others = related.SelectMany(each => each.GetMembers().OfType<IFieldSymbol>())
                .Where(each => !renamed.Contains(SymbolKeys.Of(each))).ToList();
            foreach (var each in others.Where(each => each.Name == key && facts.Fields.Of(each) != null).Take(1))
                yield return Place(search, "name_exists", $"Unity serializes '{newName}' of '{each.ContainingType}' already");
            foreach (var each in others.Where(each => WasNamed(each, key)).Take(1))
                yield return Place(search, "formerly_serialized",
                    $"'{each.ToDisplayString()}' takes the values that were serialized as {newName}");
        }

        /// <summary>Returns the edited files that say, by name or in a comment at the top, that a tool makes them.</summary>
        public static IEnumerable<RenameConflict> Marked(IEnumerable<TextEdit> edits, CancellationToken token) =>
            from each in edits.GroupBy(each => each.Path)
            let tree = each.First().Tree
            where Marks.Any(mark => tree.FilePath.EndsWith(mark, StringComparison.OrdinalIgnoreCase))
                || tree.GetRoot(token).GetLeadingTrivia().Any(comment => comment.ToString() is var text
                    && (text.Contains("<auto-generated", StringComparison.Ordinal) || text.Contains("<autogenerated", StringComparison.Ordinal)))
            select new RenameConflict("generated", $"a tool makes {Path.GetFileName(tree.FilePath)}, which is not edited:"
                + " rename it where the tool has the name from", tree, each.Min(edit => edit.Span.Start));

        // Whether a type is an interface or a base, so that a member of the other comes before its own.
        private static bool IsAbove(INamedTypeSymbol type, INamedTypeSymbol other)
        {
            if (type.TypeKind == TypeKind.Interface) return true;
            for (var at = other.BaseType; at != null; at = at.BaseType)
                if (SymbolKeys.Of(at) == SymbolKeys.Of(type)) return true;
            return false;
        }

        // What is declared beside a symbol, and has the new name.
        private static IEnumerable<ISymbol> Taken(ISymbol symbol, string newName)
        {
            var isType = symbol is INamedTypeSymbol;
            if (!isType && !IsMember(symbol) || symbol.Name.Contains('.') || symbol.Locations.All(each => !each.IsInSource))
                return Enumerable.Empty<ISymbol>();
            var around = (INamespaceOrTypeSymbol)symbol.ContainingType ?? symbol.ContainingNamespace;
            return around.GetMembers(newName).Where(each => each.Locations.Any(at => at.IsInSource)
                && (each is INamedTypeSymbol type && symbol is INamedTypeSymbol own ? type.Arity == own.Arity
                    : each.Kind != SymbolKind.Namespace && (isType || HaveSameParameters(each, symbol))));
        }

        private static RenameConflict Declared(ISymbol symbol, string code, string message)
        {
            var at = symbol.Locations.First(each => each.IsInSource);
            return new RenameConflict(code, message, at.SourceTree, at.SourceSpan.Start);
        }

        private static bool WasNamed(ISymbol symbol, string name) => symbol.GetAttributes().Any(each =>
            each.AttributeClass is { } type
            && UnityNames.FullName(type) == "UnityEngine.Serialization.FormerlySerializedAsAttribute"
            && each.ConstructorArguments.Length == 1 && name.Equals(each.ConstructorArguments[0].Value));

        private static bool IsMember(ISymbol symbol) => symbol is IFieldSymbol || symbol is IPropertySymbol
            || symbol is IEventSymbol || symbol is IMethodSymbol { MethodKind: MethodKind.Ordinary };

        // Methods hide those with the same parameters only.
        private static bool Clash(ISymbol hidden, ISymbol hiding) =>
            hidden.DeclaredAccessibility != Accessibility.Private && HaveSameParameters(hidden, hiding);

        private static bool HaveSameParameters(ISymbol first, ISymbol second) =>
            !(first is IMethodSymbol one && second is IMethodSymbol other)
                || one.Parameters.Length == other.Parameters.Length && one.Arity == other.Arity
                    && one.Parameters.Zip(other.Parameters, (its, others) =>
                        its.Type.ToDisplayString() == others.Type.ToDisplayString()).All(same => same);

        private static RenameConflict Place(ReferenceSearch search, string code, string message)
        {
            var at = search.Found.First(each => each.Name?.Binding.IsDeclaration == true);
            return new RenameConflict(code, message, at.Tree, at.Span.Start);
        }
    }
}
