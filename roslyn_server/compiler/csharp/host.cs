// The server's questions to Roslyn, in C#.
//
// This file is compiled in memory when the server starts, by the Roslyn that it then asks. So it
// uses only C# 9 and the API that every Roslyn from 3.8 on has. One call answers one question, so
// that crossing from Python costs little. Positions are LSP's: lines end at \n, \r\n and \r only,
// and characters are UTF-16 code units.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;

namespace RoslynServer
{
    /// <summary>Errors of one text that need no references, and its outline.</summary>
    public static class Host
    {
        // Binding takes five times as long as parsing.
        private const int MaxBoundSets = 6;

        private static readonly GatedTexts Gated = new GatedTexts();

        /// <summary>Roslyn's version, as 4.8.0.</summary>
        public static string CompilerVersion()
        {
            var version = typeof(CSharpCompilation).Assembly.GetName().Version;
            return $"{version.Major}.{version.Minor}.{version.Build}";
        }

        /// <summary>The runtime's own name of itself, as .NET 8.0.19.</summary>
        public static string RuntimeVersion() =>
            System.Runtime.InteropServices.RuntimeInformation.FrameworkDescription;

        /// <summary>
        /// The version that an option means, as <c>latest</c> the newest; empty if it is not known.
        /// </summary>
        public static string EffectiveLanguageVersion(string option) =>
            LanguageVersionFacts.TryParse(option, out var version)
                ? version.MapSpecifiedToEffectiveVersion().ToDisplayString()
                : "";

        /// <summary>The memory in use and its limit, in bytes.</summary>
        public static long[] Memory() =>
            new[] { GC.GetTotalMemory(false), GC.GetGCMemoryInfo().TotalAvailableMemoryBytes };

        /// <summary>
        /// Returns the syntax errors under each symbol set, and those that only a compilation
        /// reports but that depend on the text alone, each once. The latter are omitted for the
        /// first set if the text is judged under it with all its references. An <c>#error</c>
        /// counts under the first set if a build defines it, otherwise if every set reaches it.
        /// </summary>
        public static string[] SyntaxDiagnostics(
            string text, string[][] symbolSets, string languageVersion, bool isFirstJudged,
            bool isFirstABuilds, CancellationToken token)
        {
            var source = SourceText.From(text);
            var stated = symbolSets.Select(_ => new List<Diagnostic>()).ToList();
            var noted = symbolSets.Select(_ => new Noted()).ToList();
            var trees = new SyntaxTree[symbolSets.Length];
            var isBroken = new bool[symbolSets.Length];
            void Read(int number)
            {
                var (tree, of) = (Parse(source, Options(languageVersion, symbolSets[number]), "", token), noted[number]);
                foreach (var each in tree.GetDiagnostics(token))
                {
                    if (each.Id == TextsAlone.Stated)
                    {
                        stated[number].Add(each);
                        continue;
                    }
                    isBroken[number] |= each.Severity == DiagnosticSeverity.Error;
                    of.Add(each);
                }
                isBroken[number] |= Nesting.FindTooDeep(tree, of, token);
                trees[number] = tree;
            }
            var all = Enumerable.Range(0, symbolSets.Length).ToList();
            SideBySide.Do(all.Select<int, Action>(number => () => Read(number)).ToList());
            foreach (var each in stated[0])
            {
                var span = each.Location.SourceSpan;
                if (!isFirstABuilds && !stated.All(of => of.Any(other => other.Location.SourceSpan == span)))
                    continue;
                isBroken[0] = true;
                noted[0].Add(each);
            }
            // A broken tree is already refused, and binding it only yields consequential errors.
            var gated = all.Where(number => !isBroken[number] && !(isFirstJudged && number == 0));
            SideBySide.Do(gated.Take(MaxBoundSets).Select<int, Action>(
                number => () => Gated.Of(trees[number], token).TellTo(noted[number])).ToList());
            var found = new Findings(text);
            foreach (var each in noted) each.TellTo(found);
            return found.Rows();
        }

        /// <summary>
        /// Returns the declarations of a text: rows of kind, name, depth, range, name's range.
        /// </summary>
        public static string[] Outline(
            string text, string[] symbols, string languageVersion, CancellationToken token)
        {
            var tree = Parse(
                SourceText.From(text), Options(languageVersion, symbols), "", token);
            return new OutlineWalker(new LineMap(text)).Walk(tree.GetRoot(token));
        }

        internal static CSharpParseOptions Options(string languageVersion, string[] symbols)
        {
            if (!LanguageVersionFacts.TryParse(languageVersion, out var version))
                throw new ArgumentException($"this Roslyn has no C# {languageVersion}");
            return new CSharpParseOptions(
                version, DocumentationMode.None, SourceCodeKind.Regular, symbols);
        }

