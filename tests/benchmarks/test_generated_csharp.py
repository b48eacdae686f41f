import pytest
import tree_sitter
import tree_sitter_c_sharp

from benchmarks.edit_sites import edit_request, sites_of, spread
from benchmarks.generated_csharp import csharp_of_bytes, csharp_of_lines
from snippet_engine.request import EditRequest, parse

_PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_c_sharp.language()))


@pytest.mark.parametrize("directives", [False, True])
@pytest.mark.parametrize("lines", [40, 41, 100, 1_000, 5_000])
def test_a_file_has_the_lines_asked_for_and_parses(lines: int, directives: bool) -> None:
    text = csharp_of_lines(lines, directives=directives)

    assert text.count("\n") == lines
    assert text.endswith("}\n")
    assert not _PARSER.parse(text.encode()).root_node.has_error


def test_directives_come_only_when_asked_for() -> None:
    assert "#if" not in csharp_of_lines(1_000)
    assert csharp_of_lines(1_000, directives=True).count("#if") > 5


def test_a_file_of_bytes_is_hardly_larger_and_parses() -> None:
    text = csharp_of_bytes(200_000)

    assert 200_000 <= len(text.encode()) < 202_000
    assert not _PARSER.parse(text.encode()).root_node.has_error


def test_the_same_file_comes_every_time() -> None:
    assert csharp_of_lines(500) == csharp_of_lines(500)


@pytest.mark.parametrize("lines", [100, 1_000])
def test_ten_edits_find_ten_places_and_make_a_valid_request(lines: int) -> None:
    text = csharp_of_lines(lines)
    sites = sites_of(text)

    for turn in range(20):
        chosen = spread(sites, 10, turn)
        assert len(set(chosen)) == 10
        assert all(text.count(site.line) >= 1 for site in chosen)
        request = parse(edit_request("Assets/A.cs", "preview", chosen, 12_345))
        assert isinstance(request, EditRequest)
