// Find the errors of a rename that the build doesn't have: in code that other symbols compile.
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace RoslynServer
{
    internal static class OtherSymbols
    {
        /// <summary>
        /// Returns the errors that come under symbol sets in which excluded code spells a name: in its
        /// texts and in those that declare the symbol. By code and file, each where it stood before.
        /// </summary>
        public static IEnumerable<RenameConflict> NewErrors(
            NameSearch before, NameSearch after, IEnumerable<string> declaring, TextEdits edits, CancellationToken token)
        {
            var (old, texts) = (Sets(before), declaring.ToList());
            foreach (var (set, now) in Sets(after))
            {
                if (!old.TryGetValue(set, out var was)) continue;
                foreach (var path in now.Paths.Concat(texts).Distinct(Files.Paths))
                {
                    var errors = Errors(now.Compilation, path, token);
                    if (errors.Count == 0) continue;
                    var (own, known) = (Tree(was.Compilation, path), Errors(was.Compilation, path, token));
                    foreach (var those in errors.GroupBy(each => each.Id))
                        foreach (var each in those.Skip(known.Count(one => one.Id == those.Key)))
                            yield return new RenameConflict("new_error",
                                $"{each.Id}: {each.GetMessage()} (under other #if symbols)", own,
                                edits.MovedBack(path, each.Location.SourceSpan.Start));
                }
            }
        }

        // The compilations that read excluded code, by assembly and symbols, and the texts with it.
        private static Dictionary<(string, string), (CSharpCompilation Compilation, List<string> Paths)> Sets(NameSearch search) =>
            search.Bound.Select(each => each.Reading).Distinct().Where(each => !each.IsBuilds)
                .GroupBy(each => (each.Compilation.AssemblyName,
                    string.Join(" ", each.Tree.Options.PreprocessorSymbolNames.OrderBy(one => one))))
                .ToDictionary(each => each.Key,
                    each => (each.First().Compilation, each.Select(one => one.Tree.FilePath).ToList()));

        private static List<Diagnostic> Errors(CSharpCompilation compilation, string path, CancellationToken token) =>
            Tree(compilation, path) is { } tree && !Nesting.IsTooDeep(tree, token, out _)
                ? compilation.GetSemanticModel(tree).GetDiagnostics(cancellationToken: token)
                    .Where(each => each.Severity == DiagnosticSeverity.Error).ToList()
                : new List<Diagnostic>();

        private static SyntaxTree Tree(CSharpCompilation compilation, string path) =>
            compilation.SyntaxTrees.FirstOrDefault(each => Files.Paths.Equals(each.FilePath, path));
    }
}
