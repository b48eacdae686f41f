"""What is said when no language server gives a verdict."""

from __future__ import annotations

import pytest

from lsp_client.background_server import unavailable
from snippet_engine.errors import MAX_MESSAGE_LENGTH


@pytest.mark.parametrize(
    ("found", "advice"),
    [
        (True, '. Try again, or send "validation": "auto".'),
        (False, '. Send "validation": "auto".'),
    ],
)
@pytest.mark.parametrize("reason", ["it is off", "No usable Roslyn was found.", "long " * 80])
def test_the_advice_is_whole_however_long_the_reason(reason: str, found: bool, advice: str) -> None:
    error = unavailable(reason, found=found)
    assert error.message.endswith(advice)
    assert ".." not in error.message
    assert len(error.message) <= MAX_MESSAGE_LENGTH
    assert error.details == {"reason": reason, "found": found}
