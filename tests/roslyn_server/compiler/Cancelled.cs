// A compilation that is cancelled as its documentation is made: by whoever is asked for the file that
// this includes.
using System;
using System.Collections.Immutable;
using System.IO;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace RoslynServer
{
    public static class Cancelled
    {
        private const string Text = "/// <include file='a.xml' path='*'/>\npublic class C { } public class D { }";

        /// <summary>The ids of what the compiler itself says, and of what is taken from it; a tab between.</summary>
        public static string Told(string library) =>
            Of(library, (compilation, token) => compilation.Emit(Stream.Null, cancellationToken: token).Diagnostics)
            + "\t" + Of(library, Lowering.Emitted);

        private static string Of(
            string library, Func<CSharpCompilation, CancellationToken, ImmutableArray<Diagnostic>> said)
        {
            var source = new CancellationTokenSource();
            var compilation = CSharpCompilation.Create(
                "Cancelled",
                new[] { CSharpSyntaxTree.ParseText(
                    Text, new CSharpParseOptions(documentationMode: DocumentationMode.Parse), "C.cs") },
                new[] { MetadataReference.CreateFromFile(library) },
                new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary).WithConcurrentBuild(false)
                    .WithXmlReferenceResolver(new Cancelling(source)));
            try
            {
                return string.Join(" ", said(compilation, source.Token).Select(each => each.Id));
            }
            catch (OperationCanceledException)
            {
                return "cancelled";
            }
        }

        private sealed class Cancelling : XmlReferenceResolver
        {
            private readonly CancellationTokenSource _source;

            public Cancelling(CancellationTokenSource source) => _source = source;

            public override string ResolveReference(string path, string baseFilePath)
            {
                _source.Cancel();
                return null;
            }

            public override Stream OpenRead(string resolvedPath) => throw new NotSupportedException();

            public override bool Equals(object other) => ReferenceEquals(this, other);

            public override int GetHashCode() => 0;
        }
    }
}
