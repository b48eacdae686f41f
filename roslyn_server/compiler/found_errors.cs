// What the compiler says, kept as plain values: a Diagnostic keeps all of its compilation alive.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Text;

namespace RoslynServer
{
    /// <summary>One error or warning, with its place as the compiler prints it, from 1 on.</summary>
    internal sealed class FoundError : IEquatable<FoundError>
    {
        public readonly string Id;
        public readonly bool IsError;

        /// <summary>Whether the compiler goes no further; a warning made an error doesn't stop it.</summary>
        public readonly bool Stops;

        public readonly TextSpan Span;
        public readonly string Path;
        public readonly int Line;
        public readonly int Column;
        public readonly string Message;

        public FoundError(Diagnostic from)
        {
            Id = from.Id;
            IsError = from.Severity == DiagnosticSeverity.Error;
            Stops = IsError && from.DefaultSeverity == DiagnosticSeverity.Error;
            Message = Messages.OneLine(from);
            Path = "";
            if (!from.Location.IsInSource) return;
            Span = from.Location.SourceSpan;
            var at = from.Location.GetMappedLineSpan();
            Path = at.Path;
            Line = at.StartLinePosition.Line + 1;
            Column = at.StartLinePosition.Character + 1;
        }

        /// <summary>The same one at another place.</summary>
        public FoundError(FoundError from, SyntaxTree tree, TextSpan span)
        {
            Id = from.Id;
            IsError = from.IsError;
            Stops = from.Stops;
            Message = from.Message;
            Span = span;
            var at = tree.GetMappedLineSpan(span);
            Path = at.Path;
            Line = at.StartLinePosition.Line + 1;
            Column = at.StartLinePosition.Character + 1;
        }

        public FoundError(string id, string path, int line, int column, string message)
        {
            Id = id;
            IsError = Stops = true;
            Path = path;
            Line = line;
            Column = column;
            Message = message;
        }

        public bool Equals(FoundError other) =>
            other != null && Id == other.Id && Span == other.Span && Path == other.Path
            && Line == other.Line && Column == other.Column && IsError == other.IsError
            && Message == other.Message;

        public override bool Equals(object other) => Equals(other as FoundError);

        public override int GetHashCode() => (Id, Span, Line).GetHashCode();

        /// <summary>As Python reads it: id, severity, line, column, path and message.</summary>
        public string Row(string assembly) =>
            $"{Id}\t{(IsError ? "error" : "warning")}\t{Line}\t{Column}\t{Path}\t{assembly}\t{Message}";

        public static FoundError[] Of(IEnumerable<Diagnostic> all) => all
            .Where(each => each.Severity >= DiagnosticSeverity.Warning && !each.IsSuppressed)
            .Select(each => new FoundError(each)).ToArray();
    }

    /// <summary>The stages of a compilation; one that has errors is the last.</summary>
    internal enum Stage { Parsing, Declaring, Binding }

    /// <summary>What is known of one tree's errors, stage by stage; <c>null</c> is not known yet.</summary>
    internal sealed class TreeErrors
    {
        private readonly FoundError[][] _of = new FoundError[3][];

        public FoundError[] this[Stage stage]
        {
            get => _of[(int)stage];
            set => _of[(int)stage] = value;
        }

        public TreeErrors Copy()
        {
            var copy = new TreeErrors();
            _of.CopyTo(copy._of, 0);
            return copy;
        }
    }
}
