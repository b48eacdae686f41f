// What the compiler's symbols say that some new errors of a text need.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.Json;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Text;

namespace RoslynServer
{
    public sealed partial class ProjectModel
    {
        /// <summary>
        /// Returns fixes for new errors of one of the changed texts, as JSON: each with the choices
        /// between which the text doesn't decide. The other arguments are those of <see cref="Judge(string[],
        /// string[], string[], CancellationToken)"/>.
        /// </summary>
        public string Fixes(string path, string[] paths, string[] texts, string[] owners, CancellationToken token)
        {
            Begin();
            path = Path.GetFullPath(path);
            var judgement = Judged(paths.Select(Path.GetFullPath).ToArray(), texts, owners, token);
            var found = new List<CodeFix>();
            foreach (var assembly in judgement.Assemblies)
            {
                if (!assembly.Step.State.Sources.TryGetValue(path, out var source) || source.IsGenerated) continue;
                var (compilation, tree) = (assembly.Step.State.Compilation, source.Tree);
                var errors = judgement.NewIn(tree, assembly, token).Where(each => each.File == tree.FilePath).ToList();
                found.AddRange(new MissingUsings(compilation, tree, token).For(errors));
                found.AddRange(new MissingMembers(compilation, tree, token).For(errors));
            }
            var lines = new LinesOf(token);
            return JsonSerializer.Serialize(new
            {
                fixes = found.Select(fix => new
                {
                    code = fix.Code,
                    choices = fix.Choices.Select(each => new { what = each.What, edit = lines.Edit(each.Edit) }),
                }),
            });
        }
    }

    /// <summary>What mends an error, in each of the ways that the text leaves open.</summary>
    internal sealed class CodeFix
    {
        public CodeFix(string code, IReadOnlyList<(string What, TextEdit Edit)> choices) =>
            (Code, Choices) = (code, choices);

        public string Code { get; }

        public IReadOnlyList<(string What, TextEdit Edit)> Choices { get; }
    }
}
