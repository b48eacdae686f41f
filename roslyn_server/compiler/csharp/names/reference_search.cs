// Find the references of the symbol at a place.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.RegularExpressions;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;

namespace RoslynServer
{
    /// <summary>A question about a place has no answer; the message says why.</summary>
    internal sealed class NoSymbolException : Exception
    {
        public NoSymbolException(string message, bool isUncompiled = false) : base(message) =>
            IsUncompiled = isUncompiled;

        /// <summary>Whether no assembly that can be judged has the file.</summary>
        public bool IsUncompiled { get; }
    }

    /// <summary>A place that refers to a symbol, or declares it.</summary>
    internal sealed class Reference
    {
        public SyntaxTree Tree;
        public TextSpan Span;
        public string Kind;

        /// <summary>The identifier; <c>null</c> if the place names nothing (<c>base(…)</c>, <c>new()</c>).</summary>
        public BoundName Name;

        public string Path => Tree.FilePath;
    }

    /// <summary>The references of one symbol.</summary>
    internal sealed class ReferenceSearch
    {
        private const string Attribute = "Attribute";
        private const int MaxNamed = 5;

        private readonly IReadOnlyList<CSharpCompilation> _compilations;
        private readonly CancellationToken _token;
        private readonly List<Reference> _found = new List<Reference>();

        private ReferenceSearch(
            IReadOnlyList<CSharpCompilation> compilations, Func<string, string, string[]> symbolSets,
            CancellationToken token)
        {
            (_compilations, _token) = (compilations, token);
            Search = new NameSearch(compilations, symbolSets, token);
        }

        /// <summary>All places that spell one of its names.</summary>
        public NameSearch Search { get; }

        public ISymbol Symbol { get; private set; }

        public SymbolFamily Family { get; private set; }

        /// <summary>The names that its references may have.</summary>
        public IReadOnlyCollection<string> Names { get; private set; }

        /// <summary>The references, by path and place.</summary>
        public IReadOnlyList<Reference> Found => _found;

        /// <summary>Says what may be missing, and why.</summary>
        public List<string> Reasons { get; } = new List<string>();

        /// <summary>
        /// Finds the symbol at a place, and its references. <c>toType</c>: of a constructor's name take
        /// the type. Throws <see cref="NoSymbolException"/>.
        /// </summary>
        public static ReferenceSearch At(
            string path, int line, int character, bool toType, IReadOnlyList<CSharpCompilation> compilations,
            Func<string, string, string[]> symbolSets, CancellationToken token)
        {
            var tree = compilations.SelectMany(each => each.SyntaxTrees)
                .FirstOrDefault(each => Files.Paths.Equals(each.FilePath, path));
            if (tree == null) throw new NoSymbolException("the file isn't compiled by the project", true);
            var search = new ReferenceSearch(compilations, symbolSets, token);
            search.Symbol = search.SymbolAt(tree, new LineMap(tree.GetText(token).ToString()).Offset(line, character), toType);
            search.Find();
            return search;
        }

        private ISymbol SymbolAt(SyntaxTree tree, int offset, bool toType)
        {
            var text = tree.GetText(_token).ToString();
            bool IsPart(int at) => at >= 0 && at < text.Length && SyntaxFacts.IsIdentifierPartCharacter(text[at]);
            var (start, end) = (Math.Min(offset, text.Length), Math.Min(offset, text.Length));
            while (IsPart(start - 1)) start--;
            while (IsPart(end)) end++;
            if (start == end) throw new NoSymbolException("there is no name");
            var name = tree.GetRoot(_token).FindToken(start, findInsideTrivia: true) is { } token
                && token.IsKind(SyntaxKind.IdentifierToken) && token.Span.Contains(start)
                    ? token.ValueText : text.Substring(start, end - start);
            var compilations = _compilations.Where(each =>
                each.SyntaxTrees.Any(other => Files.Paths.Equals(other.FilePath, tree.FilePath))).ToList();
            var near = new NameSearch(compilations, (_, __) => Array.Empty<string>(), _token);
            near.Add(new[] { name }, tree.FilePath);
            var bound = At(near, tree.FilePath, start);
            if (bound == null)
            {
                Search.Add(new[] { name }, tree.FilePath);
                bound = At(Search, tree.FilePath, start) ?? throw new NoSymbolException($"'{name}' is not a name there");
            }
            var symbols = bound.Binding.Symbols.Where(each => SymbolKeys.Of(each) != null).ToList();
            var isMaker = toType || !bound.Binding.IsDeclaration;
            var symbol = symbols.FirstOrDefault(each => !isMaker || !(each is IMethodSymbol { MethodKind:
                MethodKind.Constructor or MethodKind.StaticConstructor or MethodKind.Destructor })) ?? symbols.FirstOrDefault();
            if (symbol == null) throw new NoSymbolException($"the compiler doesn't know what '{name}' means there");
            symbol = SymbolKeys.Plain(symbol);
            return symbol is IMethodSymbol { MethodKind: MethodKind.Constructor } maker && toType
                ? maker.ContainingType : symbol;
        }

