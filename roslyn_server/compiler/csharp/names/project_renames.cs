// Rename a symbol in the whole project, and prove that nothing else changes its meaning.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.Json;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace RoslynServer
{
    public sealed partial class ProjectModel
    {
        private const int MaxShownConflicts = 20;

        /// <summary>
        /// Returns the edits that give the symbol at a place another name, and why it can't have it, as
        /// JSON. <c>attributes</c>: keep what Unity serialized under the old name, by attributes.
        /// <c>force</c>: rename messages that Unity calls, too.
        /// </summary>
        public string Rename(
            string path, int line, int character, string newName, bool attributes, bool force,
            Func<string, string, string[]> symbolSets, CancellationToken token)
        {
            var reasons = new List<string>();
            try
            {
                newName = newName.StartsWith('@') ? newName.Substring(1) : newName;
                var compiled = Compiled(reasons, token);
                var search = ReferenceSearch.At(
                    System.IO.Path.GetFullPath(path), line, character, true, compiled, symbolSets, token);
                var rename = new ProvedRename(search, compiled, newName, attributes);
                rename.Conflicts.AddRange(RenameChecks.Of(search, newName, force,
                    compiled.Select(each => each.AssemblyName).ToHashSet(StringComparer.OrdinalIgnoreCase), IsGenerated));
                if (rename.Conflicts.Count == 0) Prove(rename, symbolSets, token);
                return JsonSerializer.Serialize(rename.Answer(reasons, MaxShownConflicts, token));
            }
            catch (NoSymbolException error)
            {
                return JsonSerializer.Serialize(new { error = error.Message });
            }
        }

        private bool IsGenerated(SyntaxTree tree) => _order.Any(each =>
            each.State?.Sources.TryGetValue(tree.FilePath, out var source) == true && source.IsGenerated);

        // Qualifies names that the rename would hide, as often as that helps.
        private void Prove(ProvedRename rename, Func<string, string, string[]> symbolSets, CancellationToken token)
        {
            const int maxTries = 3;
            rename.Search.Search.Add(new[] { rename.NewName, RenameEdits.Short(rename.NewName) }
                .Except(rename.Search.Names).Distinct().ToList());
            rename.Conflicts.AddRange(RenameChecks.Hiding(rename.Search, rename.Search.Search, rename.NewName));
            for (var tried = 0; rename.Conflicts.Count == 0; tried++)
            {
                var edits = new TextEdits(rename.Edits.Where(each => !IsGenerated(each.Tree)));
                var paths = edits.Paths.ToArray();
                var judgement = Judged(paths, paths.Select(edits.Applied).ToArray(), paths.Select(_ => "").ToArray(), token);
                var changed = rename.Changed(edits, judgement, symbolSets, token);
                var qualified = changed.Select(each => QualifiedNames.Of(each.Place, token)).ToList();
                if (changed.Count > 0 && tried < maxTries && qualified.All(each => each != null)
                    && rename.Qualify(qualified)) continue;
                rename.Conflicts.AddRange(changed.Select(each => each.Conflict));
                rename.Conflicts.AddRange(judgement.Assemblies.SelectMany(each => RenameProof.NewErrors(each, token)));
                foreach (var each in judgement.Left) rename.Left.Add("assembly\t" + each);
                return;
            }
        }
    }

    /// <summary>A rename on the way to its answer.</summary>
    internal sealed class ProvedRename
    {
        private readonly IReadOnlyList<CSharpCompilation> _compiled;
        private readonly bool _keepsAttributes;
        private readonly HashSet<string> _judged = new HashSet<string>(StringComparer.Ordinal);
        private int _files;

        public ProvedRename(
            ReferenceSearch search, IReadOnlyList<CSharpCompilation> compiled, string newName, bool keepsAttributes)
        {
            (Search, _compiled, NewName, _keepsAttributes) = (search, compiled, newName, keepsAttributes);
            Edits = SyntaxFacts.IsValidIdentifier(newName)
                ? RenameEdits.Of(search, newName).ToList() : new List<TextEdit>();
        }

        public ReferenceSearch Search { get; }

        public string NewName { get; }

        public List<TextEdit> Edits { get; }

        public List<RenameConflict> Conflicts { get; } = new List<RenameConflict>();

        /// <summary>What of the proof could not be made.</summary>
        public List<string> Left { get; } = new List<string>();

        /// <summary>Adds edits; returns whether one of them is new.</summary>
        public bool Qualify(IEnumerable<TextEdit> edits)
        {
            var known = Edits.Select(each => (each.Path, each.Span)).ToHashSet();
            var more = edits.Where(each => known.Add((each.Path, each.Span))).ToList();
            Edits.AddRange(more);
            return more.Count > 0;
        }

        /// <summary>Returns the places that mean something else in the judged assemblies.</summary>
        public List<(BoundName Place, RenameConflict Conflict)> Changed(
            TextEdits edits, Judgement judgement, Func<string, string, string[]> symbolSets, CancellationToken token)
        {
            var after = judgement.Assemblies.Select(each => each.Step.State.Compilation).ToList();
            var now = after.ToDictionary(each => each.AssemblyName, each => each);
            var all = _compiled.Select(each => now.TryGetValue(each.AssemblyName, out var other) ? other : each).ToList();
            var proof = new RenameProof(Search, edits, NewName, _compiled, all, token);
            var found = new NameSearch(after, symbolSets, token);
            found.Add(proof.Names.Union(Search.Search.Names).ToList());
            _judged.UnionWith(judgement.Assemblies.Select(each => each.Name));
            _files = judgement.Assemblies.Sum(each => each.Trees.Count());
            var before = new NameSearch(Search.Search, compilation => now.ContainsKey(compilation.AssemblyName));
            return proof.Changed(before, found).ToList();
        }

        public Dictionary<string, object> Answer(List<string> reasons, int mostConflicts, CancellationToken token)
        {
            var lines = new LinesOf(token);
            return new Dictionary<string, object>
            {
                ["symbol"] = new SymbolFacts(Search, _compiled, lines, token).All(NewName),
                ["edits"] = Edits.OrderBy(each => each.Path, StringComparer.Ordinal).ThenBy(each => each.Span.Start)
                    .ThenBy(each => each.Span.End).Select(lines.Edit).ToList(),
                ["moves"] = new List<object>(),
                ["strings"] = new List<object>(),
                ["conflicts"] = Conflicts.Take(mostConflicts).Select(lines.Conflict).ToList(),
                ["proved"] = new Dictionary<string, object> { ["assemblies"] = _judged.OrderBy(each => each), ["files"] = _files },
                ["reasons"] = reasons.Concat(Search.Reasons).Concat(Left).Distinct().ToList(),
            };
        }
    }
}
