// Find errors that only a compilation reports although they depend on the text alone.
//
// Newer Roslyn parses the syntax of every version, and its binder reports what the language version
// doesn't have. So the text is bound against the runtime's core library only. Of the many errors
// that missing references cause, only those count that they can't cause.
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

        // "Feature … is not available in C# N" for each N, and similar errors. Others name a
        // language version as well, but depend on types (CS0188, CS8314, CS8627, CS8957, CS9014,
        // CS9015, CS9194, …).
        private static readonly ImmutableHashSet<string> OfLanguageVersion = ImmutableHashSet.Create(
            "CS1738", "CS8022", "CS8023", "CS8024", "CS8025", "CS8026", "CS8059", "CS8107", "CS8302",
            "CS8306", "CS8320", "CS8370", "CS8400", "CS8401", "CS8652", "CS8703", "CS8773", "CS8936",
            "CS8967", "CS9058", "CS9202", "CS9260");

        // Structs whose constructors leave fields at their default, which needs C# 11.
        private static readonly ImmutableHashSet<string> OfUnassignedFields =
            ImmutableHashSet.Create("CS0171", "CS0843");

        private const string UnknownName = "CS0103";
        private const string Unavailable = "CS8773";
        private const string NoStatement = "CS0201";
        private const string NotAssignable = "CS0131";
        private const string NoValue = "CS0126";
        private const string UnknownAlias = "CS0432";
        private const string NoMember = "CS1913";
        private const string NoLoop = "CS0139";
        private const string NeedsUnsafe = "CS0214";
        private const string UnboundName = "CS7003";
        private const string ReferenceForValue = "CS8171";
        private const LanguageVersion CSharp10 = (LanguageVersion)1000;
        private const LanguageVersion CSharp14 = (LanguageVersion)1400;
        private const LanguageVersion CSharp11 = (LanguageVersion)1100;

        /// <summary>
        /// Returns a compilation of the texts that refers only to the core library.
        /// </summary>
        public static CSharpCompilation Alone(params SyntaxTree[] trees) =>
            CSharpCompilation.Create("edited", trees, CoreLibrary, Library);

        public static void Find(SyntaxTree tree, IFindings found, CancellationToken token)
        {
            var (declared, bound) = Bound(tree, token);
            foreach (var each in declared.Concat(bound)) found.Add(each);
            FindWhatTheBinderPassesOver(tree.GetRoot(token), found);
        }

        /// <summary>
        /// Returns the errors of a whole text, and what is needed to judge a similar one.
        /// </summary>
        public static GatedText Gated(SyntaxTree tree, Bodies bodies, CancellationToken token)
        {
            var gated = new GatedText(tree.Options, bodies);
            var (declared, bound) = Bound(tree, token);
            foreach (var each in declared) gated.Add(each, true);
            foreach (var each in bound) gated.Add(each);
            FindWhatTheBinderPassesOver(tree.GetRoot(token), gated);
            return gated;
        }

        /// <summary>
        /// Returns the same for a text with other bodies in some members than an earlier one;
        /// <c>null</c> if the known results don't suffice.
        /// </summary>
        public static GatedText Gated(
            SyntaxTree tree, Bodies bodies, GatedText earlier, List<int> changed, CancellationToken token)
        {
            var gated = earlier.MovedTo(bodies, changed);
            if (gated == null || changed.Count == 0) return gated;
            var compilation = Alone(tree);
            var model = new Lazy<SemanticModel>(() => compilation.GetSemanticModel(tree));
            foreach (var span in changed.Select(bodies.Member))
            {
                foreach (var each in model.Value.GetMethodBodyDiagnostics(span, token))
                    if (span.Contains(each.Location.SourceSpan) && IsCertain(each, tree, model, token))
                        gated.Add(each);
                FindWhatTheBinderPassesOver(tree.GetRoot(token).FindNode(span), gated);
            }
            return gated;
        }

        // The relevant errors: of declarations, and of bodies.
        private static (List<Diagnostic>, List<Diagnostic>) Bound(SyntaxTree tree, CancellationToken token)
        {
            var compilation = Alone(tree);
            var model = new Lazy<SemanticModel>(() => compilation.GetSemanticModel(tree));
            var ofDeclarations = new HashSet<Diagnostic>(compilation.GetDeclarationDiagnostics(token));
            var certain = compilation.GetDiagnostics(token)
                .Where(each => IsCertain(each, tree, model, token)).ToList();
            return (certain.Where(ofDeclarations.Contains).ToList(),
                certain.Where(each => !ofDeclarations.Contains(each)).ToList());
        }

        private static bool IsCertain(
            Diagnostic error, SyntaxTree tree, Lazy<SemanticModel> model, CancellationToken token) =>
            error.Severity == DiagnosticSeverity.Error && Counts(error, tree, model, token);

        private static bool Counts(
            Diagnostic error, SyntaxTree tree, Lazy<SemanticModel> model, CancellationToken token)
        {
            var version = ((CSharpParseOptions)tree.Options).LanguageVersion;
            if (OfLanguageVersion.Contains(error.Id)) return ResolvedNames.IsSyntaxFeature(error, At(error, tree, token));
            if (CertainErrors.Reasons.ContainsKey(error.Id)) return true;
            if (CertainErrors.OfResolvedNames.ContainsKey(error.Id))
                return ResolvedNames.Hold(error.Id, Innermost(error, tree, token), model.Value, token);
            if (CertainErrors.OfWholeTypes.ContainsKey(error.Id))
                return !At(error, tree, token).AncestorsAndSelf().OfType<TypeDeclarationSyntax>()
                    .Any(type => type.Modifiers.Any(SyntaxKind.PartialKeyword));
            if (CertainErrors.OfFlow.ContainsKey(error.Id))
                return !Flow.MayDiffer(Innermost(error, tree, token), error.Id, model.Value, token);
            if (CertainErrors.OfPlaces.ContainsKey(error.Id))
                return error.Id switch
                {
                    NoValue => !Flow.MayBeAsync(At(error, tree, token)),
                    UnknownAlias => version < CSharp10,
                    NoMember => CountsFromTheEnd(At(error, tree, token)),
                    _ => IsOfRange(At(error, tree, token))
                        || PredefinedTypes.AreAll(At(error, tree, token), model.Value, token),
                };
            if (OfUnassignedFields.Contains(error.Id))
                return TypeAround(error, tree, model, token) is { } type && KnowsItsFields(type)
                    && !Flow.MayAssignFields(At(error, tree, token), model.Value, token);
            return error.Id == UnknownName && IsFieldKeyword(error, tree, token)
                && TypeAround(error, tree, model, token) is { } around && KnowsItsMembers(around);
        }

        private static SyntaxNode At(Diagnostic error, SyntaxTree tree, CancellationToken token) =>
            tree.GetRoot(token).FindNode(error.Location.SourceSpan);

        private static SyntaxNode Innermost(Diagnostic error, SyntaxTree tree, CancellationToken token) =>
            tree.GetRoot(token).FindNode(error.Location.SourceSpan, getInnermostNodeForTie: true);

        // `{ [^1] = 3 }` of a known type, which has no indexer for that before C# 13.
        private static bool CountsFromTheEnd(SyntaxNode node) =>
            node.FirstAncestorOrSelf<ImplicitElementAccessSyntax>() is { } access
            && access.ArgumentList.Arguments.Any(each => each.Expression.IsKind(SyntaxKind.IndexExpression)
                || each.Expression is RangeExpressionSyntax);

        // Ranges where none is possible: usually a superfluous dot.
        private static bool IsOfRange(SyntaxNode node) => node is RangeExpressionSyntax
            || node is BinaryExpressionSyntax { Left: RangeExpressionSyntax }
            || node is BinaryExpressionSyntax { Right: RangeExpressionSyntax }
            || node is PrefixUnaryExpressionSyntax { Operand: RangeExpressionSyntax };

        private static INamedTypeSymbol TypeAround(
            Diagnostic error, SyntaxTree tree, Lazy<SemanticModel> model, CancellationToken token)
        {
            var declared = At(error, tree, token).FirstAncestorOrSelf<TypeDeclarationSyntax>();
            return declared == null
                ? null : model.Value.GetDeclaredSymbol(declared, token) as INamedTypeSymbol;
        }

        // A field of an unknown type may be a struct without fields, or one assigned field by
        // field.
        private static bool KnowsItsFields(INamedTypeSymbol type) =>
            type.GetMembers().OfType<IFieldSymbol>().All(field => field.Type.TypeKind != TypeKind.Error
                && (field.Type.TypeKind != TypeKind.Struct || field.Type.SpecialType != SpecialType.None
                    || !field.Type.DeclaringSyntaxReferences.IsEmpty));

        // Before C# 14, `field` in an accessor is an ordinary name; it may be inherited, or be in
        // another part of the type.
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
            var node = At(error, tree, token);
            return node.ToString() == "field" && node.FirstAncestorOrSelf<PropertyDeclarationSyntax>() != null;
        }

        // The binder doesn't report some errors while operands are unknown.
        private static void FindWhatTheBinderPassesOver(SyntaxNode within, IFindings found)
        {
            var version = ((CSharpParseOptions)within.SyntaxTree.Options).LanguageVersion;
            foreach (var node in within.DescendantNodes())
            {
                if (version < CSharp11 && UnsignedShift(node) is { } shift)
                    found.Add(Unavailable, shift.Span, NeedsCSharp11("unsigned right shift", version));
                if (version < CSharp11 && node is RefExpressionSyntax && IsMemberInitializer(node.Parent))
                    found.Add(Unavailable, node.Span, NeedsCSharp11("ref fields", version));
                if (version < CSharp10 && node is ParenthesizedLambdaExpressionSyntax
                    && node.ChildNodes().First() is { } first && !(first is ParameterListSyntax))
                    found.Add(Unavailable, first.Span, first is AttributeListSyntax
                        ? NeedsNewer("lambda attributes", version, "10.0")
                        : NeedsNewer("lambda return type", version, "10.0"));
                if (node is RefExpressionSyntax && InitializesValue(node.Parent))
                    found.Add(ReferenceForValue, node.Span,
                        "Cannot initialize a by-value variable with a reference");
                if (node is GenericNameSyntax { IsUnboundGenericName: true } && !MayBeUnbound(node, version))
                    found.Add(UnboundName, node.Span, "Unexpected use of an unbound generic name");
                if (node is AssignmentExpressionSyntax { Left: var left } && IsNoTarget(left))
                    found.Add(NotAssignable, left.Span,
                        "The left-hand side of an assignment must be a variable, property or indexer");
                if (PointerSign(node) is { } sign && !node.AncestorsAndSelf().Any(IsUnsafe))
                    found.Add(NeedsUnsafe, sign.Span, "Pointers may only be used in an unsafe context");
                if (HasNoLoop(node))
                    found.Add(NoLoop, node.Span, "No enclosing loop out of which to break or continue");
                if (node is ExpressionStatementSyntax { Expression: var value } && IsNoStatement(value))
                    found.Add(NoStatement, value.Span, "Only assignment, call, increment, decrement, "
                        + "await, and new object expressions can be used as a statement");
            }
        }

        private static string NeedsCSharp11(string feature, LanguageVersion version) =>
            NeedsNewer(feature, version, "11.0");

        private static string NeedsNewer(string feature, LanguageVersion version, string needed) =>
            $"Feature '{feature}' is not available in C# {version.ToDisplayString()}. "
            + $"Please use language version {needed} or greater.";

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

        // Allowed in typeof, and from C# 14 on in nameof.
        private static bool MayBeUnbound(SyntaxNode name, LanguageVersion version) =>
            name.Ancestors().Any(each => each is TypeOfExpressionSyntax || version >= CSharp14
                && each is InvocationExpressionSyntax
                {
                    Expression: IdentifierNameSyntax { Identifier: { Text: "nameof" } }
                });

        private static bool IsNoTarget(ExpressionSyntax left) => left switch
        {
            ParenthesizedExpressionSyntax { Expression: var inner } => IsNoTarget(inner),
            RangeExpressionSyntax or BinaryExpressionSyntax or LiteralExpressionSyntax
                or AssignmentExpressionSyntax or BaseObjectCreationExpressionSyntax
                or CastExpressionSyntax or ConditionalAccessExpressionSyntax or TypeOfExpressionSyntax
                or PostfixUnaryExpressionSyntax or BaseExpressionSyntax => true,
            PrefixUnaryExpressionSyntax => !left.IsKind(SyntaxKind.PointerIndirectionExpression),
            ConditionalExpressionSyntax { WhenTrue: var value } => !(value is RefExpressionSyntax),
            InvocationExpressionSyntax
            {
                Expression: IdentifierNameSyntax { Identifier: { Text: "var" } }
            } => true,
            _ => false,
        };

        // The end of a `?.` expression may be any of these as well.
        private static bool IsNoStatement(ExpressionSyntax value) => value switch
        {
            AssignmentExpressionSyntax or InvocationExpressionSyntax or AwaitExpressionSyntax
                or BaseObjectCreationExpressionSyntax => false,
            PrefixUnaryExpressionSyntax or PostfixUnaryExpressionSyntax => !(
                value.IsKind(SyntaxKind.PreIncrementExpression)
                || value.IsKind(SyntaxKind.PreDecrementExpression)
                || value.IsKind(SyntaxKind.PostIncrementExpression)
                || value.IsKind(SyntaxKind.PostDecrementExpression)),
            ConditionalAccessExpressionSyntax { WhenNotNull: var last } => IsNoStatement(last),
            _ => !value.IsMissing,
        };

        private static SyntaxToken? PointerSign(SyntaxNode node) => node switch
        {
            PrefixUnaryExpressionSyntax each when each.IsKind(SyntaxKind.PointerIndirectionExpression) =>
                each.OperatorToken,
            MemberAccessExpressionSyntax each
                when each.IsKind(SyntaxKind.PointerMemberAccessExpression) => each.OperatorToken,
            _ => null,
        };

        private static bool IsUnsafe(SyntaxNode node) => node switch
        {
            UnsafeStatementSyntax => true,
            MemberDeclarationSyntax each => each.Modifiers.Any(SyntaxKind.UnsafeKeyword),
            LocalFunctionStatementSyntax each => each.Modifiers.Any(SyntaxKind.UnsafeKeyword),
            _ => false,
        };

        // A lambda's body isn't bound while its target type is unknown.
        private static bool HasNoLoop(SyntaxNode jump)
        {
            if (!(jump is BreakStatementSyntax || jump is ContinueStatementSyntax)) return false;
            for (var each = jump.Parent; each != null; each = each.Parent)
            {
                if (each is ForStatementSyntax || each is WhileStatementSyntax || each is DoStatementSyntax
                    || each is CommonForEachStatementSyntax) return false;
                if (each is SwitchStatementSyntax && jump is BreakStatementSyntax) return false;
                if (each is AnonymousFunctionExpressionSyntax || each is LocalFunctionStatementSyntax)
                    return true;
            }
            return true;
        }
    }
}