        internal static SyntaxTree Parse(
            SourceText source, CSharpParseOptions options, string path, CancellationToken token) =>
            CSharpSyntaxTree.ParseText(source, options, path, token);
    }

    /// <summary>
    /// Detects nesting on which the binder would run out of stack, which ends a process. (The
    /// parser stops in time, with CS8078; the server's threads have enough stack for what passes.)
    /// </summary>
    internal static class Nesting
    {
        private const int MaxDepth = 4000;

        private const int LevelsOfCharacter = 3;
        private const int LevelsOfLeaf = 64;

        public const string Id = "CS8078";
        private const string TooDeep = "An expression is too long or complex to compile";

        public static bool FindTooDeep(SyntaxTree tree, IFindings found, CancellationToken token)
        {
            if (!(DeepNode(tree, token, MaxDepth) is { } node)) return false;
            found.Add(Id, node.Span, TooDeep);
            return true;
        }

        public static bool IsTooDeep(
            SyntaxTree tree, CancellationToken token, out FoundError error, int maxDepth = MaxDepth)
        {
            error = null;
            if (!(DeepNode(tree, token, maxDepth) is { } node)) return false;
            error = new FoundError(Id, tree, node.Span, TooDeep);
            return true;
        }

        /// <summary>Whether a node of a tree has such nesting.</summary>
        public static bool IsTooDeep(SyntaxNode node, CancellationToken token) =>
            DeepNode(node, node.Ancestors().Count(), token, MaxDepth) != null;

        private static SyntaxNode DeepNode(SyntaxTree tree, CancellationToken token, int maxDepth) =>
            tree.Length < maxDepth ? null // a level takes a character at least
                : DeepNode(tree.GetRoot(token), 0, token, maxDepth);

        private static SyntaxNode DeepNode(SyntaxNode within, int around, CancellationToken token, int maxDepth)
        {
            var open = new Stack<(SyntaxNode, int)>();
            open.Push((within, around));
            while (open.Count > 0)
            {
                var (node, depth) = open.Pop();
                if (depth > maxDepth) return node;
                // Too short to be so deep: each level of nesting takes at least a third of a
                // character.
                if (depth + LevelsOfCharacter * node.FullSpan.Length + LevelsOfLeaf < maxDepth) continue;
                // Long sums nest to the left, and are bound in a loop.
                var left = (node as BinaryExpressionSyntax)?.Left;
                foreach (var child in node.ChildNodes())
                    open.Push((child, child == left ? depth : depth + 1));
            }
            return null;
        }
    }

    /// <summary>Lines as LSP counts them.</summary>
    internal sealed class LineMap
    {
        private readonly List<int> _starts = new List<int> { 0 };
        private readonly int _length;

        public LineMap(string text)
        {
            _length = text.Length;
            for (var index = 0; index < text.Length; index++)
            {
                var character = text[index];
                var endsLine = character == '\n'
                    || character == '\r' && (index + 1 == text.Length || text[index + 1] != '\n');
                if (endsLine) _starts.Add(index + 1);
            }
        }

        public string Row(TextSpan span) => $"{Words(Position(span.Start))} {Words(Position(span.End))}";

        /// <summary>Returns where an offset is.</summary>
        public (int Line, int Character) Position(int offset)
        {
            var line = _starts.BinarySearch(offset);
            if (line < 0) line = ~line - 1;
            return (line, offset - _starts[line]);
        }

        /// <summary>Returns the offset of a place; the text's end for lines after it.</summary>
        public int Offset(int line, int character) =>
            line < _starts.Count ? Math.Min(_starts[line] + character, _length) : _length;

        private static string Words((int Line, int Character) at) => $"{at.Line} {at.Character}";
    }

    /// <summary>Receives the errors of one text.</summary>
    internal interface IFindings
    {
        void Add(Diagnostic each);

        void Add(string id, TextSpan span, string message);
    }

    /// <summary>Collects errors to report them later, in another order.</summary>
    internal sealed class Noted : IFindings
    {
        private readonly List<Action<IFindings>> _told = new List<Action<IFindings>>();

        public void Add(Diagnostic each) => _told.Add(found => found.Add(each));

        public void Add(string id, TextSpan span, string message) =>
            _told.Add(found => found.Add(id, span, message));

        public void TellTo(IFindings found)
        {
            foreach (var each in _told) each(found);
        }
    }

