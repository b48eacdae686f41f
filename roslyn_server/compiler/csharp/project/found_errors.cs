// The compiler's diagnostics as plain values: a Diagnostic keeps its whole compilation in memory.
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

        /// <summary>
        /// Whether the compiler stops because of it; a warning turned into an error doesn't stop
        /// it.
        /// </summary>
        public readonly bool Stops;

        public readonly TextSpan Span;

        /// <summary>
        /// The path that the compiler prints, which a <c>#line</c> above can change.
        /// </summary>
        public readonly string Path;

        /// <summary>The source that contains it; empty if none does.</summary>
        public readonly string File = "";

        // Whether its source was read in the wrong encoding.
        private readonly bool _isMisread;

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
            var tree = from.Location.SourceTree;
            Span = from.Location.SourceSpan;
            (File, Path, Line, Column, _isMisread) = Place(tree, Span);
        }

        /// <summary>The same error at another place.</summary>
        public FoundError(FoundError from, SyntaxTree tree, TextSpan span)
        {
            Id = from.Id;
            IsError = from.IsError;
            Stops = from.Stops;
            Message = from.Message;
            Span = span;
            (File, Path, Line, Column, _isMisread) = Place(tree, span);
        }

        /// <summary>An error that isn't the compiler's own.</summary>
        public FoundError(string id, SyntaxTree tree, TextSpan span, string message)
        {
            Id = id;
            IsError = Stops = true;
            Message = message;
            (File, Path, Line, Column, _isMisread) = Place(tree, span);
        }

        private static (string, string, int, int, bool) Place(SyntaxTree tree, TextSpan span)
        {
            var at = tree.GetMappedLineSpan(span);
            var start = at.StartLinePosition;
            return (tree.FilePath, at.HasMappedPath ? at.Path : tree.FilePath, start.Line + 1, start.Character + 1,
                ReferenceEquals(tree.Encoding, Source.Lenient));
        }

        public bool Equals(FoundError other) =>
            other != null && Id == other.Id && Span == other.Span && Path == other.Path
            && Line == other.Line && Column == other.Column && IsError == other.IsError
            && Message == other.Message;

        public override bool Equals(object other) => Equals(other as FoundError);

        public override int GetHashCode() => (Id, Span, Line).GetHashCode();

        /// <summary>
        /// The row for Python: id, severity, line, column, path, source, assembly and message.
        /// </summary>
        public string Row(string assembly) =>
            $"{Id}\t{Severity}\t{Line}\t{Column}\t{Path}\t{File}\t{assembly}\t{Message}";

        /// <summary>As the compiler prints it.</summary>
        public string Printed => $"{Path}({Line},{Column}): {Severity} {Id}: {Message}";

        private string Severity => !IsError ? "warning" : _isMisread ? "misread" : "error";

        public static FoundError[] Of(IEnumerable<Diagnostic> all) => all
            .Where(each => each.Severity >= DiagnosticSeverity.Warning && !each.IsSuppressed)
            .Select(each => new FoundError(each)).ToArray();
    }

    /// <summary>The stages of a compilation; the first one with errors is the last.</summary>
    internal enum Stage { Parsing, Declaring, Binding }

    /// <summary>The known errors of one tree by stage; <c>null</c> means not known yet.</summary>
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
