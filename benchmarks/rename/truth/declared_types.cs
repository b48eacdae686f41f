// What a project declares, as the compiler sees it: the truth that renamed assets are held against.
//
// A declaration's identity is its file and its place among the file's declarations: a rename changes
// neither, so that the same thing is found before and after.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Text.Json;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;

namespace RenameTruth
{
    /// <summary>The assemblies of a project; texts are read when they are first asked for, or changed.</summary>
    public sealed class DeclaredTypes
    {
        private readonly string _folder;
        private readonly List<(CSharpCommandLineArguments Arguments, string Name)> _assemblies =
            new List<(CSharpCommandLineArguments, string)>();
        private readonly Dictionary<string, SyntaxTree> _trees = new Dictionary<string, SyntaxTree>();
        private readonly Dictionary<string, string> _moved = new Dictionary<string, string>();
        private readonly ConditionalWeakTable<SyntaxTree, Dictionary<SyntaxNode, int>> _places =
            new ConditionalWeakTable<SyntaxTree, Dictionary<SyntaxNode, int>>();
        private readonly Dictionary<string, MetadataReference> _libraries = new Dictionary<string, MetadataReference>();
        private List<CSharpCompilation> _compilations;

        /// <summary>The response files, dependencies first.</summary>
        public DeclaredTypes(string folder, string[] responseFiles)
        {
            _folder = folder;
            foreach (var file in responseFiles)
                _assemblies.Add((CSharpCommandLineParser.Default.Parse(new[] { "@" + file }, folder, null),
                    Path.GetFileNameWithoutExtension(file)));
        }

        /// <summary>Notes that texts changed. A file that moved is given as "from, tab, to".</summary>
        public void Changed(string[] paths, string[] moves)
        {
            _compilations = null;
            foreach (var path in paths) _trees.Remove(Full(path));
            foreach (var move in moves.Select(each => each.Split('\t')))
            {
                // The response file still says the first name.
                var first = _moved.FirstOrDefault(each => each.Value == Full(move[0])).Key ?? Full(move[0]);
                _moved[first] = Full(move[1]);
                _trees.Remove(first);
            }
        }

        /// <summary>Forgets all texts and moves.</summary>
        public void Forget()
        {
            _compilations = null;
            _trees.Clear();
            _moved.Clear();
        }

        private string Full(string path) => Path.GetFullPath(path, _folder);

        private List<CSharpCompilation> Compilations()
        {
            if (_compilations != null) return _compilations;
            var made = new Dictionary<string, CSharpCompilation>();
            foreach (var (arguments, name) in _assemblies)
            {
                var trees = arguments.SourceFiles.Select(each => Tree(each.Path, arguments.ParseOptions)).ToList();
                var references = arguments.MetadataReferences.Select(each => each.Reference).Select(each =>
                    made.TryGetValue(Path.GetFileNameWithoutExtension(each), out var other) ? other.ToMetadataReference()
                        : File.Exists(each) ? Library(each) : null).Where(each => each != null);
                made[name] = CSharpCompilation.Create(name, trees, references, arguments.CompilationOptions);
            }
            return _compilations = made.Values.ToList();
        }

        private SyntaxTree Tree(string path, CSharpParseOptions options)
        {
            // The tree's identity is its first path: what is keyed by it survives a move.
            if (_trees.TryGetValue(path, out var known)) return known;
            var file = _moved.TryGetValue(path, out var to) ? to : path;
            return _trees[path] = CSharpSyntaxTree.ParseText(
                SourceText.From(File.ReadAllText(file)), options, path);
        }

        private MetadataReference Library(string path) => _libraries.TryGetValue(path, out var known) ? known
            : _libraries[path] = MetadataReference.CreateFromFile(path);

        /// <summary>The errors in some texts, as "path, tab, id", by the first paths; all if none is given.</summary>
        public string[] Errors(string[] paths)
        {
            var wanted = paths.Select(Full).Select(each => _moved.FirstOrDefault(one => one.Value == each).Key ?? each).ToHashSet();
            var rows = new List<string>();
            foreach (var compilation in Compilations())
                foreach (var tree in compilation.SyntaxTrees.Where(each => wanted.Count == 0 || wanted.Contains(each.FilePath)))
                    rows.AddRange(compilation.GetSemanticModel(tree).GetDiagnostics()
                        .Where(each => each.Severity == DiagnosticSeverity.Error).Select(each => Inside(tree.FilePath) + "\t" + each.Id));
            return rows.ToArray();
        }

