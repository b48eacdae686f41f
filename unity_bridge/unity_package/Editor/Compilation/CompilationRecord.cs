using System;
using System.Collections.Generic;
using System.Linq;

namespace UnityMcpPlugin
{
    /// <summary>
    /// The last script compilation: when it ended, its outcome, and the compiler's messages. Bounded;
    /// survives a domain reload as text. Main thread.
    /// </summary>
    internal sealed class CompilationRecord
    {
        /// <summary>Most errors that are kept.</summary>
        public const int MaxErrors = 100;

        /// <summary>
        /// Most warnings that are kept: a project can have hundreds, which nobody has asked for.
        /// </summary>
        public const int MaxWarnings = 20;

        public const int MaxIssues = MaxErrors + MaxWarnings;

        public const int MaxAssemblies = 200;
        private const long StorageVersion = 1;

        private readonly List<CompilerIssue> _errors = new List<CompilerIssue>();
        private readonly List<CompilerIssue> _warnings = new List<CompilerIssue>();
        private readonly List<string> _assemblies = new List<string>();
        private readonly Func<DateTime> _utcNow;

        /// <param name="stored">The result of <see cref="Save"/> in the last domain; may be empty.</param>
        public CompilationRecord(string stored, Func<DateTime> utcNow)
        {
            _utcNow = utcNow;
            if (!TryLoad(stored))
            {
                Clear();
                Number = 0;
                EndedUtc = null;
            }
        }

        /// <summary>The number of compilations that have ended since the Editor started.</summary>
        public long Number { get; private set; }

        /// <summary>Whether a compilation has begun and not ended.</summary>
        public bool IsRunning { get; private set; }

        /// <summary>When the last one ended; null if none has.</summary>
        public DateTime? EndedUtc { get; private set; }

        /// <summary>Whether it ended with errors.</summary>
        public bool Failed { get; private set; }

        /// <summary>The first of its errors; not those of an older compilation.</summary>
        public IReadOnlyList<CompilerIssue> Errors => _errors;

        public IReadOnlyList<CompilerIssue> Warnings => _warnings;

        /// <summary>The number of its errors, kept or not.</summary>
        public int ErrorCount { get; private set; }

        public int WarningCount { get; private set; }

        /// <summary>The names of the assemblies that it compiled, or tried to.</summary>
        public IReadOnlyList<string> Assemblies => _assemblies;

        public void Started()
        {
            Clear();
            IsRunning = true;
        }

        /// <param name="path">The assembly's file.</param>
        public void AssemblyCompiled(string path, IEnumerable<CompilerIssue> issues)
        {
            var name = System.IO.Path.GetFileNameWithoutExtension(path ?? "");
            if (name != "" && _assemblies.Count < MaxAssemblies && !_assemblies.Contains(name))
            {
                _assemblies.Add(name);
            }

            foreach (var issue in issues)
            {
                if (issue.IsError)
                {
                    ErrorCount++;
                    Failed = true;
                    Keep(_errors, issue, MaxErrors);
                }
                else
                {
                    WarningCount++;
                    Keep(_warnings, issue, MaxWarnings);
                }
            }
        }

        public void Finished()
        {
            IsRunning = false;
            Number++;
            EndedUtc = _utcNow();
        }

        /// <summary>Stop expecting the end of a compilation that has begun.</summary>
        public void GiveUp() => IsRunning = false;

        /// <summary>
        /// The whole record as text. A running compilation is dropped: this domain does not see its end.
        /// </summary>
        public string Save()
        {
            var fields = new FieldWriter();
            fields.Add(StorageVersion);
            fields.Add(Number);
            fields.Add(EndedUtc?.Ticks ?? 0);
            fields.Add(Failed);
            fields.Add(ErrorCount);
            fields.Add(WarningCount);
            fields.Add(_assemblies.Count);
            foreach (var assembly in _assemblies)
            {
                fields.Add(assembly);
            }

            fields.Add(_errors.Count + _warnings.Count);
            foreach (var issue in _errors.Concat(_warnings))
            {
                issue.Write(fields);
            }

            return fields.ToString();
        }

        private static void Keep(List<CompilerIssue> kept, CompilerIssue issue, int most)
        {
            if (kept.Count < most)
            {
                kept.Add(issue);
            }
        }

        private void Clear()
        {
            _errors.Clear();
            _warnings.Clear();
            _assemblies.Clear();
            ErrorCount = 0;
            WarningCount = 0;
            Failed = false;
        }

        private bool TryLoad(string stored)
        {
            if (string.IsNullOrEmpty(stored))
            {
                return false;
            }

            try
            {
                var fields = new FieldReader(stored);
                if (fields.Number() != StorageVersion)
                {
                    return false;
                }

                Number = fields.Number();
                var ended = fields.Number();
                EndedUtc = ended == 0 ? (DateTime?)null : new DateTime(ended, DateTimeKind.Utc);
                Failed = fields.Flag();
                ErrorCount = (int)fields.Number();
                WarningCount = (int)fields.Number();
                for (var left = fields.Count(MaxAssemblies); left > 0; left--)
                {
                    _assemblies.Add(fields.Text() ?? "");
                }

                for (var left = fields.Count(MaxIssues); left > 0; left--)
                {
                    var issue = CompilerIssue.Read(fields);
                    (issue.IsError ? _errors : _warnings).Add(issue);
                }

                return true;
            }
            catch (Exception failure) when (failure is FormatException || failure is ArgumentException)
            {
                // Another version of the package wrote the text.
                return false;
            }
        }
    }
}
