// Edits of texts, and where they move what stands after them.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Text;

namespace RoslynServer
{
    /// <summary>One replacement in a text.</summary>
    internal sealed class TextEdit
    {
        public TextEdit(SyntaxTree tree, TextSpan span, string text, string kind) =>
            (Tree, Span, Text, Kind) = (tree, span, text, kind);

        public SyntaxTree Tree { get; }

        public TextSpan Span { get; }

        public string Text { get; }

        public string Kind { get; }

        public string Path => Tree.FilePath;
    }

    /// <summary>Disjoint edits of several files.</summary>
    internal sealed class TextEdits
    {
        private readonly Dictionary<string, List<TextEdit>> _byPath;

        public TextEdits(IEnumerable<TextEdit> edits) => _byPath = edits
            .GroupBy(each => each.Path, Files.Paths)
            .ToDictionary(each => each.Key, each => each.OrderBy(one => one.Span.Start).ThenBy(one => one.Span.End)
                .ToList(), Files.Paths);

        public IReadOnlyCollection<string> Paths => _byPath.Keys;

        public IEnumerable<TextEdit> Of(string path) =>
            _byPath.TryGetValue(path, out var edits) ? edits : Enumerable.Empty<TextEdit>();

        public int Count => _byPath.Values.Sum(each => each.Count);

        /// <summary>Returns the text of a file with its edits.</summary>
        public string Applied(string path)
        {
            var text = _byPath[path][0].Tree.GetText().ToString();
            var made = new StringBuilder();
            var at = 0;
            foreach (var edit in _byPath[path])
            {
                if (edit.Span.Start < at) throw new InvalidOperationException($"edits of {path} overlap");
                made.Append(text, at, edit.Span.Start - at).Append(edit.Text);
                at = edit.Span.End;
            }
            return made.Append(text, at, text.Length - at).ToString();
        }

        /// <summary>Returns where the end of what stood before an offset is after the edits.</summary>
        public int Moved(string path, int offset)
        {
            var moved = offset;
            foreach (var edit in Of(path))
            {
                if (edit.Span.Start > offset || edit.Span.Start == offset && edit.Span.Length > 0) break;
                if (edit.Span.End > offset) return -1;
                moved += edit.Text.Length - edit.Span.Length;
            }
            return moved;
        }

        /// <summary>Returns where in the text before the edits stands what is at an offset after them.</summary>
        public int MovedBack(string path, int offset)
        {
            var shift = 0;
            foreach (var edit in Of(path))
            {
                var start = edit.Span.Start + shift;
                if (offset < start) break;
                if (offset < start + edit.Text.Length) return edit.Span.Start;
                shift += edit.Text.Length - edit.Span.Length;
            }
            return offset - shift;
        }
    }
}
