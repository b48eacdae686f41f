// Strings that hold a name: those that become nameof, and those that stay and are listed.
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
    internal sealed class NameStrings
    {
        private const int MaxListed = 100;

        private static readonly HashSet<string> CallsMethod = new HashSet<string>(StringComparer.Ordinal)
            { "Invoke", "InvokeRepeating", "CancelInvoke", "IsInvoking", "StartCoroutine", "StopCoroutine" };
        private static readonly HashSet<string> NamesType = new HashSet<string>(StringComparer.Ordinal)
            { "GetComponent", "AddComponent", "CreateInstance", "GetType" };
        private static readonly HashSet<string> NamesMember = new HashSet<string>(StringComparer.Ordinal)
            { "SendMessage", "SendMessageUpwards", "BroadcastMessage", "FindProperty", "FindPropertyRelative" };

        private readonly ReferenceSearch _search;
        private readonly SymbolFacts _facts;
        private readonly string _newName;
        private readonly CancellationToken _token;

        public NameStrings(ReferenceSearch search, SymbolFacts facts, string newName, CancellationToken token) =>
            (_search, _facts, _newName, _token) = (search, facts, newName, token);

        /// <summary>The edits of strings that are sure to mean the symbol.</summary>
        public List<TextEdit> Edits { get; } = new List<TextEdit>();

        /// <summary>The strings that may mean it: place, kind, and the string with the new name.</summary>
        public List<(SyntaxTree Tree, TextSpan Span, string Text, string Kind, string Offer)> Listed { get; } =
            new List<(SyntaxTree, TextSpan, string, string, string)>();

        /// <summary>Looks at each string that has the name as a word.</summary>
        public void Read()
        {
            var symbol = _search.Symbol;
            var isType = symbol is INamedTypeSymbol;
            if (!isType && !(symbol is IMethodSymbol { MethodKind: MethodKind.Ordinary }) && !(symbol is IFieldSymbol)
                && !(symbol is IPropertySymbol) && !(symbol is IEventSymbol) && !(symbol is INamespaceSymbol)) return;
            var name = SymbolFamily.NameOf(symbol);
            foreach (var (reading, span) in _search.Search.Texts)
            {
                _token.ThrowIfCancellationRequested();
                var tree = reading.Tree;
                if (tree.GetText(_token).ToString(span) != name) continue;
                var token = tree.GetRoot(_token).FindToken(span.Start);
                var literal = token.Parent as LiteralExpressionSyntax;
                var isWhole = literal?.Token.Value as string == name;
                var caller = Caller(token.Parent);
                if (isWhole && IsCall(literal, caller, reading) is { } edit) Edits.Add(edit);
                else if (Listed.Count < MaxListed && ((isType || symbol is INamespaceSymbol ? NamesType : NamesMember).Contains(caller) || isWhole
                    || IsPath(literal?.Token.Value as string) || HasName(literal?.Token.Value as string, name, isType)))
                    Listed.Add((tree, token.Span, token.Text, caller.Length > 0 ? caller : "string",
                        token.Text.Remove(span.Start - token.SpanStart, span.Length).Insert(span.Start - token.SpanStart, _newName)));
            }
            Listed.AddRange(_search.Found.Where(each => RenameEdits.KeepsName(each, _search)).Take(MaxListed)
                .Select(each => (each.Tree, each.Span, name, "nameof", RenameEdits.Escaped(_newName))));
        }

        /// <summary>
        /// Returns the strings that name the symbol, or may do so, in calls that find something by a name.
        /// </summary>
        public IEnumerable<Reference> References() => Edits.Select(each => (each.Tree, each.Span))
            .Concat(Listed.Where(each => NamesType.Contains(each.Kind) || NamesMember.Contains(each.Kind))
                .Select(each => (each.Tree, each.Span)))
            .Select(each => new Reference { Tree = each.Tree, Span = each.Span, Kind = "string" });

        // A script's file, a key in JSON, or that of a property's field.
        private static bool HasName(string text, string name, bool isType) => text != null && (isType
            ? text.EndsWith(name + ".cs", StringComparison.Ordinal)
            : text.Contains($"\"{name}\"", StringComparison.Ordinal) || text.Contains($"<{name}>k__", StringComparison.Ordinal));

        // A property path, or the full name of a type.
        private static bool IsPath(string text) => text != null && text.Length < 300 && text.Contains('.')
            && text.All(each => char.IsLetterOrDigit(each) || each == '.' || each == '_' || each == '[' || each == ']'
                || each == '+' || each == '-' || each == ',' || each == ' ' || each == '`') && !text.Contains(". ", StringComparison.Ordinal);

        private static string Caller(SyntaxNode node)
        {
            switch (node?.Parent)
            {
                case ArgumentSyntax { Parent: ArgumentListSyntax { Parent: InvocationExpressionSyntax call } }:
                    return call.Expression switch
                    {
                        MemberAccessExpressionSyntax access => access.Name.Identifier.ValueText,
                        MemberBindingExpressionSyntax binding => binding.Name.Identifier.ValueText,
                        SimpleNameSyntax name => name.Identifier.ValueText,
                        _ => "",
                    };
                case AttributeArgumentSyntax { Parent: AttributeArgumentListSyntax { Parent: AttributeSyntax attribute } }:
                    return RenameEdits.Short(attribute.Name.ToString().Split('.', ':').Last());
                default: return "";
            }
        }

        private TextEdit IsCall(LiteralExpressionSyntax literal, string caller, Reading reading)
        {
            var argument = literal.Parent as ArgumentSyntax;
            var call = argument?.Parent?.Parent as InvocationExpressionSyntax;
            var (tree, model) = (reading.Tree, reading.Model);
            if (literal.Parent is AttributeArgumentSyntax { NameEquals: { Name: { Identifier: { ValueText: "hook" } } } }
                && caller == "SyncVar" && Declares(Enclosing(model, literal)))
                return new TextEdit(tree, literal.Span, $"nameof({RenameEdits.Escaped(_newName)})", "string");
            if (call == null || call.ArgumentList.Arguments[0] != argument) return null;
            var receiver = (call.Expression as MemberAccessExpressionSyntax)?.Expression;
            var isOwn = receiver == null || receiver is ThisExpressionSyntax || receiver is BaseExpressionSyntax;
            if (_search.Symbol is INamedTypeSymbol type && UnityNames.IsObject(type) && caller is "GetComponent" or "AddComponent"
                && !(model.GetSymbolInfo(call, _token).Symbol is { ContainingType: { } of }
                    && !UnityNames.FullName(of).StartsWith("UnityEngine.", StringComparison.Ordinal)))
                return new TextEdit(tree, literal.Span, $"\"{_newName}\"", "string");
            if (!CallsMethod.Contains(caller)) return null;
            var on = isOwn ? Enclosing(model, literal) : model.GetTypeInfo(receiver, _token).Type as INamedTypeSymbol;
            if (on == null || !UnityNames.DerivesFrom(on, "UnityEngine.MonoBehaviour") || !Declares(on)) return null;
            return new TextEdit(tree, literal.Span,
                isOwn ? $"nameof({RenameEdits.Escaped(_newName)})" : $"\"{_newName}\"", "string");
        }

        private INamedTypeSymbol Enclosing(SemanticModel model, SyntaxNode node) =>
            node.FirstAncestorOrSelf<TypeDeclarationSyntax>() is { } type ? model.GetDeclaredSymbol(type, _token) : null;

        // Whether a type's member of the name is the renamed one.
        private bool Declares(INamedTypeSymbol type)
        {
            var name = SymbolFamily.NameOf(_search.Symbol);
            for (var at = type; at != null; at = at.BaseType == null ? null : _facts.Types.Of(at.BaseType))
            {
                var members = at.GetMembers(name);
                if (members.Length > 0) return members.Any(each => _search.Family.Keys.Contains(SymbolKeys.Of(each) ?? ""));
            }
            return false;
        }
    }
}
