// What Roslyn's own workspace says of references and renames: the truth that ours is held against.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.FindSymbols;
using Microsoft.CodeAnalysis.Rename;
using Microsoft.CodeAnalysis.Text;

namespace Renames
{
    /// <summary>A project's assemblies in one workspace.</summary>
    public sealed class Workspace
    {
        private readonly AdhocWorkspace _workspace = new AdhocWorkspace();
        private readonly Solution _solution;
        private readonly Dictionary<string, DocumentId> _documents = new Dictionary<string, DocumentId>();

        /// <summary>The response files, dependencies first.</summary>
        public Workspace(string folder, string[] responseFiles)
        {
            var solution = _workspace.CurrentSolution;
            var projects = new Dictionary<string, ProjectId>();
            foreach (var file in responseFiles)
            {
                var name = Path.GetFileNameWithoutExtension(file);
                var arguments = CSharpCommandLineParser.Default.Parse(new[] { "@" + file }, folder, null);
                var id = projects[name] = ProjectId.CreateNewId(name);
                var references = arguments.MetadataReferences.Select(each => Path.GetFullPath(each.Reference, folder)).ToList();
                solution = solution.AddProject(ProjectInfo.Create(
                    id, VersionStamp.Create(), name, name, LanguageNames.CSharp,
                    compilationOptions: arguments.CompilationOptions.WithConcurrentBuild(false),
                    parseOptions: arguments.ParseOptions.WithDocumentationMode(DocumentationMode.Parse),
                    projectReferences: references.Select(NameOf).Where(projects.ContainsKey)
                        .Select(each => new ProjectReference(projects[each])),
                    metadataReferences: references.Where(each => !projects.ContainsKey(NameOf(each)))
                        .Select(each => MetadataReference.CreateFromFile(each))));
                foreach (var source in arguments.SourceFiles)
                {
                    var document = DocumentId.CreateNewId(id, source.Path);
                    var text = SourceText.From(File.ReadAllText(source.Path));
                    solution = solution.AddDocument(document, Path.GetFileName(source.Path), text, filePath: source.Path);
                    _documents[source.Path] = document;
                }
            }
            _solution = solution;
        }

        private static string NameOf(string path)
        {
            var name = Path.GetFileNameWithoutExtension(path);
            return name.EndsWith(".ref", StringComparison.Ordinal) ? name.Substring(0, name.Length - 4) : name;
        }

        /// <summary>Every declared name: path, line, character, kind and name.</summary>
        public string[] Declarations()
        {
            var rows = new List<string>();
            foreach (var (path, id) in _documents.OrderBy(each => each.Key, StringComparer.Ordinal))
            {
                var document = _solution.GetDocument(id);
                var (model, root) = (document.GetSemanticModelAsync().Result, document.GetSyntaxRootAsync().Result);
                foreach (var token in root.DescendantTokens().Where(each => each.IsKind(SyntaxKind.IdentifierToken)))
                {
                    if (token.Parent is SimpleNameSyntax) continue;
                    if (!(model.GetDeclaredSymbol(token.Parent) is { } symbol)) continue;
                    if (symbol is IFieldSymbol { ContainingType: { IsTupleType: true } }) continue;
                    rows.Add($"{Row(path, token.GetLocation())}\t{Kind(symbol)}\t{token.ValueText}");
                }
            }
            return rows.ToArray();
        }

        private static string Kind(ISymbol symbol) => symbol is IMethodSymbol method
            ? method.MethodKind.ToString() : symbol is INamedTypeSymbol type ? type.TypeKind.ToString() : symbol.Kind.ToString();

        /// <summary>
        /// The references of what is declared at a place: path, line, character and "explicit" or
        /// "implicit"; then the declarations in source, with "declaration".
        /// </summary>
        public string[] References(string path, int line, int character)
        {
            var symbol = At(path, line, character);
            if (symbol == null) return new[] { "none" };
            var rows = new List<string>();
            foreach (var found in SymbolFinder.FindReferencesAsync(symbol, _solution).Result)
            {
                // Accessors have no name of their own.
                if (found.Definition is IMethodSymbol { AssociatedSymbol: { } }) continue;
                foreach (var at in found.Definition.Locations.Where(each => each.IsInSource))
                    rows.Add(Row(at.SourceTree.FilePath, at) + "\tdeclaration");
                foreach (var each in found.Locations)
                    rows.Add(Row(each.Location.SourceTree.FilePath, each.Location)
                        + (each.IsImplicit ? "\timplicit" : "\texplicit"));
            }
            return rows.Distinct().ToArray();
        }

        /// <summary>Whether a place stands in code that the build's symbols exclude.</summary>
        public bool IsExcluded(string path, int line, int character)
        {
            var document = _solution.GetDocument(_documents[path]);
            var offset = document.GetTextAsync().Result.Lines[line].Start + character;
            return document.GetSyntaxRootAsync().Result.FindTrivia(offset).IsKind(SyntaxKind.DisabledTextTrivia);
        }

        /// <summary>The changed texts of a rename by Roslyn: path, tab, text; or "conflict".</summary>
        public string[] Rename(string path, int line, int character, string name)
        {
            var symbol = At(path, line, character);
            try
            {
                var renamed = Renamer.RenameSymbolAsync(_solution, symbol, new SymbolRenameOptions(), name).Result;
                var rows = new List<string>();
                foreach (var project in renamed.GetChanges(_solution).GetProjectChanges())
                    foreach (var id in project.GetChangedDocuments())
                        rows.Add($"{renamed.GetDocument(id).FilePath}\t{renamed.GetDocument(id).GetTextAsync().Result}");
                return rows.ToArray();
            }
            catch (Exception error)
            {
                return new[] { "conflict\t" + error.Message.Split('\n')[0] };
            }
        }

        private ISymbol At(string path, int line, int character)
        {
            var document = _solution.GetDocument(_documents[path]);
            var root = document.GetSyntaxRootAsync().Result;
            var offset = document.GetTextAsync().Result.Lines[line].Start + character;
            return document.GetSemanticModelAsync().Result.GetDeclaredSymbol(root.FindToken(offset).Parent);
        }

        private static string Row(string path, Location at)
        {
            var start = at.GetLineSpan().StartLinePosition;
            return $"{path}\t{start.Line}\t{start.Character}";
        }
    }
}