        /// <summary>The texts whose declarations have errors: assemblies above can't be bound then.</summary>
        public string[] Undeclared() => Compilations().SelectMany(each => each.GetDeclarationDiagnostics())
            .Where(each => each.Severity == DiagnosticSeverity.Error && each.Location.SourceTree != null)
            .Select(each => Inside(each.Location.SourceTree.FilePath)).Distinct().ToArray();

        private string Now(string path) => Inside(_moved.TryGetValue(path, out var to) ? to : path);

        private string Inside(string path) => Path.GetRelativePath(_folder, path).Replace('\\', '/');

        /// <summary>Every type: what Unity finds in it by a name.</summary>
        public string Types()
        {
            var found = new List<object>();
            foreach (var compilation in Compilations())
                foreach (var type in All(compilation.Assembly.GlobalNamespace))
                    found.Add(Row(type, compilation.AssemblyName));
            return JsonSerializer.Serialize(found);
        }

        private static IEnumerable<INamedTypeSymbol> All(INamespaceOrTypeSymbol around)
        {
            foreach (var each in around.GetMembers().OfType<INamespaceOrTypeSymbol>())
            {
                if (each is INamedTypeSymbol type && type.TypeKind != TypeKind.Delegate) yield return type;
                foreach (var inner in All(each)) yield return inner;
            }
        }

        private object Row(INamedTypeSymbol type, string assembly)
        {
            var bases = Bases(type).ToList();
            return new Dictionary<string, object>
            {
                ["id"] = Id(type),
                ["name"] = Reflected(type),
                ["space"] = Space(type),
                ["assembly"] = assembly,
                ["kind"] = type.TypeKind.ToString(),
                ["scripts"] = type.DeclaringSyntaxReferences.Select(each => Now(each.SyntaxTree.FilePath)).Distinct().ToArray(),
                ["isObject"] = bases.Any(each => each.Name == "Object" && Space(each) == "UnityEngine"),
                ["isKnown"] = bases.All(each => each.TypeKind != TypeKind.Error),
                ["isSerializable"] = type.IsSerializable,
                // Namespace, assembly and name; null: the same as now.
                ["was"] = type.GetAttributes().Where(each => each.AttributeClass?.Name == "MovedFromAttribute"
                    && each.ConstructorArguments.Length == 4).Select(each => each.ConstructorArguments.Skip(1)
                        .Select(one => one.Value as string).ToArray()).FirstOrDefault(),
                ["fields"] = bases.SelectMany(each => each.GetMembers().OfType<IFieldSymbol>()).Where(IsSerialized).Select(Field).ToArray(),
                ["methods"] = bases.SelectMany(each => each.GetMembers().OfType<IMethodSymbol>())
                    .Where(each => each.MethodKind is MethodKind.Ordinary or MethodKind.PropertySet)
                    .Select(each => new object[] { each.Name, Id(each.AssociatedSymbol ?? each),
                        each.Parameters.Select(one => one.Type.ToDisplayString()).ToArray() }).ToArray(),
            };
        }

        private static IEnumerable<INamedTypeSymbol> Bases(INamedTypeSymbol type)
        {
            for (var at = type; at != null; at = at.BaseType) yield return at;
        }

        private static bool IsSerialized(IFieldSymbol field)
        {
            bool Has(string name) => field.GetAttributes().Any(each => each.AttributeClass?.Name == name);
            return !field.IsStatic && !field.IsConst && !field.IsReadOnly && !Has("NonSerializedAttribute")
                && (field.DeclaredAccessibility == Accessibility.Public || Has("SerializeField") || Has("SerializeReference"));
        }

        private object Field(IFieldSymbol field)
        {
            var type = field.Type;
            if (type is IArrayTypeSymbol array) type = array.ElementType;
            else if (type is INamedTypeSymbol { Name: "List", TypeArguments: { Length: 1 } } list) type = list.TypeArguments[0];
            return new object[]
            {
                field.Name, Id(field.AssociatedSymbol ?? field),
                field.GetAttributes().Where(each => each.AttributeClass?.Name == "FormerlySerializedAsAttribute"
                    && each.ConstructorArguments.Length == 1).Select(each => each.ConstructorArguments[0].Value as string).ToArray(),
                type is INamedTypeSymbol && type.DeclaringSyntaxReferences.Length > 0 ? Id(type) : null,
            };
        }

