// Find errors that the compiler finds only when it generates code for correctly bound bodies: a
// missing member for an async method's builder or `dynamic`, a reference that would be kept across
// an await.
using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Text.RegularExpressions;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace RoslynServer
{
    /// <summary>
    /// Works on a few trees. Their bodies are lowered in their whole assembly, but without all
    /// other bodies, which takes a third of the time.
    /// </summary>
    internal static class Lowering
    {
        // A whole assembly is declared again for it.
        private const int MaxCharacters = 6_000_000;

        // A body without one of these needs no lowering.
        private static readonly Regex Concerned = new Regex(
            @"\b(?:await|async|yield|dynamic|ref|stackalloc)\b|\.\.|\[\s*\^", RegexOptions.CultureInvariant);

        // Members that async methods and the like use without naming them.
        private static readonly HashSet<string> Used = new HashSet<string>
        {
            "AwaitOnCompleted", "AwaitUnsafeOnCompleted", "Create", "Current", "Dispose", "DisposeAsync",
            "GetAsyncEnumerator", "GetAwaiter", "GetEnumerator", "GetResult", "IsCompleted", "MoveNext",
            "MoveNextAsync", "OnCompleted", "SetException", "SetResult", "SetStateMachine", "Start", "Task",
            "UnsafeOnCompleted",
        };

        private static readonly ConditionalWeakTable<SyntaxTree, Bare> Known =
            new ConditionalWeakTable<SyntaxTree, Bare>();

        // Whether a tree has changed members that may cause such errors.
        private static bool Concerns(SyntaxTree before, SyntaxTree after, CancellationToken token)
        {
            if (!MayFail(after, token)) return false;
            if (before == null) return true;
            var known = new HashSet<string>(Members(before, token));
            return Members(after, token).Any(each => !known.Contains(each));
        }

        /// <summary>
        /// Returns the new errors of that kind in changed trees; <c>null</c> if that would take too
        /// long.
        /// </summary>
        public static Dictionary<SyntaxTree, List<FoundError>> NewIn(
            JudgedAssembly assembly, CancellationToken token)
        {
            var pairs = new List<(SyntaxTree Before, SyntaxTree After)>();
            var isUsed = assembly.Step.Change.Names.Any(Used.Contains);
            foreach (var tree in assembly.Step.State.Compilation.SyntaxTrees)
            {
                if (!isUsed && !assembly.IsChanged(tree)) continue;
                assembly.Before.Sources.TryGetValue(tree.FilePath, out var before);
                if (isUsed ? MayFail(tree, token) : Concerns(before?.Tree, tree, token))
                    pairs.Add((before?.Tree, tree));
            }
            if (pairs.Count == 0) return new Dictionary<SyntaxTree, List<FoundError>>();
            var found = In(assembly.Step.State, pairs.Select(each => each.After).ToList(), token);
            if (found == null || found.Count == 0) return found;
            var earlier = pairs.Select(each => each.Before).Where(each => each != null).ToList();
            var old = earlier.Count == 0 ? null : In(assembly.Before, earlier, token);
            foreach (var (before, after) in pairs)
                if (before != null && old != null && found.TryGetValue(after, out var errors)
                    && old.TryGetValue(before, out var known))
                    found[after] = NewErrors.Of(before, known, after, errors).ToList();
            return found;
        }

        // Returns the errors of that kind in some trees of an assembly; null: not computed.
        private static Dictionary<SyntaxTree, List<FoundError>> In(
            AssemblyState state, IReadOnlyCollection<SyntaxTree> trees, CancellationToken token)
        {
            var all = state.Compilation.SyntaxTrees;
            if (all.Sum(each => (long)each.Length) > MaxCharacters) return null;
            var asked = new HashSet<SyntaxTree>(trees);
            var mixed = new List<SyntaxTree>();
            foreach (var tree in all)
            {
                var bare = Known.GetValue(tree, each => Bare.Of(each, token));
                if (bare.Tree == null) return null;
                mixed.Add(asked.Contains(tree) ? tree : bare.Tree);
            }
            var compilation = state.Compilation.RemoveAllSyntaxTrees().AddSyntaxTrees(mixed);
            var found = Emitted(compilation, token)
                .Where(each => each.Location.SourceTree != null && asked.Contains(each.Location.SourceTree));
            return found.GroupBy(each => each.Location.SourceTree).ToDictionary(group => group.Key, group =>
            {
                var bound = new HashSet<FoundError>(state.ErrorsOf(group.Key, token));
                return FoundError.Of(group).Where(each => each.Stops && !bound.Contains(each)).ToList();
            });
        }

        /// <summary>
        /// Returns all diagnostics of compiling. Throws if it was cancelled before its end.
        /// </summary>
        public static ImmutableArray<Diagnostic> Emitted(CSharpCompilation compilation, CancellationToken token)
        {
            var all = compilation.Emit(Stream.Null, cancellationToken: token).Diagnostics;
            // The compiler reports a cancellation as a failure to write the documentation: CS1569.
            token.ThrowIfCancellationRequested();
            return all;
        }

        private static bool MayFail(SyntaxTree tree, CancellationToken token) =>
            Concerned.IsMatch(tree.GetText(token).ToString());

        // An unchanged member has no new errors.
        private static IEnumerable<string> Members(SyntaxTree tree, CancellationToken token) =>
            tree.GetRoot(token).DescendantNodes(each => !HasBodies(each)).Where(HasBodies)
                .Select(each => each.ToString()).Where(each => Concerned.IsMatch(each));

        private static bool HasBodies(SyntaxNode node) => node is BaseMethodDeclarationSyntax
            || node is BasePropertyDeclarationSyntax || node is BaseFieldDeclarationSyntax;

        // A tree without its bodies; none if it is nested too deeply to be bound.
        private sealed class Bare
        {
            public SyntaxTree Tree;

            public static Bare Of(SyntaxTree tree, CancellationToken token)
            {
                if (Nesting.IsTooDeep(tree, token, out _)) return new Bare();
                var root = (CSharpSyntaxNode)new Stripped().Visit(tree.GetRoot(token));
                return new Bare
                {
                    Tree = CSharpSyntaxTree.Create(
                        root, (CSharpParseOptions)tree.Options, tree.FilePath, tree.Encoding),
                };
            }
        }

        private sealed class Stripped : CSharpSyntaxRewriter
        {
            private static readonly BlockSyntax Nothing = SyntaxFactory.Block(
                SyntaxFactory.ThrowStatement(SyntaxFactory.LiteralExpression(SyntaxKind.NullLiteralExpression))
                    .NormalizeWhitespace());

            // Blocks of lambdas stay, because a field's initializer depends on them.
            public override SyntaxNode VisitBlock(BlockSyntax node) =>
                node.Parent is BaseMethodDeclarationSyntax || node.Parent is AccessorDeclarationSyntax
                    ? Nothing : base.VisitBlock(node);
        }
    }
}