        private static BoundName At(NameSearch search, string path, int offset) => search.Bound.FirstOrDefault(each =>
            Files.Paths.Equals(each.Path, path) && each.Token.Span.Contains(offset) && each.Keys.Length > 0);

        private void Find()
        {
            var name = SymbolFamily.NameOf(Symbol);
            var names = new HashSet<string>(StringComparer.Ordinal) { name };
            var type = Symbol as INamedTypeSymbol
                ?? (Symbol is IMethodSymbol { MethodKind: MethodKind.Constructor } maker ? maker.ContainingType : null);
            if (type != null && name.Length > Attribute.Length && name.EndsWith(Attribute, StringComparison.Ordinal))
                names.Add(name.Substring(0, name.Length - Attribute.Length));
            Search.Add(names);
            Family = SymbolFamily.Of(Symbol, Search.Bound, _compilations, _token);
            Names = names;
            // Its own sources show all of it.
            Symbol = Search.Bound.Where(each => each.Binding.IsDeclaration).SelectMany(each => each.Binding.Symbols)
                .FirstOrDefault(each => SymbolKeys.Of(each) == SymbolKeys.Of(Symbol)) ?? Symbol;
            TakeAliases(names);
            foreach (var each in Search.Bound.Where(each => each.IsIn(Family.Keys))
                .GroupBy(each => (each.Path, each.Token.Span)).Select(each => each.First()))
                _found.Add(new Reference
                {
                    Tree = each.Reading.Tree,
                    Span = each.Token.Span,
                    Name = each,
                    Kind = ReferenceKind.Of(each, each.Binding.Symbols.First(one => Family.Keys.Contains(SymbolKeys.Of(one) ?? ""))),
                });
            if (type != null) TakeUnnamed();
            TakeReasons(name);
            _found.Sort((one, other) => string.CompareOrdinal(one.Path, other.Path) is var order && order != 0
                ? order : one.Span.Start.CompareTo(other.Span.Start));
        }

        // Places that name it by an alias.
        private void TakeAliases(HashSet<string> names)
        {
            if (!(Symbol is INamedTypeSymbol) && !(Symbol is INamespaceSymbol) && !IsMaker) return;
            var keys = IsMaker ? new HashSet<string> { SymbolKeys.Of(Symbol.ContainingType) } : Family.Keys;
            var aliases = Search.Bound.Where(each => each.IsIn(keys))
                .Select(each => each.Token.Parent.FirstAncestorOrSelf<UsingDirectiveSyntax>()?.Alias)
                .Where(each => each != null && !names.Contains(each.Name.Identifier.ValueText))
                .Select(each => each.Name.Identifier.ValueText).ToHashSet();
            if (aliases.Count > 0) Search.Add(aliases);
        }

        private bool IsMaker => Symbol is IMethodSymbol { MethodKind: MethodKind.Constructor };

        // Places that call a constructor without its name.
        private void TakeUnnamed()
        {
            foreach (var compilation in _compilations)
                foreach (var tree in compilation.SyntaxTrees)
                {
                    _token.ThrowIfCancellationRequested();
                    var tokens = UnnamedCalls.In(tree, _token);
                    if (tokens.Count == 0 || Nesting.IsTooDeep(tree, _token, out _)) continue;
                    var model = compilation.GetSemanticModel(tree);
                    foreach (var token in tokens.Where(each => MayCall(each, model)))
                        if (model.GetSymbolInfo(token.Parent, _token).Symbol is { } symbol
                            && SymbolKeys.Of(symbol) is { } key && Family.Keys.Contains(key))
                            _found.Add(new Reference { Tree = tree, Span = token.Span, Kind = "call" });
                }
        }

