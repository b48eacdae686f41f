// Questions about names, asked of the whole project.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.Json;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace RoslynServer
{
    public sealed partial class ProjectModel
    {
        /// <summary>
        /// Returns the references of the symbol at a place, as JSON; with an <c>error</c> if there is
        /// none. <c>symbolSets</c> returns, for a text and its symbols, the sets that reach its branches.
        /// </summary>
        public string FindReferences(
            string path, int line, int character, Func<string, string, string[]> symbolSets, CancellationToken token)
        {
            var reasons = new List<string>();
            try
            {
                var compiled = Compiled(reasons, token);
                var search = ReferenceSearch.At(
                    System.IO.Path.GetFullPath(path), line, character, false, compiled, symbolSets, token);
                var lines = new LinesOf(token);
                var facts = new SymbolFacts(search, compiled, lines, token);
                var strings = new NameStrings(search, facts, SymbolFamily.NameOf(search.Symbol), token);
                strings.Read();
                // C# calls such members without their names: in foreach, await, queries and the like.
                if (PatternUses.MayCall(search.Symbol)) reasons.Add($"implicit\t{search.Symbol.Name}");
                var symbol = facts.All(null, facts.Managed, false);
                return JsonSerializer.Serialize(new Dictionary<string, object>
                {
                    ["symbol"] = symbol,
                    ["references"] = search.Found.Concat(strings.References())
                        .OrderBy(each => each.Path, StringComparer.Ordinal).ThenBy(each => each.Span.Start)
                        .Select(each => lines.Row(each)).ToList(),
                    ["reasons"] = reasons.Concat(search.Reasons).Concat(facts.Fields.Cut).ToList(),
                });
            }
            catch (NoSymbolException error)
            {
                return JsonSerializer.Serialize(new { error = error.Message, isUncompiled = error.IsUncompiled });
            }
        }

        // All assemblies as they are on disk; notes those that can't be bound.
        private IReadOnlyList<CSharpCompilation> Compiled(List<string> reasons, CancellationToken token)
        {
            Begin();
            var found = new List<CSharpCompilation>();
            foreach (var name in _circular) reasons.Add($"assembly\t{name}\t{Unjudged.Circular("it")}");
            foreach (var assembly in _order)
            {
                token.ThrowIfCancellationRequested();
                TakeUp(assembly, token);
                if (FaultWith(assembly) is { } fault) reasons.Add($"assembly\t{assembly.Name}\t{fault}");
                else found.Add(assembly.State.Compilation);
            }
            return found;
        }
    }

    /// <summary>Places in files, as LSP counts them.</summary>
    internal sealed class LinesOf
    {
        private const int MaxLine = 200;

        private readonly Dictionary<SyntaxTree, (LineMap Map, string Text)> _known =
            new Dictionary<SyntaxTree, (LineMap, string)>();
        private readonly CancellationToken _token;

        public LinesOf(CancellationToken token) => _token = token;

        public Dictionary<string, object> Row(Reference each)
        {
            var row = Place(each.Tree, each.Span);
            row["kind"] = each.Kind;
            row["lineText"] = Line(each.Tree, each.Span.Start);
            return row;
        }

        public Dictionary<string, object> Place(SyntaxTree tree, Microsoft.CodeAnalysis.Text.TextSpan span)
        {
            var (line, character) = Map(tree).Map.Position(span.Start);
            return new Dictionary<string, object>
            {
                ["path"] = tree.FilePath, ["line"] = line, ["character"] = character, ["length"] = span.Length,
            };
        }

        public Dictionary<string, object> Edit(TextEdit each)
        {
            var map = Map(each.Tree).Map;
            var ((line, character), (endLine, endCharacter)) = (map.Position(each.Span.Start), map.Position(each.Span.End));
            return new Dictionary<string, object>
            {
                ["path"] = each.Path, ["line"] = line, ["character"] = character, ["endLine"] = endLine,
                ["endCharacter"] = endCharacter, ["newText"] = each.Text, ["kind"] = each.Kind,
            };
        }

        public Dictionary<string, object> Conflict(RenameConflict each)
        {
            var (line, character) = each.Tree == null ? (-1, -1) : Map(each.Tree).Map.Position(each.Offset);
            return new Dictionary<string, object>
            {
                ["code"] = each.Code, ["path"] = each.Tree?.FilePath ?? "", ["line"] = line + 1,
                ["column"] = character + 1, ["message"] = each.Message,
            };
        }

        private string Line(SyntaxTree tree, int offset)
        {
            var (map, text) = Map(tree);
            var start = map.Offset(map.Position(offset).Line, 0);
            var end = text.IndexOfAny(new[] { '\n', '\r' }, start);
            var line = text.Substring(start, (end < 0 ? text.Length : end) - start).Trim();
            return line.Length > MaxLine ? line.Substring(0, MaxLine) : line;
        }

        private (LineMap Map, string Text) Map(SyntaxTree tree)
        {
            if (_known.TryGetValue(tree, out var known)) return known;
            var text = tree.GetText(_token).ToString();
            return _known[tree] = (new LineMap(text), text);
        }
    }
}
