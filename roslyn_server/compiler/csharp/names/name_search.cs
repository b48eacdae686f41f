// Bind every place of a project that spells a name.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;

namespace RoslynServer
{
    /// <summary>An identifier, and what it stands for in one reading of its text.</summary>
    internal sealed class BoundName
    {
        public BoundName(Reading reading, SyntaxToken token, Binding binding)
        {
            (Reading, Token, Binding) = (reading, token, binding);
            Keys = binding.Symbols.Select(SymbolKeys.Of).Where(each => each != null).Distinct().ToArray();
        }

        public Reading Reading { get; }

        public SyntaxToken Token { get; }

        public Binding Binding { get; }

        public string[] Keys { get; }

        public string Path => Reading.Tree.FilePath;

        public bool IsIn(ISet<string> keys) => Keys.Any(keys.Contains);
    }

    /// <summary>All places that spell some names, in some assemblies.</summary>
    internal sealed class NameSearch
    {
        private readonly IReadOnlyList<CSharpCompilation> _compilations;
        private readonly Func<string, string, string[]> _symbolSets;
        private readonly CancellationToken _token;
        private readonly ConcurrentBag<BoundName> _bound = new ConcurrentBag<BoundName>();
        private readonly ConcurrentBag<(Reading Reading, TextSpan Span)> _texts =
            new ConcurrentBag<(Reading, TextSpan)>();

        // Places in excluded code, and those that some symbol set reads.
        private readonly ConcurrentBag<(string Path, TextSpan Span, SyntaxTree Tree)> _inactive =
            new ConcurrentBag<(string, TextSpan, SyntaxTree)>();
        private readonly ConcurrentDictionary<(string, TextSpan), bool> _read =
            new ConcurrentDictionary<(string, TextSpan), bool>();
        private readonly ConcurrentDictionary<string, bool> _tooDeep = new ConcurrentDictionary<string, bool>();
        private List<BoundName> _sorted;

        public NameSearch(
            IReadOnlyList<CSharpCompilation> compilations, Func<string, string, string[]> symbolSets,
            CancellationToken token) =>
            (_compilations, _symbolSets, _token) = (compilations, symbolSets, token);

        /// <summary>The same search, of what it found in some of the compilations.</summary>
        public NameSearch(NameSearch search, Func<CSharpCompilation, bool> isWanted)
        {
            (_compilations, _symbolSets, _token) = (search._compilations, search._symbolSets, search._token);
            foreach (var each in search._bound.Where(each => isWanted(each.Reading.Compilation))) _bound.Add(each);
        }

        /// <summary>The identifiers, by path and place; the build's own reading first.</summary>
        public IReadOnlyList<BoundName> Bound => _sorted ??= _bound
            .OrderBy(each => each.Path, StringComparer.Ordinal).ThenBy(each => each.Token.SpanStart)
            .ThenByDescending(each => each.Reading.IsBuilds).ToList();

        /// <summary>The places in strings, each once, by path and place; the build's own reading first.</summary>
        public IEnumerable<(Reading Reading, TextSpan Span)> Texts => _texts.OrderByDescending(each => each.Reading.IsBuilds)
            .GroupBy(each => (each.Reading.Tree.FilePath, each.Span)).Select(each => each.First())
            .OrderBy(each => each.Reading.Tree.FilePath, StringComparer.Ordinal).ThenBy(each => each.Span.Start);

        /// <summary>The names that were searched for.</summary>
        public HashSet<string> Names { get; } = new HashSet<string>(StringComparer.Ordinal);

        /// <summary>The files that nest too deeply to be bound.</summary>
        public IEnumerable<string> TooDeep => _tooDeep.Keys;

        /// <summary>The places in excluded code that no symbol set reads, and that hold a name.</summary>
        public IEnumerable<(string Path, int Line)> Unread => _inactive
            .Where(each => !_read.ContainsKey((each.Path, each.Span)) && IsIdentifier(each.Tree, each.Span))
            .Select(each => (each.Path, each.Tree.GetText(_token).Lines.GetLinePosition(each.Span.Start).Line + 1))
            .Distinct();

        /// <summary>Binds the places that spell any of the names, in one file or in all.</summary>
        public void Add(IReadOnlyCollection<string> names, string path = null)
        {
            Names.UnionWith(names);
            var works = new List<Action>();
            foreach (var compilation in _compilations)
                foreach (var reading in new Readings(compilation, names, _symbolSets, _token).All())
                    if (path == null || Files.Paths.Equals(reading.Tree.FilePath, path))
                        works.Add(() => Read(reading, names));
            SideBySide.Do(works);
            _sorted = null;
        }

        private void Read(Reading reading, IReadOnlyCollection<string> names)
        {
            _token.ThrowIfCancellationRequested();
            var isDeep = new Lazy<bool>(() => Nesting.IsTooDeep(reading.Tree, _token, out _));
            foreach (var each in names.SelectMany(name => Mentions.Of(name, reading.Tree, _token)))
            {
                if (each.Kind == MentionKind.Inactive)
                {
                    if (reading.IsBuilds) _inactive.Add((reading.Tree.FilePath, each.Span, reading.Tree));
                    continue;
                }
                if (!reading.IsBuilds) _read[(reading.Tree.FilePath, each.Span)] = true;
                if (each.Kind == MentionKind.Text) _texts.Add((reading, each.Span));
                if (each.Kind != MentionKind.Identifier) continue;
                if (isDeep.Value) _tooDeep[reading.Tree.FilePath] = true;
                else _bound.Add(new BoundName(reading, each.Token, Binding.Of(each.Token, reading.Model, _token)));
            }
        }

        private bool IsIdentifier(SyntaxTree tree, TextSpan span)
        {
            var trivia = tree.GetRoot(_token).FindTrivia(span.Start);
            return SyntaxFactory.ParseTokens(trivia.ToFullString()).Any(each =>
                each.IsKind(SyntaxKind.IdentifierToken) && each.Span.Contains(span.Start - trivia.FullSpan.Start));
        }
    }
}
