"""Decoding keeps every byte: on real files, offsets and splices are exact."""

from random import Random

from benchmarks.unity_packages import CSharpFile
from snippet_engine.edits import EditSet, TextEdit
from snippet_engine.errors import SnippetError
from snippet_engine.source_text import SourceText, decode

NOT_DECODABLE = {
    # Comments in Shift-JIS.
}


def decoded(file: CSharpFile) -> SourceText:
    source = decode(file.data)
    assert isinstance(source, SourceText), f"{file.label}: {source}"
    return source


def as_view(data: bytes, source: SourceText) -> str:
    text = data.decode(source.encoding.codec)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def test_ranges_of_the_view_are_ranges_of_the_bytes(files: list[CSharpFile]) -> None:
    for file in files:
        source = decoded(file)
        rng = Random(file.label)
        for _ in range(5):
            start, end = sorted(rng.choices(range(len(source.view) + 1), k=2))
            between = file.data[source.byte_offset(start) : source.byte_offset(end)]
            assert as_view(between, source) == source.view[start:end], (file.label, start, end)


def test_utf8_offsets_lead_back_to_view_offsets(files: list[CSharpFile]) -> None:
    for file in files:
        source = decoded(file)
        rng = Random(file.label)
        for offset in rng.choices(range(len(source.view) + 1), k=5):
            assert len(source.view[:offset].encode()) == source.utf8_offset(offset), file.label
            assert source.view_offset(source.utf8_offset(offset)) == offset, file.label


def test_an_insertion_changes_no_other_byte(files: list[CSharpFile]) -> None:
    for file in files:
        source = decoded(file)
        offset = Random(file.label).randrange(len(source.view) + 1)
        edits = EditSet.of([TextEdit(offset, offset, "/* here */")])
        assert isinstance(edits, EditSet)
        edited = edits.apply_to_bytes(source)
        assert not isinstance(edited, SnippetError), file.label
        inserted = "/* here */".encode(source.encoding.codec)
        at = source.byte_offset(offset)
        assert edited == file.data[:at] + inserted + file.data[at:], file.label
        assert decoded(CSharpFile(file.label, edited)).view == edits.apply(source.view)