    /// <summary>Diagnostics, each once, as rows for Python: id, severity, range, message.</summary>
    internal sealed class Findings : IFindings
    {
        private readonly Lazy<LineMap> _lines;
        private readonly HashSet<(string, TextSpan)> _seen = new HashSet<(string, TextSpan)>();
        private readonly List<string> _rows = new List<string>();

        public Findings(string text) => _lines = new Lazy<LineMap>(() => new LineMap(text));

        public void Add(Diagnostic each)
        {
            if (each.Severity < DiagnosticSeverity.Warning || each.IsSuppressed) return;
            var span = each.Location.SourceSpan;
            if (!_seen.Add((each.Id, span))) return;
            _rows.Add($"{each.Id} {(int)each.Severity} {_lines.Value.Row(span)} {Messages.OneLine(each)}");
        }

        public void Add(string id, TextSpan span, string message)
        {
            if (_seen.Add((id, span)))
                _rows.Add($"{id} {(int)DiagnosticSeverity.Error} {_lines.Value.Row(span)} {message}");
        }

        public void Add(FoundError each)
        {
            if (!_seen.Add((each.Id, each.Span))) return;
            var severity = (int)(each.IsError ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning);
            _rows.Add($"{each.Id} {severity} {_lines.Value.Row(each.Span)} {each.Message}");
        }

        public string[] Rows() => _rows.ToArray();
    }

    /// <summary>A text's declarations, outermost first, in text order.</summary>
    internal sealed class OutlineWalker : CSharpSyntaxWalker
    {
        private readonly LineMap _lines;
        private readonly List<string> _rows = new List<string>();
        private int _depth;

        public OutlineWalker(LineMap lines) => _lines = lines;

        public string[] Walk(SyntaxNode root)
        {
            Visit(root);
            return _rows.ToArray();
        }

        public override void DefaultVisit(SyntaxNode node)
        {
            var named = Named(node);
            if (named == null)
            {
                base.DefaultVisit(node);
                return;
            }
            foreach (var (kind, name, at) in named)
                _rows.Add($"{kind} {_depth} {_lines.Row(node.Span)} {_lines.Row(at)} {name}");
            _depth++;
            base.DefaultVisit(node);
            _depth--;
        }

        // The kinds are names of LSP's SymbolKind.
        private static (string, string, TextSpan)[] Named(SyntaxNode node)
        {
            switch (node)
            {
                case EnumDeclarationSyntax type: return One("Enum", type.Identifier);
                case InterfaceDeclarationSyntax type: return One("Interface", type.Identifier);
                case StructDeclarationSyntax type: return One("Struct", type.Identifier);
                case BaseTypeDeclarationSyntax type: return One("Class", type.Identifier);
                case DelegateDeclarationSyntax type: return One("Function", type.Identifier);
                case EnumMemberDeclarationSyntax member: return One("EnumMember", member.Identifier);
                case MethodDeclarationSyntax member: return One("Method", member.Identifier);
                case LocalFunctionStatementSyntax member: return One("Function", member.Identifier);
                case ConstructorDeclarationSyntax member: return One("Constructor", member.Identifier);
                case DestructorDeclarationSyntax member: return One("Method", member.Identifier);
                case PropertyDeclarationSyntax member: return One("Property", member.Identifier);
                case EventDeclarationSyntax member: return One("Event", member.Identifier);
                case IndexerDeclarationSyntax member: return One("Property", member.ThisKeyword);
                case OperatorDeclarationSyntax member: return One("Operator", member.OperatorToken);
                case ConversionOperatorDeclarationSyntax member:
                    return One("Operator", member.OperatorKeyword);
                case EventFieldDeclarationSyntax field: return Each("Event", field.Declaration);
                case FieldDeclarationSyntax field: return Each("Field", field.Declaration);
            }
            // The oldest Roslyn that must compile this doesn't have file-scoped namespaces.
            if (node is MemberDeclarationSyntax && node.RawKind != (int)SyntaxKind.GlobalStatement)
                foreach (var child in node.ChildNodes())
                    if (child is NameSyntax name && IsNamespace(node))
                        return new[] { ("Namespace", name.ToString(), name.Span) };
            return null;
        }

        private static bool IsNamespace(SyntaxNode node) =>
            node.Kind().ToString().EndsWith("NamespaceDeclaration", StringComparison.Ordinal);

        private static (string, string, TextSpan)[] One(string kind, SyntaxToken name) =>
            new[] { (kind, name.ValueText, name.Span) };

        private static (string, string, TextSpan)[] Each(
            string kind, VariableDeclarationSyntax declared) =>
            declared.Variables
                .Select(each => (kind, each.Identifier.ValueText, each.Identifier.Span)).ToArray();
    }
}
