using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Newtonsoft.Json.Linq;

namespace UnityMcpPlugin
{
    /// <summary>The result of a <c>compile</c>. A value, which becomes JSON on a background thread.</summary>
    internal sealed class CompileResult
    {
        private readonly string _status;
        private readonly CompilerIssue[] _errors;
        private readonly CompilerIssue[] _warnings;
        private readonly string[] _assemblies;
        private readonly bool _cut;
        private readonly bool _reloaded;
        private readonly long _durationMs;
        private readonly long _lastTicks;
        private readonly string _note;

        private CompileResult(
            string status,
            CompilerIssue[] errors,
            CompilerIssue[] warnings,
            string[] assemblies,
            bool cut,
            bool reloaded,
            long durationMs,
            long lastTicks,
            string note)
        {
            _status = status;
            _errors = errors;
            _warnings = warnings;
            _assemblies = assemblies;
            _cut = cut;
            _reloaded = reloaded;
            _durationMs = durationMs;
            _lastTicks = lastTicks;
            _note = note;
        }

        /// <param name="record">The last compilation, if <paramref name="compiled"/> for this result.</param>
        /// <param name="failed">Whether the scripts don't compile, even if no compilation was seen.</param>
        /// <param name="note">Further information; null for none.</param>
        public static CompileResult Of(
            CompilationRecord record, bool compiled, bool failed, bool reloaded, long durationMs, string note) => new CompileResult(
                failed ? "failed" : compiled ? "succeeded" : "up_to_date",
                compiled ? record.Errors.ToArray() : new CompilerIssue[0],
                compiled ? record.Warnings.ToArray() : new CompilerIssue[0],
                compiled ? record.Assemblies.ToArray() : new string[0],
                compiled && (record.ErrorCount > record.Errors.Count || record.WarningCount > record.Warnings.Count),
                reloaded,
                durationMs,
                record.EndedUtc?.Ticks ?? 0,
                note);

        public JObject ToJson()
        {
            var result = new JObject
            {
                ["status"] = _status,
                ["errors"] = Json(_errors),
                ["warnings"] = Json(_warnings),
                ["assemblies"] = new JArray(_assemblies.Select(each => (object)each).ToArray()),
                ["reloaded"] = _reloaded,
                ["duration_ms"] = _durationMs,
            };
            if (_lastTicks != 0)
            {
                result["last_compiled"] = new DateTime(_lastTicks, DateTimeKind.Utc).ToString(
                    "yyyy-MM-dd'T'HH:mm:ss.fff'Z'", CultureInfo.InvariantCulture);
            }

            if (_cut)
            {
                result["truncated"] = true;
            }

            if (_note != null)
            {
                result["note"] = _note;
            }

            return result;
        }

        public void Write(FieldWriter fields)
        {
            fields.Add(_status);
            fields.Add(_errors.Length + _warnings.Length);
            foreach (var issue in _errors.Concat(_warnings))
            {
                issue.Write(fields);
            }

            fields.Add(_assemblies.Length);
            foreach (var assembly in _assemblies)
            {
                fields.Add(assembly);
            }

            fields.Add(_cut);
            fields.Add(_reloaded);
            fields.Add(_durationMs);
            fields.Add(_lastTicks);
            fields.Add(_note);
        }

        public static CompileResult Read(FieldReader fields)
        {
            var status = fields.Text();
            var issues = new CompilerIssue[fields.Count(CompilationRecord.MaxIssues)];
            for (var index = 0; index < issues.Length; index++)
            {
                issues[index] = CompilerIssue.Read(fields);
            }

            var assemblies = new string[fields.Count(CompilationRecord.MaxAssemblies)];
            for (var index = 0; index < assemblies.Length; index++)
            {
                assemblies[index] = fields.Text() ?? "";
            }

            return new CompileResult(
                status,
                issues.Where(each => each.IsError).ToArray(),
                issues.Where(each => !each.IsError).ToArray(),
                assemblies,
                fields.Flag(),
                fields.Flag(),
                fields.Number(),
                fields.Number(),
                fields.Text());
        }

        private static JArray Json(IEnumerable<CompilerIssue> issues) =>
            new JArray(issues.Select(issue => (object)issue.ToJson()).ToArray());
    }
}
