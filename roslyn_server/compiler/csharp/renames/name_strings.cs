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
        private static readonly HashSet<string> CallsMethod = new HashSet<string>(StringComparer.Ordinal)
            { "Invoke", "InvokeRepeating", "CancelInvoke", "IsInvoking", "StartCoroutine", "StopCoroutine" };
        private static readonly HashSet<string> NamesType = new HashSet<string>(StringComparer.Ordinal)
            { "GetComponent", "AddComponent", "CreateInstance", "GetType" };
        private static readonly HashSet<string> NamesMember = new HashSet<string>(StringComparer.Ordinal)
            { "SendMessage", "SendMessageUpwards", "BroadcastMessage", "FindProperty", "FindPropertyRelative" };
        private static readonly HashSet<string> NamesParameter = new HashSet<string>(StringComparer.Ordinal)
            { "CallerArgumentExpression", "NotNullIfNotNull", "InterpolatedStringHandlerArgument" };

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

        // Those of them that are the name, or reach a call that finds something by it.
        private readonly List<(SyntaxTree Tree, TextSpan Span)> _naming = new List<(SyntaxTree, TextSpan)>();

        /// <summary>Looks at each string that has the name as a word.</summary>
        public void Read()
        {
            var symbol = _search.Symbol;
            if (symbol is IParameterSymbol) ReadAttributes();
            var isType = symbol is INamedTypeSymbol;
            if (!isType && !(symbol is IMethodSymbol { MethodKind: MethodKind.Ordinary }) && !(symbol is IFieldSymbol)
                && !(symbol is IPropertySymbol) && !(symbol is IEventSymbol) && !(symbol is INamespaceSymbol)) return;
            var name = SymbolFamily.NameOf(symbol);
            var callers = isType || symbol is INamespaceSymbol ? NamesType : NamesMember;
            foreach (var (reading, span, token, text) in Named(name))
            {
                var tree = reading.Tree;
                var caller = Caller(token.Parent);
                if (text == name && token.Parent is LiteralExpressionSyntax literal && IsCall(literal, caller, reading) is { } edit)
                {
                    Edits.Add(edit);
                    continue;
                }
                var isNaming = text == name || callers.Contains(caller) || _facts.Serialized.Count > 0 && IsPath(text);
                if (!isNaming && !IsPath(text) && !HasName(text, name, isType)) continue;
                if (isNaming) _naming.Add((tree, token.Span));
                Listed.Add((tree, token.Span, token.Text, caller.Length > 0 ? caller : "string",
                    token.Text.Remove(span.Start - token.SpanStart, span.Length).Insert(span.Start - token.SpanStart, _newName)));
            }
            Listed.AddRange(_search.Found.Where(each => RenameEdits.KeepsName(each, _search))
                .Select(each => (each.Tree, each.Span, name, "nameof", RenameEdits.Escaped(_newName))));
        }

        /// <summary>
        /// Returns the strings that name the symbol, or may do so: those that are its name, and those in
        /// calls that find something by a name.
        /// </summary>
        public IEnumerable<Reference> References() => Edits.Select(each => (each.Tree, each.Span)).Concat(_naming)
            .Select(each => new Reference { Tree = each.Tree, Span = each.Span, Kind = "string" });

        // The strings that have the name, with the place of the name and what they say.
        private IEnumerable<(Reading Reading, TextSpan Span, SyntaxToken Token, string Text)> Named(string name)
        {
            foreach (var (reading, span) in _search.Search.Texts)
            {
                _token.ThrowIfCancellationRequested();
                if (reading.Tree.GetText(_token).ToString(span) != name) continue;
                var token = reading.Tree.GetRoot(_token).FindToken(span.Start);
                yield return (reading, span, token, token.Value as string ?? token.ValueText);
            }
        }

        // Attributes that name a parameter of the member that they stand at.
        private void ReadAttributes()
        {
            var name = _search.Symbol.Name;
            var members = _search.Found.Where(each => each.Name?.Binding.IsDeclaration == true)
                .Select(each => (each.Path, Span: (each.Name.Token.Parent.Ancestors().FirstOrDefault(one => one
                    is MemberDeclarationSyntax || one is LocalFunctionStatementSyntax) ?? each.Name.Token.Parent).FullSpan)).ToList();
            Edits.AddRange(Named(name).Where(each => each.Text == name && NamesParameter.Contains(Caller(each.Token.Parent))
                    && members.Any(one => one.Path == each.Reading.Tree.FilePath && one.Span.Contains(each.Span)))
                .Select(each => new TextEdit(each.Reading.Tree, each.Token.Span, $"\"{_newName}\"", "string")));
        }

        // A script's file, a key in JSON, or that of a property's field.
        private static bool HasName(string text, string name, bool isType) => text != null && (isType
            ? text.EndsWith(name + ".cs", StringComparison.Ordinal)
            : text.Contains($"\"{name}\"", StringComparison.Ordinal) || text.Contains($"<{name}>k__", StringComparison.Ordinal));

        // A property path, or the full name of a type.
        private static bool IsPath(string text) => text != null && text.Length < 300 && text.Contains('.')
            && text.All(each => char.IsLetterOrDigit(each) || each == '.' || each == '_' || each == '[' || each == ']'
                || each == '+' || each == '-' || each == ',' || each == ' ' || each == '`') && !text.Contains(". ", StringComparison.Ordinal);

        // What a string is given to, also as a part of an expression.
        private static string Caller(SyntaxNode node)
        {
            while (node?.Parent is ParenthesizedExpressionSyntax || node?.Parent is ConditionalExpressionSyntax
                || node?.Parent is BinaryExpressionSyntax { RawKind: (int)SyntaxKind.AddExpression or (int)SyntaxKind.CoalesceExpression }
                || node?.Parent is CastExpressionSyntax || node?.Parent is PostfixUnaryExpressionSyntax
                || node?.Parent is InterpolationSyntax || node?.Parent is InterpolatedStringExpressionSyntax) node = node.Parent;
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
