// Which errors of scripts, bound together with nothing but .NET, hold whatever libraries there are besides.
//
// An error is let through by its id's rule, and only by that. Each rule asks that all be settled from which
// the error follows: what has the member that isn't there, which methods there are, what is
// converted to what. So nothing is said of names that can't be found, unless they stand where no type could
// and no base or generated part can have them.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace RoslynServer
{
    /// <summary>Of one assembly. Not for two threads at a time.</summary>
    internal sealed class SettledErrors
    {
        private readonly Func<SyntaxTree, SemanticModel> _model;
        private readonly Settled _settled;
        private readonly CancellationToken _token;
        private readonly Dictionary<string, Func<SyntaxNode, bool>> _rules;

        public SettledErrors(Func<SyntaxTree, SemanticModel> model, Settled settled, CancellationToken token)
        {
            _model = model;
            _settled = settled;
            _token = token;
            _rules = new Dictionary<string, Func<SyntaxNode, bool>>
            {
                ["CS0019"] = AreOperandsClosed,
                ["CS0023"] = AreOperandsClosed,
                ["CS0029"] = IsConversionClosed,
                ["CS0103"] = IsNoName,
                ["CS0115"] = OverridesNothing,
                ["CS0117"] = IsNoMember,
                ["CS0122"] = IsPrivate,
                ["CS0191"] = IsMemberSettled,
                ["CS0200"] = IsMemberSettled,
                ["CS0266"] = IsConversionClosed,
                ["CS0534"] = LacksMember,
                ["CS0535"] = LacksMember,
                ["CS1061"] = IsNoMember,
                ["CS1501"] = FitsNoMethod,
                ["CS1503"] = IsArgumentClosed,
                ["CS1729"] = FitsNoMethod,
                ["CS1739"] = FitsNoMethod,
                ["CS7036"] = FitsNoMethod,
            };
        }

        /// <summary>Whether an error is one that no library cures.</summary>
        public bool Holds(Diagnostic error)
        {
            if (error.Severity != DiagnosticSeverity.Error || !error.Location.IsInSource) return false;
            if (!_rules.TryGetValue(error.Id, out var rule)) return false;
            var node = error.Location.SourceTree.GetRoot(_token)
                .FindNode(error.Location.SourceSpan, getInnermostNodeForTie: true);
            return !IsWithin(node) && rule(node);
        }

        // Where names mean something else, or symbols leave out code that goes with it.
        private static bool IsWithin(SyntaxNode node)
        {
            foreach (var each in node.AncestorsAndSelf())
            {
                if (each is AttributeSyntax || each is QueryExpressionSyntax || each is UsingDirectiveSyntax)
                    return true;
                if (each is MemberDeclarationSyntax && !(each is BaseTypeDeclarationSyntax)
                    && each.Parent is BaseTypeDeclarationSyntax) return Settled.HasInactive(each);
            }
            return false;
        }

        private bool AreOperandsClosed(SyntaxNode node) => Unwrapped(node) switch
        {
            BinaryExpressionSyntax binary => IsClosed(binary.Left) && IsClosed(binary.Right),
            PrefixUnaryExpressionSyntax unary => IsClosed(unary.Operand),
            PostfixUnaryExpressionSyntax unary => IsClosed(unary.Operand),
            AssignmentExpressionSyntax both => IsClosed(both.Left) && IsClosed(both.Right),
            _ => false,
        };

        private bool IsClosed(ExpressionSyntax value) => _settled.Value(value) is { } type && _settled.IsClosed(type);

        private bool IsConversionClosed(SyntaxNode node) =>
            Unwrapped(node) is { } value && IsClosed(value)
            && Target(value) is { } target && _settled.IsClosed(target);

        private static ExpressionSyntax Unwrapped(SyntaxNode node)
        {
            while (node is ArgumentSyntax || node is EqualsValueClauseSyntax || node is ArrowExpressionClauseSyntax
                || node is ExpressionStatementSyntax)
                node = node.ChildNodes().First();
            return node as ExpressionSyntax;
        }

        // The type of the place that a value is meant for; none where that isn't written.
        private ITypeSymbol Target(ExpressionSyntax value)
        {
            SyntaxNode inner = value;
            while (inner.Parent is ParenthesizedExpressionSyntax) inner = inner.Parent;
            switch (inner.Parent)
            {
                case EqualsValueClauseSyntax { Parent: VariableDeclaratorSyntax { Parent: VariableDeclarationSyntax of } }:
                    return of.Type.IsVar ? null : _settled.Type(of.Type);
                case EqualsValueClauseSyntax { Parent: PropertyDeclarationSyntax property }:
                    return _settled.Type(property.Type);
                case AssignmentExpressionSyntax assignment
                    when assignment.Right == inner && assignment.IsKind(SyntaxKind.SimpleAssignmentExpression):
                    return assignment.Parent is InitializerExpressionSyntax ? null : _settled.Value(assignment.Left);
                case IfStatementSyntax _:
                case WhileStatementSyntax _:
                case DoStatementSyntax _:
                    return _model(value.SyntaxTree).Compilation.GetSpecialType(SpecialType.System_Boolean);
                case ReturnStatementSyntax _:
                case ArrowExpressionClauseSyntax _:
                    return PredefinedTypes.Returned(inner) is { } returned ? _settled.Type(returned) : null;
                default:
                    return null;
            }
        }

        private bool IsNoName(SyntaxNode node) =>
            node is IdentifierNameSyntax name && IsValue(name) && _settled.KnowsAround(name, name.Identifier.ValueText);

        // Where a type or a namespace would be an error too.
        private static bool IsValue(IdentifierNameSyntax name)
        {
            SyntaxNode value = name;
            while (value.Parent is ParenthesizedExpressionSyntax) value = value.Parent;
            switch (value.Parent)
            {
                case InvocationExpressionSyntax call:
                    return call.Expression == value && name.Identifier.ValueText != "nameof";
                case ArgumentSyntax { Parent: { Parent: InvocationExpressionSyntax call } }:
                    return !(call.Expression is IdentifierNameSyntax { Identifier: { ValueText: "nameof" } });
                case BinaryExpressionSyntax binary:
                    return !(binary.IsKind(SyntaxKind.IsExpression) || binary.IsKind(SyntaxKind.AsExpression)
                        || binary.IsKind(SyntaxKind.LessThanExpression)
                        || binary.IsKind(SyntaxKind.GreaterThanExpression));
                case AssignmentExpressionSyntax assignment:
                    return !(assignment.Parent is InitializerExpressionSyntax && assignment.Left == value);
                case EqualsValueClauseSyntax _:
                case ReturnStatementSyntax _:
                case ArrowExpressionClauseSyntax _:
                case IfStatementSyntax _:
                case WhileStatementSyntax _:
                case PrefixUnaryExpressionSyntax _:
                case PostfixUnaryExpressionSyntax _:
                case InterpolationSyntax _:
                    return true;
                default:
                    return false;
            }
        }

        private bool IsNoMember(SyntaxNode node)
        {
            if (node is IdentifierNameSyntax set && node.Parent is AssignmentExpressionSyntax
                {
                    Parent: InitializerExpressionSyntax { Parent: ObjectCreationExpressionSyntax made }
                } assigned && assigned.Left == node)
                return _settled.Type(made.Type) is INamedTypeSymbol of && _settled.Knows(of, set.Identifier.ValueText);
            if (!(Accessed(node) is { Name: IdentifierNameSyntax { Identifier: { ValueText: var name } } } access))
                return false;
            if (!(_settled.Receiver(access.Expression) is INamedTypeSymbol type) || !_settled.Knows(type, name))
                return false;
            return IsOfType(access) || IsNoMethod(access) || !_settled.MayExtend(type, access);
        }

        private bool IsOfType(MemberAccessExpressionSyntax access) =>
            _model(access.SyntaxTree).GetSymbolInfo(access.Expression, _token).Symbol is INamedTypeSymbol;

        private static MemberAccessExpressionSyntax Accessed(SyntaxNode node) =>
            node as MemberAccessExpressionSyntax
            ?? (node.Parent is MemberAccessExpressionSyntax access && access.Name == node ? access : null);

        // Where an extension method, which may come from a library, would be an error too.
        private static bool IsNoMethod(MemberAccessExpressionSyntax access)
        {
            if (((CSharpParseOptions)access.SyntaxTree.Options).LanguageVersion >= ExtensionMembers) return false;
            switch (access.Parent)
            {
                case MemberAccessExpressionSyntax outer:
                    return outer.Expression == access;
                case ElementAccessExpressionSyntax element:
                    return element.Expression == access;
                case AssignmentExpressionSyntax assignment:
                    return assignment.Left == access;
                case BinaryExpressionSyntax binary:
                    return binary.IsKind(SyntaxKind.MultiplyExpression) || binary.IsKind(SyntaxKind.DivideExpression)
                        || binary.IsKind(SyntaxKind.LessThanExpression)
                        || binary.IsKind(SyntaxKind.GreaterThanExpression)
                        || binary.IsKind(SyntaxKind.LogicalAndExpression)
                        || binary.IsKind(SyntaxKind.LogicalOrExpression);
                case IfStatementSyntax _:
                case WhileStatementSyntax _:
                case PrefixUnaryExpressionSyntax _:
                case PostfixUnaryExpressionSyntax _:
                    return true;
                case EqualsValueClauseSyntax { Parent: VariableDeclaratorSyntax { Parent: VariableDeclarationSyntax of } }:
                    return of.Type is PredefinedTypeSyntax { Keyword: var keyword }
                        && !keyword.IsKind(SyntaxKind.ObjectKeyword);
                default:
                    return false;
            }
        }

        private const LanguageVersion ExtensionMembers = (LanguageVersion)1400;

        private bool IsPrivate(SyntaxNode node)
        {
            if (!(Accessed(node) is { Name: IdentifierNameSyntax { Identifier: { ValueText: var name } } } access))
                return false;
            var found = _model(node.SyntaxTree).GetSymbolInfo(access.Name, _token);
            return found.CandidateReason == CandidateReason.Inaccessible && found.CandidateSymbols.Length == 1
                && found.CandidateSymbols[0].DeclaredAccessibility == Accessibility.Private && IsNoMember(node)
                && InheritedNames.IsOfProject(found.CandidateSymbols[0]) && name == found.CandidateSymbols[0].Name;
        }

        private bool IsMemberSettled(SyntaxNode node)
        {
            if (!(Unwrapped(node) is { } value)) return false;
            var found = _model(node.SyntaxTree).GetSymbolInfo(value, _token);
            var member = found.Symbol ?? (found.CandidateSymbols.Length == 1 ? found.CandidateSymbols[0] : null);
            if (member == null || !InheritedNames.IsOfProject(member) || _settled.HasInactiveCode(member)) return false;
            return value switch
            {
                IdentifierNameSyntax name => !(name.Parent is AssignmentExpressionSyntax { Parent: InitializerExpressionSyntax _ })
                    && _settled.IsOwn(name, member),
                MemberAccessExpressionSyntax { Name: IdentifierNameSyntax { Identifier: { ValueText: var name } } } access =>
                    _settled.Receiver(access.Expression) is INamedTypeSymbol type && _settled.Knows(type, name),
                _ => false,
            };
        }

        // Whatever the arguments are, they are too many, too few, or of other names.
        private bool FitsNoMethod(SyntaxNode node)
        {
            var called = node.Parent is NameColonSyntax { Parent: ArgumentSyntax { Parent: { Parent: var of } } } ? of
                : node is ConstructorInitializerSyntax ? node
                : node.Parent is MemberAccessExpressionSyntax access && access.Name == node ? access.Parent : node.Parent;
            var isOfName = node.Parent is NameColonSyntax;
            switch (called)
            {
                case InvocationExpressionSyntax call:
                    return (isOfName || call.Expression == node || call.Expression == node.Parent)
                        && _settled.Methods(call) is { } methods && !methods.Any(_settled.HasInactiveCode);
                case ObjectCreationExpressionSyntax made:
                    return (isOfName || made.Type == node)
                        && _settled.Type(made.Type) is INamedTypeSymbol type && AreConstructorsKnown(type);
                case ConstructorInitializerSyntax initializer:
                    return initializer.IsKind(SyntaxKind.ThisConstructorInitializer)
                        && initializer.Parent is ConstructorDeclarationSyntax constructor
                        && _model(node.SyntaxTree).GetDeclaredSymbol(constructor, _token) is { ContainingType: var own }
                        && AreConstructorsKnown(own);
                default:
                    return false;
            }
        }

        private bool AreConstructorsKnown(INamedTypeSymbol type) => InheritedNames.IsOfProject(type)
            && (type.TypeKind == TypeKind.Class || type.TypeKind == TypeKind.Struct)
            && !_settled.Inherited.IsPart(type) && !_settled.HasInactiveCode(type);

        private bool IsArgumentClosed(SyntaxNode node)
        {
            if (!(node.AncestorsAndSelf().OfType<ArgumentSyntax>().FirstOrDefault() is { NameColon: null } argument)
                || !(argument.Parent is ArgumentListSyntax { Parent: InvocationExpressionSyntax call } list)
                || argument.RefKindKeyword.RawKind != 0 || argument.Expression != Unwrapped(node)) return false;
            if (!(_settled.OnlyMethod(call) is { } method) || !IsClosed(argument.Expression)) return false;
            var index = list.Arguments.IndexOf(argument);
            return index < method.Parameters.Length && !method.Parameters[index].IsParams
                && method.Parameters[index].RefKind == RefKind.None
                && _settled.Declared(method.Parameters[index]) is { } type && _settled.IsClosed(type);
        }

        // All of what a class is made from is known, and so are all types in what these have of that name.
        private bool LacksMember(SyntaxNode node)
        {
            if (!(node.AncestorsAndSelf().OfType<TypeDeclarationSyntax>().FirstOrDefault() is { } declared)
                || !(_model(node.SyntaxTree).GetDeclaredSymbol(declared, _token) is { } type)
                || type.IsGenericType || declared.BaseList == null) return false;
            if (!declared.BaseList.Types.All(each => _settled.Type(each.Type) != null)) return false;
            var all = AllOf(type).ToList();
            var members = all.SelectMany(each => each.GetMembers()).ToList();
            var wanted = members.Where(each => each.IsAbstract).Select(each => each.Name).ToHashSet();
            return _settled.Inherited.IsWhole(type) && !all.Any(_settled.HasInactiveCode)
                && members.Where(each => wanted.Contains(each.Name.Split('.').Last())).All(AreTypesSettled);
        }

        private bool OverridesNothing(SyntaxNode node)
        {
            if (!(node is MethodDeclarationSyntax method)
                || !(_model(node.SyntaxTree).GetDeclaredSymbol(method, _token) is { } symbol)
                || !_settled.Knows(symbol.ContainingType, symbol.Name)) return false;
            var all = AllOf(symbol.ContainingType).ToList();
            return !all.Any(_settled.HasInactiveCode)
                && all.SelectMany(each => each.GetMembers(symbol.Name)).All(AreTypesSettled);
        }

        private static IEnumerable<INamedTypeSymbol> AllOf(INamedTypeSymbol type)
        {
            var bases = new List<INamedTypeSymbol>();
            for (var each = type; each != null && InheritedNames.IsOfProject(each); each = each.BaseType) bases.Add(each);
            return bases.Concat(type.AllInterfaces);
        }

        private bool AreTypesSettled(ISymbol member) => member switch
        {
            IMethodSymbol { AssociatedSymbol: { } } => true,
            IMethodSymbol { IsGenericMethod: true } => false,
            IMethodSymbol method => (method.ReturnsVoid || method.MethodKind != MethodKind.Ordinary
                    || _settled.Declared(method) != null)
                && method.Parameters.All(each => _settled.Declared(each) != null),
            IPropertySymbol { IsIndexer: true } => false,
            IPropertySymbol property => _settled.Declared(property) != null,
            IEventSymbol _ => false,
            _ => true,
        };
    }
}