        /// <summary>
        /// Every declaration to rename, in all texts or in the one that has an id: kind, id, path now, line,
        /// character, name.
        /// </summary>
        public string[] Declarations(string id)
        {
            var only = id == "" || id == "namespace" ? null : id.Substring(0, id.LastIndexOf('#'));
            var rows = new List<string>();
            var spaces = new HashSet<string>();
            void Add(string kind, ISymbol symbol, SyntaxToken token)
            {
                var at = token.GetLocation().GetLineSpan().StartLinePosition;
                var path = token.SyntaxTree.FilePath;
                rows.Add($"{kind}\t{Id(symbol)}\t{Now(path)}\t{at.Line}\t{at.Character}\t{token.ValueText}");
            }
            foreach (var compilation in Compilations())
                foreach (var tree in compilation.SyntaxTrees.Where(each => only == null || Inside(each.FilePath) == only))
                {
                    var model = compilation.GetSemanticModel(tree);
                    foreach (var node in tree.GetRoot().DescendantNodes())
                    {
                        if (node is NamespaceDeclarationSyntax space)
                        {
                            var name = space.Name is QualifiedNameSyntax qualified ? qualified.Right : (SimpleNameSyntax)space.Name;
                            if (spaces.Add(model.GetDeclaredSymbol(space).ToDisplayString())) Add("namespace", model.GetDeclaredSymbol(space), name.Identifier);
                        }
                        else if (node is BaseTypeDeclarationSyntax type) Add("type", model.GetDeclaredSymbol(type), type.Identifier);
                        else if (node is EnumMemberDeclarationSyntax member) Add("enum member", model.GetDeclaredSymbol(member), member.Identifier);
                        else if (node is MethodDeclarationSyntax method && model.GetDeclaredSymbol(method) is { } own && IsObject(own.ContainingType))
                            Add("method", own, method.Identifier);
                        else if (node is VariableDeclaratorSyntax { Parent: { Parent: FieldDeclarationSyntax _ } } one
                            && model.GetDeclaredSymbol(one) is IFieldSymbol field && IsSerialized(field))
                        {
                            if (IsObject(field.ContainingType)) Add("field", field, one.Identifier);
                            else if (field.ContainingType.IsSerializable) Add("nested field", field, one.Identifier);
                        }
                        else if (node is PropertyDeclarationSyntax property && model.GetDeclaredSymbol(property) is IPropertySymbol its
                            && its.ContainingType.GetMembers().OfType<IFieldSymbol>().Any(each =>
                                SymbolEqualityComparer.Default.Equals(each.AssociatedSymbol, its) && IsSerialized(each)))
                            Add("backing field", its, property.Identifier);
                    }
                }
            return rows.ToArray();
        }

        private static bool IsObject(INamedTypeSymbol type) => Bases(type).Any(each => each.Name == "Object" && Space(each) == "UnityEngine");

        private static string Space(INamedTypeSymbol type) =>
            type.ContainingNamespace is { IsGlobalNamespace: false } space ? space.ToDisplayString() : "";

        private static string Reflected(INamedTypeSymbol type) =>
            type.ContainingType == null ? type.MetadataName : Reflected(type.ContainingType) + "/" + type.MetadataName;

        private string Id(ISymbol symbol)
        {
            var reference = symbol.OriginalDefinition.DeclaringSyntaxReferences.FirstOrDefault();
            if (reference == null) return symbol.ToDisplayString();
            if (symbol is INamespaceSymbol) return "namespace";
            var places = _places.GetValue(reference.SyntaxTree, tree => tree.GetRoot().DescendantNodes()
                .Where(each => each is MemberDeclarationSyntax && !(each is BaseFieldDeclarationSyntax) || each is VariableDeclaratorSyntax)
                .Select((each, at) => (each, at)).ToDictionary(each => each.each, each => each.at));
            return Inside(reference.SyntaxTree.FilePath) + "#" + (places.TryGetValue(reference.GetSyntax(), out var place) ? place : -1);
        }
    }
}
