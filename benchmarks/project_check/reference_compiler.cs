// What the compiler says of a project's assemblies, by the shortest way: each is compiled as csc
// compiles it, from its response file, all of it, every time.
//
// It knows no files that changed and no names that concern others. So it is slow, and right: what is
// faster is held against it. `csc` itself, where there is one, is held against this.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;
using RoslynServer;

namespace ProjectCheck
{
    /// <summary>A project's assemblies, in an order in which they can be compiled.</summary>
    public sealed class ReferenceCompiler
    {
        private readonly List<Assembly> _assemblies = new List<Assembly>();
        private readonly List<Compilation> _held = new List<Compilation>();
        private readonly Dictionary<string, MetadataReference> _libraries =
            new Dictionary<string, MetadataReference>(StringComparer.Ordinal);

        /// <summary>
        /// The response files, dependencies first. `keepsTrees`: a text is parsed once. `keepsResults`:
        /// an assembly of which nothing has changed, nor of what it refers to, is compiled once.
        /// </summary>
        public ReferenceCompiler(
            string folder, string[] responseFiles, bool keepsTrees, bool keepsResults)
        {
            foreach (var file in responseFiles)
                _assemblies.Add(new Assembly(file, folder, keepsTrees, keepsResults));
        }

        /// <summary>
        /// Compile everything; rows of assembly, path, line, column, id and message. A row of an
        /// assembly and "blocked" says that one it refers to does not compile.
        /// </summary>
        public string[] Errors()
        {
            var made = new Dictionary<string, MetadataReference>(StringComparer.OrdinalIgnoreCase);
            var failed = new HashSet<string>(StringComparer.OrdinalIgnoreCase);
            var rows = new List<string>();
            foreach (var each in _assemblies)
            {
                if (each.References.Any(path => failed.Contains(NameOf(path))))
                {
                    failed.Add(each.Name);
                    rows.Add($"{each.Name}\tblocked");
                    continue;
                }
                var (errors, reference) = each.Made(path => Resolved(path, made));
                rows.AddRange(errors);
                if (reference == null) failed.Add(each.Name);
                else made[each.Name] = reference;
            }
            return rows.ToArray();
        }

        /// <summary>Compile everything without errors, and write the libraries where they belong.</summary>
        public string[] Build()
        {
            foreach (var each in _assemblies)
            {
                var (errors, image) = each.Compile(each.Compilation(path => Library(path)));
                if (image == null) return errors;
                foreach (var path in each.Outputs) File.WriteAllBytes(path, image);
                _libraries.Clear();
            }
            return Array.Empty<string>();
        }

        /// <summary>
        /// Of one assembly without dependencies: the sources that have no errors once those that
        /// have some are left out, and below each, after a tab, the sources that it uses.
        /// </summary>
        public string[] Graph()
        {
            var only = _assemblies.Single();
            var compilation = only.Compilation(path => Library(path));
            while (true)
            {
                var bad = compilation.GetDiagnostics()
                    .Where(each => each.Severity == DiagnosticSeverity.Error && each.Location.IsInSource)
                    .Select(each => each.Location.SourceTree).Distinct().ToArray();
                if (bad.Length == 0) break;
                compilation = compilation.RemoveSyntaxTrees(bad);
            }
            var rows = new List<string>();
            foreach (var tree in compilation.SyntaxTrees)
            {
                var used = UsedBy(tree, compilation);
                rows.Add(tree.FilePath);
                rows.AddRange(used.Where(each => each != tree.FilePath).Select(each => "\t" + each));
            }
            return rows.ToArray();
        }

        /// <summary>
        /// Bind everything, and hold on to all of it; the bytes that the heap then has, after a collection.
        /// </summary>
        public long BytesBound()
        {
            var made = new Dictionary<string, MetadataReference>(StringComparer.OrdinalIgnoreCase);
            foreach (var each in _assemblies)
            {
                var compilation = each.Compilation(path => Resolved(path, made));
                var (_, image) = each.Compile(compilation);
                if (image != null) made[each.Name] = MetadataReference.CreateFromImage(image);
                _held.Add(compilation);
            }
            return GC.GetTotalMemory(true);
        }

        private static SortedSet<string> UsedBy(SyntaxTree tree, Compilation compilation)
        {
            var model = compilation.GetSemanticModel(tree);
            var used = new SortedSet<string>(StringComparer.Ordinal);
            foreach (var node in tree.GetRoot().DescendantNodes())
            {
                var symbol = node is BaseTypeDeclarationSyntax
                    ? model.GetDeclaredSymbol(node) : model.GetSymbolInfo(node).Symbol;
                if (symbol is INamespaceSymbol || symbol == null) continue;
                foreach (var each in symbol.DeclaringSyntaxReferences) used.Add(each.SyntaxTree.FilePath);
                // A member lives where its type does, in all of its parts.
                var type = symbol as INamedTypeSymbol ?? symbol.ContainingType;
                for (; type != null; type = type.ContainingType)
                    foreach (var each in type.DeclaringSyntaxReferences) used.Add(each.SyntaxTree.FilePath);
            }
            return used;
        }

