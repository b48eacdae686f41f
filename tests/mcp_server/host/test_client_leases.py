"""How long a server lives that was started for its clients."""

from __future__ import annotations

from mcp_server.host.own_status import FIRST_LEASE_S, LINGER_S, PERSON_S, ClientLeases


class Clock:
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


def test_the_first_client_and_the_next_one_are_waited_for() -> None:
    clock = Clock()
    leases = ClientLeases(clock, ends_with_clients=True)
    assert not leases.over()
    leases.take()
    clock.now_s += FIRST_LEASE_S
    assert not leases.over()
    leases.give_back()
    assert not leases.over()
    clock.now_s += LINGER_S
    assert leases.over()


def test_a_person_who_has_the_link_is_waited_for_when_the_command_is_gone() -> None:
    """``unity-cli open`` holds a lease while it asks for the link, and gives it back."""
    clock = Clock()
    leases = ClientLeases(clock, ends_with_clients=True)
    leases.take()
    leases.expect_person()
    leases.give_back()
    clock.now_s += PERSON_S - 1
    assert not leases.over()
    clock.now_s += 1
    assert leases.over()


def test_an_open_page_keeps_the_server_and_is_no_client() -> None:
    clock = Clock()
    leases = ClientLeases(clock, ends_with_clients=True)
    leases.count(1)
    clock.now_s += FIRST_LEASE_S
    assert not leases.over()
    assert leases.held == 0
    leases.count(-1)
    assert not leases.over()
    clock.now_s += LINGER_S
    assert leases.over()


def test_a_server_of_its_own_ends_with_nobody() -> None:
    clock = Clock()
    leases = ClientLeases(clock, ends_with_clients=False)
    clock.now_s += PERSON_S
    assert not leases.over()
