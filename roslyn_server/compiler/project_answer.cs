// What a question about a project is answered with: errors as rows, and what was not judged.
using System.Collections.Generic;
using System.Linq;

namespace RoslynServer
{
    /// <summary>What was found about a project, and what was not looked at.</summary>
    public sealed class ProjectAnswer
    {
        internal readonly List<string> Found = new List<string>();
        internal readonly List<string> Left = new List<string>();
        internal readonly List<string> Looked = new List<string>();

        /// <summary>Errors and warnings: id, severity, line, column, path, assembly, message.</summary>
        public string[] Rows() => Found.ToArray();

        /// <summary>What was not judged: assembly, reason, detail.</summary>
        public string[] NotChecked() => Left.ToArray();

        /// <summary>The assemblies that were judged.</summary>
        public string[] Assemblies() => Looked.ToArray();

        /// <summary>The number of their sources.</summary>
        public int Files { get; internal set; }

        /// <summary>How many trees were bound for the answer.</summary>
        public int BoundTrees { get; internal set; }

        /// <summary>How many assemblies were bound as a whole for it.</summary>
        public int BoundAssemblies { get; internal set; }

        /// <summary>Whether all of it comes from binding whole assemblies.</summary>
        public bool IsConfirmed { get; internal set; } = true;

        internal void Add(Look look, bool warnings)
        {
            var (name, state) = (look.Assembly.Name, look.Assembly.State);
            if (look.WhyNot != null)
            {
                Left.Add($"{name}\t{look.WhyNot}");
                return;
            }
            Looked.Add(name);
            Files += state?.Scripts ?? 0;
            if (state?.Opinions?.Fault is { } unheard) Left.Add($"{name}\tanalyzers\t{unheard}");
            Found.AddRange(look.Errors.Where(each => each.IsError || warnings).Select(each => each.Row(name)));
        }
    }

    /// <summary>What was found of one assembly, or why nothing was.</summary>
    internal sealed class Look
    {
        public ProjectAssembly Assembly;
        public string WhyNot;
        public List<FoundError> Errors = new List<FoundError>();

        /// <summary>Whether they come from binding all of it.</summary>
        public bool IsConfirmed = true;

        public bool HasErrors => Errors.Any(each => each.IsError);
    }
}
