// What only a compilation says of a text, though it follows from the text alone.
//
// Newer Roslyn parses syntax of every version and leaves it to the binder to say what the language
// version lacks. So the text is bound, against the runtime's own core library and nothing else,
// and of the many errors that missing references make, only those count that they can't make.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Globalization;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace RoslynServer
{
    internal static class LanguageGate
    {
        private static readonly MetadataReference[] CoreLibrary =
            ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES"))
            .Split(System.IO.Path.PathSeparator)
            .Where(path => System.IO.Path.GetFileName(path) is
                "System.Private.CoreLib.dll" or "System.Runtime.dll")
            .Select(path => (MetadataReference)MetadataReference.CreateFromFile(path)).ToArray();

        private static readonly CSharpCompilationOptions Library = new CSharpCompilationOptions(
            OutputKind.DynamicallyLinkedLibrary, allowUnsafe: true, concurrentBuild: false);

        // "Feature … is not available in C# N" for each N, and its like.
        private static readonly ImmutableHashSet<string> OfLanguageVersion = ImmutableHashSet.Create(
            "CS8022", "CS8023", "CS8024", "CS8025", "CS8026", "CS8059", "CS8107", "CS8302",
            "CS8320", "CS8370", "CS8400", "CS8652", "CS8703", "CS8706", "CS8773", "CS8936",
            "CS8967", "CS9058", "CS9202", "CS9260");

        // Modifiers, bodies and statements where they can't be, whatever the names in them mean.
        private static readonly ImmutableHashSet<string> OfForm = ImmutableHashSet.Create(
            "CS0106", "CS0116", "CS0131", "CS0132", "CS0139", "CS0145", "CS0201", "CS0267",
            "CS0275", "CS0500", "CS0501", "CS0514", "CS0525", "CS0526", "CS0531", "CS0548",
            "CS0573", "CS0574", "CS0708", "CS0710", "CS0751", "CS0753", "CS0840", "CS1004",
            "CS1023", "CS1059", "CS1527", "CS1547", "CS1612", "CS1671", "CS1992", "CS4033",
            "CS7014", "CS8050", "CS8112", "CS8180", "CS8802", "CS8805");

        // Structs that leave fields to be defaulted, which takes C# 11.
        private static readonly ImmutableHashSet<string> OfUnassignedFields =
            ImmutableHashSet.Create("CS0171", "CS0843");

        private static readonly ConcurrentDictionary<string, bool> NamesLanguageVersion =
            new ConcurrentDictionary<string, bool>();

        private const string UnknownName = "CS0103";
        private const string Unavailable = "CS8773";
        private const string NoStatement = "CS0201";
        private const string NotAssignable = "CS0131";
        private const string UnboundName = "CS7003";
        private const string ReferenceForValue = "CS8171";
        private const LanguageVersion CSharp11 = (LanguageVersion)1100;

        public static void Find(SyntaxTree tree, Findings found, CancellationToken token)
        {
            var compilation = CSharpCompilation.Create(
                "edited", new[] { tree }, CoreLibrary, Library);
            var model = new Lazy<SemanticModel>(() => compilation.GetSemanticModel(tree));
            foreach (var each in compilation.GetDiagnostics(token))
                if (each.Severity == DiagnosticSeverity.Error && Counts(each, tree, model, token))
                    found.Add(each);
            FindWhatTheBinderPassesOver(tree, found, token);
        }

        private static bool Counts(
            Diagnostic error, SyntaxTree tree, Lazy<SemanticModel> model, CancellationToken token)
        {
            if (OfLanguageVersion.Contains(error.Id) || OfForm.Contains(error.Id)) return true;
            if (OfUnassignedFields.Contains(error.Id))
                return TypeAround(error, tree, model, token) is { } type && KnowsItsFields(type);
            if (error.Id == UnknownName)
                return IsFieldKeyword(error, tree, token)
                    && TypeAround(error, tree, model, token) is { } type && KnowsItsMembers(type);
            // Asked once for each id: putting the many messages together would take longer than
            // all the binding.
            return NamesLanguageVersion.GetOrAdd(error.Id, _ => error.Descriptor.MessageFormat
                .ToString(CultureInfo.InvariantCulture).Contains("language version"));
        }

        private static INamedTypeSymbol TypeAround(
            Diagnostic error, SyntaxTree tree, Lazy<SemanticModel> model, CancellationToken token)
        {
            var node = tree.GetRoot(token).FindNode(error.Location.SourceSpan);
            var declared = node.FirstAncestorOrSelf<TypeDeclarationSyntax>();
            return declared == null
                ? null : model.Value.GetDeclaredSymbol(declared, token) as INamedTypeSymbol;
        }

        // A field of an unknown type may be a struct that was assigned piece by piece.
        private static bool KnowsItsFields(INamedTypeSymbol type) =>
            type.GetMembers().OfType<IFieldSymbol>().All(field => field.Type.TypeKind != TypeKind.Error);

        // `field` in an accessor is a name like any other before C# 14; it may be inherited, or
        // stand in another part of the type.
        private static bool KnowsItsMembers(INamedTypeSymbol type)
        {
            for (var each = type; each != null; each = each.ContainingType)
            {
                if (each.BaseType?.TypeKind == TypeKind.Error) return false;
                if (each.AllInterfaces.Any(face => face.TypeKind == TypeKind.Error)) return false;
                foreach (var reference in each.DeclaringSyntaxReferences)
                    if (reference.GetSyntax() is TypeDeclarationSyntax part
                        && part.Modifiers.Any(SyntaxKind.PartialKeyword)) return false;
            }
            return true;
        }

        private static bool IsFieldKeyword(Diagnostic error, SyntaxTree tree, CancellationToken token)
        {
            var node = tree.GetRoot(token).FindNode(error.Location.SourceSpan);
            return node.ToString() == "field" && node.FirstAncestorOrSelf<PropertyDeclarationSyntax>() != null;
        }

        // The binder keeps to itself what it can't tell while operands are unknown.
        private static void FindWhatTheBinderPassesOver(
            SyntaxTree tree, Findings found, CancellationToken token)
        {
            var version = ((CSharpParseOptions)tree.Options).LanguageVersion;
            foreach (var node in tree.GetRoot(token).DescendantNodes())
            {
                if (version < CSharp11 && UnsignedShift(node) is { } shift)
                    found.Add(Unavailable, shift.Span, NeedsCSharp11("unsigned right shift", version));
                if (version < CSharp11 && node is RefExpressionSyntax && IsMemberInitializer(node.Parent))
                    found.Add(Unavailable, node.Span, NeedsCSharp11("ref fields", version));
                if (node is RefExpressionSyntax && InitializesValue(node.Parent))
                    found.Add(ReferenceForValue, node.Span,
                        "Cannot initialize a by-value variable with a reference");
                if (node is GenericNameSyntax { IsUnboundGenericName: true } && !MayBeUnbound(node))
                    found.Add(UnboundName, node.Span, "Unexpected use of an unbound generic name");
                if (node is AssignmentExpressionSyntax { Left: var left } && IsNoTarget(left))
                    found.Add(NotAssignable, left.Span,
                        "The left-hand side of an assignment must be a variable, property or indexer");
                if (node is ExpressionStatementSyntax { Expression: var value } && IsNoStatement(value))
                    found.Add(NoStatement, value.Span, "Only assignment, call, increment, decrement, "
                        + "await, and new object expressions can be used as a statement");
            }
        }

        private static string NeedsCSharp11(string feature, LanguageVersion version) =>
            $"Feature '{feature}' is not available in C# {version.ToDisplayString()}. "
            + "Please use language version 11.0 or greater.";

        private static bool IsMemberInitializer(SyntaxNode node) =>
            node is AssignmentExpressionSyntax
            && node.Parent.IsKind(SyntaxKind.ObjectInitializerExpression);

        private static bool InitializesValue(SyntaxNode node) =>
            node is EqualsValueClauseSyntax { Parent: VariableDeclaratorSyntax declared }
            && declared.Parent is VariableDeclarationSyntax { Type: var type }
            && !type.DescendantNodesAndSelf().OfType<RefTypeSyntax>().Any();

        private static SyntaxToken? UnsignedShift(SyntaxNode node) => node switch
        {
            BinaryExpressionSyntax { OperatorToken: { Text: ">>>" } token } => token,
            AssignmentExpressionSyntax { OperatorToken: { Text: ">>>=" } token } => token,
            _ => null,
        };

        // In typeof, and from C# 14 on in nameof.
        private static bool MayBeUnbound(SyntaxNode name) => name.Ancestors().Any(each => each is
            TypeOfExpressionSyntax
            or InvocationExpressionSyntax
            {
                Expression: IdentifierNameSyntax { Identifier: { Text: "nameof" } }
            });

        private static bool IsNoTarget(ExpressionSyntax left) => left is
            RangeExpressionSyntax or BinaryExpressionSyntax or LiteralExpressionSyntax
            or AssignmentExpressionSyntax or ObjectCreationExpressionSyntax
            or InvocationExpressionSyntax
            {
                Expression: IdentifierNameSyntax { Identifier: { Text: "var" } }
            };

        private static bool IsNoStatement(ExpressionSyntax value) => value is
            NameSyntax or MemberAccessExpressionSyntax or LiteralExpressionSyntax
            or BinaryExpressionSyntax or RangeExpressionSyntax or ThisExpressionSyntax
            or ParenthesizedExpressionSyntax or ElementAccessExpressionSyntax
            or TupleExpressionSyntax or CastExpressionSyntax or ConditionalExpressionSyntax;
    }
}
