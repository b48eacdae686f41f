"""The private members of pygls that the client relies on are there, and do what it takes them for.

``pyproject.toml`` pins pygls to the versions that were tried. Whoever widens the range learns here
what has moved.
"""

from __future__ import annotations

import inspect
import threading
from typing import Any

import pytest
from lsprotocol import types
from pygls.io_ import run_async
from pygls.lsp.client import LanguageClient
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol

from lsp_client.protocol.tolerant_protocol import OffSchemaError, TolerantProtocol


class _Unwritten:
    """A server's stdin that takes everything."""

    def write(self, _data: bytes) -> None:
        return

    def close(self) -> None:
        return


@pytest.fixture
def waiting() -> tuple[TolerantProtocol, Any]:
    """A client's protocol with one request under way, and the future of its answer."""
    client = LanguageClient("canary", "1", protocol_cls=TolerantProtocol)
    protocol = client.protocol
    assert isinstance(protocol, TolerantProtocol)
    protocol.set_writer(_Unwritten())
    future = protocol.send_request(
        types.TEXT_DOCUMENT_DOCUMENT_SYMBOL,
        types.DocumentSymbolParams(types.TextDocumentIdentifier("file:///a.cs")),
        msg_id="one",
    )
    return protocol, future


def test_answers_that_are_awaited_are_kept_by_the_id_of_their_request(
    waiting: tuple[TolerantProtocol, Any],
) -> None:
    protocol, future = waiting
    assert protocol._request_futures["one"] is future
    assert "one" in protocol._result_types


def test_a_forgotten_request_leaves_nothing(waiting: tuple[TolerantProtocol, Any]) -> None:
    protocol, _ = waiting
    protocol.forget("one")
    assert not protocol._request_futures
    assert not protocol._result_types


def test_an_answer_that_does_not_fit_fails_its_request(
    waiting: tuple[TolerantProtocol, Any],
) -> None:
    protocol, future = waiting
    protocol.structure_message({"jsonrpc": "2.0", "id": "one", "result": [5]})
    assert isinstance(future.exception(timeout=0), OffSchemaError)


def test_built_in_features_are_registered_by_a_method_that_can_be_left_out() -> None:
    assert callable(LanguageServerProtocol._register_builtin_features)
    plain = LanguageServer("canary", "1").protocol
    assert types.EXIT in plain.fm.builtin_features
    tolerant = LanguageClient("canary", "1", protocol_cls=TolerantProtocol).protocol
    assert not tolerant.fm.builtin_features


def test_the_client_has_an_event_that_ends_its_reading() -> None:
    assert isinstance(LanguageClient("canary", "1")._stop_event, threading.Event)
    assert {"stop_event", "reader", "protocol"} <= set(inspect.signature(run_async).parameters)


def test_a_protocol_knows_the_server_that_it_speaks_for() -> None:
    server = LanguageServer("canary", "1")
    assert server.protocol._server is server
