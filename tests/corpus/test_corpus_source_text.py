"""Decoding keeps every byte: on real files, offsets and splices are exact."""

from random import Random

from corpus_documents import decoded

from benchmarks.unity_packages import CSharpFile
from snippet_engine.edits import EditSet, TextEdit
from snippet_engine.errors import SnippetError
from snippet_engine.source_text import SourceText


def as_view(data: bytes, source: SourceText) -> str:
    text = data.decode(source.encoding.codec)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def test_offsets_and_splices_are_exact(files: list[CSharpFile]) -> None:
    for file in files:
        source = decoded(file)
        rng = Random(file.label)
        offsets = range(len(source.view) + 1)
        for _ in range(5):
            start, end = sorted(rng.choices(offsets, k=2))
            between = file.data[source.byte_offset(start) : source.byte_offset(end)]
            assert as_view(between, source) == source.view[start:end], (file.label, start, end)
        for offset in rng.choices(offsets, k=5):
            assert len(source.view[:offset].encode()) == source.utf8_offset(offset), file.label
            assert source.view_offset(source.utf8_offset(offset)) == offset, file.label
        _check_insertion(file, source, rng.randrange(len(source.view) + 1))


def _check_insertion(file: CSharpFile, source: SourceText, offset: int) -> None:
    """An insertion changes no other byte."""
    edits = EditSet.of([TextEdit(offset, offset, "/* here */")])
    assert isinstance(edits, EditSet)
    edited = edits.apply_to_bytes(source)
    assert not isinstance(edited, SnippetError), file.label
    inserted = "/* here */".encode(source.encoding.codec)
    at = source.byte_offset(offset)
    assert edited == file.data[:at] + inserted + file.data[at:], file.label
    assert decoded(CSharpFile(file.label, edited)).view == edits.apply(source.view)