        private MetadataReference Resolved(string path, Dictionary<string, MetadataReference> made) =>
            made.TryGetValue(NameOf(path), out var reference) ? reference : Library(path);

        private MetadataReference Library(string path)
        {
            if (!_libraries.TryGetValue(path, out var read))
                _libraries[path] = read = MetadataReference.CreateFromFile(path);
            return read;
        }

        internal static string NameOf(string path)
        {
            var name = Path.GetFileNameWithoutExtension(path);
            return name.EndsWith(".ref", StringComparison.Ordinal)
                ? name.Substring(0, name.Length - ".ref".Length) : name;
        }
    }

    internal sealed class Assembly
    {
        private readonly CSharpCommandLineArguments _arguments;
        private readonly string _folder;
        private readonly bool _keepsTrees;
        private readonly bool _keepsResults;
        private object[] _inputs = Array.Empty<object>();
        private (string[], MetadataReference) _made;
        private readonly Dictionary<string, (DateTime, long, SyntaxTree)> _trees =
            new Dictionary<string, (DateTime, long, SyntaxTree)>(StringComparer.Ordinal);

        public Assembly(string responseFile, string folder, bool keepsTrees, bool keepsResults)
        {
            _folder = folder;
            _keepsTrees = keepsTrees;
            _keepsResults = keepsResults;
            _arguments = CSharpCommandLineParser.Default.Parse(
                new[] { "@" + responseFile }, folder, null);
            Name = Path.GetFileNameWithoutExtension(responseFile);
        }

        public string Name { get; }

        public IEnumerable<string> References =>
            _arguments.MetadataReferences.Select(each => Path.GetFullPath(each.Reference, _folder));

        public IEnumerable<string> Outputs
        {
            get
            {
                yield return Path.Combine(_arguments.OutputDirectory, _arguments.OutputFileName);
                if (_arguments.OutputRefFilePath != null) yield return _arguments.OutputRefFilePath;
            }
        }

        public CSharpCompilation Compilation(Func<string, MetadataReference> reference) =>
            CSharpCompilation.Create(
                Name,
                _arguments.SourceFiles.Select(each => Tree(each.Path)).Where(each => each != null),
                References.Select(reference),
                _arguments.CompilationOptions);

        public (string[], MetadataReference) Made(Func<string, MetadataReference> reference)
        {
            var compilation = Compilation(reference);
            var inputs = compilation.SyntaxTrees.Concat<object>(compilation.References).ToArray();
            if (_keepsResults && _inputs.SequenceEqual(inputs)) return _made;
            var (errors, image) = Compile(compilation);
            _inputs = inputs;
            _made = (errors, image == null ? null : MetadataReference.CreateFromImage(image));
            return _made;
        }

        // As csc: one step's errors end it, unless they are warnings that count as errors. What is
        // wrong with bodies is found as they are bound and as they are lowered, all of it in one step.
        public (string[], byte[]) Compile(CSharpCompilation compilation)
        {
            var found = new List<Diagnostic>(compilation.GetParseDiagnostics());
            if (!Ends(found)) found.AddRange(compilation.GetDeclarationDiagnostics());
            if (Ends(found)) return (Rows(found), null);
            using (var stream = new MemoryStream())
            {
                var result = compilation.Emit(stream);
                return (Rows(result.Diagnostics), result.Success ? stream.ToArray() : null);
            }
        }

        private static bool Ends(IEnumerable<Diagnostic> found) => found.Any(
            each => each.DefaultSeverity == DiagnosticSeverity.Error && !each.IsSuppressed);

        private string[] Rows(IEnumerable<Diagnostic> found) => found
            .Where(each => each.Severity == DiagnosticSeverity.Error && !each.IsSuppressed)
            .Select(Row).Distinct().ToArray();

        private string Row(Diagnostic each)
        {
            var place = each.Location.GetMappedLineSpan();
            var path = place.IsValid ? Path.GetRelativePath(_folder, Path.GetFullPath(place.Path, _folder)) : "";
            var at = place.StartLinePosition;
            return string.Join("\t", Name, path.Replace('\\', '/'), at.Line + 1, at.Character + 1, each.Id,
                Messages.OneLine(each));
        }

        private SyntaxTree Tree(string path)
        {
            var file = new FileInfo(path);
            if (!file.Exists) return null;
            if (_keepsTrees && _trees.TryGetValue(path, out var known)
                && known.Item1 == file.LastWriteTimeUtc && known.Item2 == file.Length) return known.Item3;
            using (var stream = File.OpenRead(path))
            {
                var text = SourceText.From(stream, _arguments.Encoding);
                var tree = CSharpSyntaxTree.ParseText(text, _arguments.ParseOptions, path);
                if (_keepsTrees) _trees[path] = (file.LastWriteTimeUtc, file.Length, tree);
                return tree;
            }
        }
    }
}