        // Binding a call costs more than looking at the type that it constructs.
        private bool MayCall(SyntaxToken token, SemanticModel model)
        {
            if (!(token.Parent?.Parent is ConstructorDeclarationSyntax maker)) return true;
            var type = model.GetDeclaredSymbol(maker, _token)?.ContainingType;
            if (token.IsKind(SyntaxKind.BaseKeyword)) type = type?.BaseType;
            return type != null && type.InstanceConstructors.Any(each => Family.Keys.Contains(SymbolKeys.Of(each) ?? ""));
        }

        private void TakeReasons(string name)
        {
            if (Symbol is IFieldSymbol { ContainingType: { IsTupleType: true } }) Reasons.Add($"element\t{name}");
            if (IsMaker) TakeReasonsOfMaker(name);
            foreach (var path in Search.TooDeep) Reasons.Add($"deep\t{path}");
            foreach (var (path, line) in Search.Unread.Take(MaxNamed)) Reasons.Add($"inactive\t{path}\t{line}");
            foreach (var each in Search.Bound.Where(IsOpen).GroupBy(each => (each.Path, each.Token.Span))
                .Where(each => each.All(IsOpen)).Select(each => each.First()).Take(MaxNamed))
                Reasons.Add($"{(each.Binding.Reason == CandidateReason.LateBound ? "dynamic" : "unbound")}\t{each.Path}\t"
                    + (each.Reading.Tree.GetText(_token).Lines.GetLinePosition(each.Token.SpanStart).Line + 1));
        }

        // What constructs an object without naming its type, where nothing is bound.
        private void TakeReasonsOfMaker(string name)
        {
            if (((IMethodSymbol)Symbol).Parameters.All(each => each.IsOptional || each.IsParams)) Reasons.Add($"made\t{name}");
            var own = Symbol.ContainingAssembly.Name;
            foreach (var trivia in _compilations.Where(each => each.AssemblyName == own
                    || each.ReferencedAssemblyNames.Any(one => one.Name == own)).SelectMany(each => each.SyntaxTrees)
                .SelectMany(each => InactiveCode.Trivia(each, _token)).Where(each => UnnamedCalls.MayBeIn(each.ToFullString())).Take(MaxNamed))
                Reasons.Add($"unnamed\t{trivia.SyntaxTree.FilePath}\t"
                    + (trivia.SyntaxTree.GetText(_token).Lines.GetLinePosition(trivia.SpanStart).Line + 1));
        }

        private static bool IsOpen(BoundName each) => each.Binding.Symbols.Count == 0 && !IsKeyword(each.Token);

        // Words that have a meaning of their own where they stand. In documentation, names may have none.
        private static bool IsKeyword(SyntaxToken token) =>
            token.Parent is IdentifierNameSyntax { IsVar: true } || token.ValueText == "nameof"
            || token.Parent.FirstAncestorOrSelf<DocumentationCommentTriviaSyntax>() != null;
    }

    /// <summary>Calls of constructors without the type's name, found once for each tree.</summary>
    internal static class UnnamedCalls
    {
        private static readonly System.Runtime.CompilerServices.ConditionalWeakTable<SyntaxTree, List<SyntaxToken>> Known =
            new System.Runtime.CompilerServices.ConditionalWeakTable<SyntaxTree, List<SyntaxToken>>();
        private static readonly Regex Spelled = new Regex(@"\bnew\s*\(|:\s*(base|this)\s*\(", RegexOptions.CultureInvariant);

        /// <summary>Returns whether a text that isn't parsed may have such calls.</summary>
        public static bool MayBeIn(string text) => Spelled.IsMatch(text);

        /// <summary>Returns the words <c>base</c>, <c>this</c> and <c>new</c> of these calls.</summary>
        public static IReadOnlyList<SyntaxToken> In(SyntaxTree tree, CancellationToken token)
        {
            if (Known.TryGetValue(tree, out var known)) return known;
            var found = new List<SyntaxToken>();
            foreach (var each in tree.GetRoot(token).DescendantNodes())
                if (each is ConstructorInitializerSyntax initializer) found.Add(initializer.ThisOrBaseKeyword);
                else if (each is ImplicitObjectCreationExpressionSyntax made) found.Add(made.NewKeyword);
            return Known.GetValue(tree, _ => found);
        }
    }
}
