// Rename a symbol in the whole project, and prove that nothing else changes its meaning.
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
                    Path.GetFullPath(path), line, character, true, compiled, symbolSets, token);
                var rename = new ProvedRename(search, compiled, newName, token);
                rename.Conflicts.AddRange(RenameChecks.Of(search, newName, force,
                    compiled.Select(each => each.AssemblyName).ToHashSet(StringComparer.OrdinalIgnoreCase), IsGenerated));
                if (rename.Conflicts.Count == 0)
                {
                    rename.Complete(attributes, token);
                    rename.Edits.RemoveAll(each => IsGenerated(each.Tree));
                    Prove(rename, symbolSets, token);
                    rename.Conflicts.AddRange(RenameChecks.Marked(rename.Edits, token));
                }
                rename.Edits.RemoveAll(each => IsGenerated(each.Tree)); // shown with conflicts
                return JsonSerializer.Serialize(rename.Answer(reasons, MaxShownConflicts));
            }
            catch (NoSymbolException error)
            {
                return JsonSerializer.Serialize(new { error = error.Message, isUncompiled = error.IsUncompiled });
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
                var edits = new TextEdits(rename.Edits);
                var paths = edits.Paths.ToArray();
                var judgement = Judged(paths, paths.Select(edits.Applied).ToArray(), paths.Select(_ => "").ToArray(), token);
                var proof = rename.Proof(edits, judgement, token);
                var (changed, elsewhere) = rename.Changed(proof, edits, judgement, symbolSets, token);
                var errors = judgement.Assemblies
                    .SelectMany(each => proof.ChangedPatterns(each.Before.Compilation, each.Step.State.Compilation))
                    .Concat(proof.NewErrors(judgement)).ToList();
                if (errors.Count == 0) errors.AddRange(elsewhere); // else mostly the same ones
                if (changed.Count + errors.Count > 0 && rename.KeepElements()) continue;
                var qualified = changed.Select(each => QualifiedNames.Of(each.Place, token)).ToList();
                if (changed.Count > 0 && tried < maxTries && qualified.All(each => each != null)
                    && rename.Qualify(qualified)) continue;
                rename.Conflicts.AddRange(changed.Select(each => each.Conflict));
                rename.Conflicts.AddRange(errors);
                foreach (var each in judgement.Left) rename.Left.Add("assembly\t" + each);
                return;
            }
        }
    }

    /// <summary>A rename on the way to its answer.</summary>
    internal sealed class ProvedRename
    {
        private readonly IReadOnlyList<CSharpCompilation> _compiled;
        private readonly SymbolFacts _facts;
        private readonly LinesOf _lines;
        private readonly HashSet<string> _judged = new HashSet<string>(StringComparer.Ordinal);
        private int _files;
        private IReadOnlyList<INamedTypeSymbol> _moved = Array.Empty<INamedTypeSymbol>();
        private bool _keepsKey;

        public ProvedRename(
            ReferenceSearch search, IReadOnlyList<CSharpCompilation> compiled, string newName, CancellationToken token)
        {
            (Search, _compiled, NewName) = (search, compiled, newName);
            _lines = new LinesOf(token);
            _facts = new SymbolFacts(search, compiled, _lines, token);
            Strings = new NameStrings(search, _facts, newName, token);
            Edits = SyntaxFacts.IsValidIdentifier(newName)
                ? RenameEdits.Of(search, newName).Concat(RenameEdits.Kept(search, false)).ToList() : new List<TextEdit>();
        }

        public ReferenceSearch Search { get; }

        public string NewName { get; }

        public List<TextEdit> Edits { get; }

        public List<RenameConflict> Conflicts { get; } = new List<RenameConflict>();

        /// <summary>What of the proof could not be made.</summary>
        public List<string> Left { get; } = new List<string>();

        public NameStrings Strings { get; }

        /// <summary>The script that takes the name of its type: its path, and the new one.</summary>
        public List<(string From, string To)> Moves { get; } = new List<(string, string)>();

        /// <summary>Adds what Unity needs besides: strings, the name of a script, attributes if wanted.</summary>
        public void Complete(bool attributes, CancellationToken token)
        {
            Strings.Read();
            Edits.AddRange(Strings.Edits);
            if (attributes)
            {
                var kept = new KeptNames(Search, _facts, NewName, token);
                Edits.AddRange(kept.Edits());
                (_moved, _keepsKey) = (kept.MovedTypes, kept.KeepsKey);
            }
            Conflicts.AddRange(RenameChecks.SerializedTwice(Search, _facts, NewName));
            Conflicts.AddRange(RenameChecks.Implementing(Search, _facts, NewName).Take(1));
            if (Edits.Count == 0)
                Conflicts.Add(new RenameConflict("no_places", "no place was found that spells the name"));
            if (!(Search.Symbol is INamedTypeSymbol { ContainingType: null } type) || !UnityNames.MayBeObject(type)) return;
            // Unity finds these types by the name of their file.
            foreach (var path in SourceTypes.Scripts(type).Where(each => Path.GetFileNameWithoutExtension(each) == type.Name))
            {
                var to = Path.Combine(Path.GetDirectoryName(path), NewName + Path.GetExtension(path));
                Moves.Add((path, to));
                if (File.Exists(to) && !Files.Paths.Equals(path, to))
                    Conflicts.Add(new RenameConflict("file_exists", $"{Path.GetFileName(to)} is there already"));
            }
        }

        /// <summary>Keeps the names of tuples' elements; returns whether there are any to keep.</summary>
        public bool KeepElements() => Qualify(RenameEdits.Kept(Search, true));

        /// <summary>Adds edits; returns whether one of them is new.</summary>
        public bool Qualify(IEnumerable<TextEdit> edits)
        {
            var known = Edits.Select(each => (each.Path, each.Span)).ToHashSet();
            var more = edits.Where(each => known.Add((each.Path, each.Span))).ToList();
            Edits.AddRange(more);
            return more.Count > 0;
        }

        /// <summary>Returns what compares the project before and after some edits.</summary>
        public RenameProof Proof(TextEdits edits, Judgement judgement, CancellationToken token)
        {
            var now = judgement.Assemblies.ToDictionary(each => each.Step.State.Compilation.AssemblyName,
                each => each.Step.State.Compilation);
            var all = _compiled.Select(each => now.TryGetValue(each.AssemblyName, out var other) ? other : each).ToList();
            return new RenameProof(Search, edits, NewName, _compiled, all, token);
        }

        /// <summary>
        /// Returns the places that mean something else in the judged assemblies, and the errors that come
        /// where other symbols than the build's compile something.
        /// </summary>
        public (List<(BoundName Place, RenameConflict Conflict)>, List<RenameConflict>) Changed(
            RenameProof proof, TextEdits edits, Judgement judgement, Func<string, string, string[]> symbolSets, CancellationToken token)
        {
            var after = judgement.Assemblies.Select(each => each.Step.State.Compilation).ToList();
            var now = after.Select(each => each.AssemblyName).ToHashSet();
            var found = new NameSearch(after, symbolSets, token);
            found.Add(proof.Names.Union(Search.Search.Names).ToList());
            _judged.UnionWith(judgement.Assemblies.Select(each => each.Name));
            _files = judgement.Assemblies.Sum(each => each.Trees.Count());
            var before = new NameSearch(Search.Search, compilation => now.Contains(compilation.AssemblyName));
            var declaring = Search.Found.Where(each => each.Name?.Binding.IsDeclaration == true).Select(each => each.Path);
            return (proof.Changed(before, found).ToList(),
                OtherSymbols.NewErrors(before, found, declaring, edits, token).ToList());
        }

        private Dictionary<string, object> Row((SyntaxTree Tree, TextSpan Span, string Text, string Kind, string Offer) each)
        {
            var row = _lines.Place(each.Tree, each.Span);
            (row["text"], row["kind"], row["offer"]) = (each.Text, each.Kind, each.Offer);
            return row;
        }

        public Dictionary<string, object> Answer(List<string> reasons, int mostConflicts)
        {
            var symbol = _facts.All(NewName, _moved, _keepsKey);
            return new Dictionary<string, object>
            {
                ["symbol"] = symbol,
                ["edits"] = Edits.OrderBy(each => each.Path, StringComparer.Ordinal).ThenBy(each => each.Span.Start)
                    .ThenBy(each => each.Span.End).Select(_lines.Edit).ToList(),
                ["moves"] = Moves.Select(each => new Dictionary<string, string> { ["from"] = each.From, ["to"] = each.To }).ToList(),
                ["strings"] = Strings.Listed.Select(Row).ToList(),
                ["conflicts"] = Conflicts.Take(mostConflicts).Select(_lines.Conflict).ToList(),
                ["proved"] = new Dictionary<string, object> { ["assemblies"] = _judged.OrderBy(each => each), ["files"] = _files },
                ["reasons"] = reasons.Concat(Search.Reasons).Concat(_facts.Fields.Cut).Concat(Left).Distinct().ToList(),
            };
        }
    }
}
