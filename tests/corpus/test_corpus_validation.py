"""The embedded validator finds nothing wrong with real files that compile."""

from corpus_documents import documents

from benchmarks.unity_packages import CSharpFile
from snippet_engine.errors import SnippetError
from snippet_engine.validation.embedded.embedded_validator import EmbeddedValidator

NOT_CSHARP: dict[str, str] = {}
"""Labels of files that are named ``.cs`` without being C#, and what they are."""


def test_real_files_have_no_errors(files: list[CSharpFile]) -> None:
    validator = EmbeddedValidator()
    alarms = []
    for label, document in documents(files):
        verdict = validator.diagnose(f"Assets/{label}", document)
        assert not isinstance(verdict, SnippetError), label
        if verdict.diagnostics and label not in NOT_CSHARP:
            alarms.append((label, verdict.diagnostics[0]))
    assert not alarms, f"{len(alarms)} of {len(files)} files: {alarms[:20]}"
