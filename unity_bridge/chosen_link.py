"""The Editor link that uses the plugin if it is connected, and otherwise the Pipeline.

Implements docs/design/server-and-bridge.md §11. It switches only while no request is in flight. A
job stays with the link that started it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from unity_bridge.editor_state import EditorView
from unity_bridge.link import (
    Answer,
    CancelJob,
    Command,
    Completed,
    EditorLink,
    GetJobStatus,
    LinkListener,
    Listeners,
    SubmitJob,
)

MAX_JOBS = 1_024
"""Maximum number of jobs whose link is remembered."""


class _Listener(LinkListener):
    """Listens to one of the two links."""

    def __init__(self, chosen: ChosenLink, link: EditorLink) -> None:
        self._chosen = chosen
        self._link = link

    def on_view(self, view: EditorView) -> None:  # noqa: ARG002 - the links themselves are read
        self._chosen.choose()

    def on_answer(self, request_id: str, answer: Answer) -> None:
        self._chosen.on_answer_of(self._link, request_id, answer)

    def on_job(self, status: Mapping[str, Any]) -> None:
        self._chosen.on_job_of(self._link, status)


class ChosenLink:
    """One of two links. Lives on one event loop."""

    def __init__(self, plugin: EditorLink, pipeline: EditorLink) -> None:
        """``pipeline`` also reports obstacles in the project while no Editor is connected."""
        self._plugin = plugin
        self._pipeline = pipeline
        self._active = plugin
        self._in_flight: dict[str, tuple[EditorLink, Command]] = {}
        self._job_links: OrderedDict[str, EditorLink] = OrderedDict()
        self._listeners = Listeners()
        self._connection: tuple[str, int] | None = None
        self.view = EditorView()
        """The last known state of the Editor; ``epoch`` counts the connections of both links."""
        for link in (plugin, pipeline):
            link.listen(_Listener(self, link))

    @property
    def name(self) -> str:
        """Return the active link's name: ``plugin`` or ``pipeline``."""
        return self._active.name

    def listen(self, listener: LinkListener) -> None:
        """Call ``listener`` from now on."""
        self._listeners.add(listener)

    def open(self) -> None:
        """Start looking for the Editor on both links."""
        self._plugin.open()
        self._pipeline.open()

    def start(self, request_id: str, command: Command, timeout_ms: int) -> None:
        """Send ``command`` once; see :class:`unity_bridge.link.EditorLink`."""
        link = self._active
        if isinstance(command, GetJobStatus | CancelJob):
            link = self._job_links.get(command.job_id, link)
        self._in_flight[request_id] = link, command
        link.start(request_id, command, timeout_ms)

    def forget(self, request_id: str) -> None:
        """Drop the answer to a request, because no caller waits for it."""
        known = self._in_flight.pop(request_id, None)
        if known is not None:
            known[0].forget(request_id)
            self.choose()

    def confirm_job(self, job_id: str) -> None:
        """Let the Editor drop a job's result; see :class:`unity_bridge.link.EditorLink`."""
        self._job_links.get(job_id, self._active).confirm_job(job_id)

    async def close(self) -> None:
        """Disconnect both links."""
        await self._plugin.close()
        await self._pipeline.close()

    # -- called by the two links -----------------------------------------------------------------

    def on_answer_of(self, link: EditorLink, request_id: str, answer: Answer) -> None:
        """Pass on the answer of one link."""
        known = self._in_flight.pop(request_id, None)
        if known is None:
            return
        if isinstance(known[1], SubmitJob) and isinstance(answer, Completed):
            self._remember(answer.body.get("job_id"), link)
        self._listeners.on_answer(request_id, answer)
        # Choose after the listeners ran: one of them may have sent the next request.
        self.choose()

    def on_job_of(self, link: EditorLink, status: Mapping[str, Any]) -> None:
        """Pass on a job's status from one link."""
        self._remember(status.get("job_id"), link)
        self._listeners.on_job(status)

    def choose(self) -> None:
        """Pick the active link, if no request is in flight, and update the view."""
        if not self._in_flight:
            if self._plugin.view.connected:
                self._active = self._plugin
            elif self._pipeline.view.connected:
                self._active = self._pipeline
        view = self._combined_view()
        if view != self.view:
            self.view = view
            self._listeners.on_view(view)

    def _combined_view(self) -> EditorView:
        view, epoch = self._active.view, self.view.epoch
        connection = self._active.name, view.epoch
        if view.connected and connection != self._connection:
            self._connection, epoch = connection, epoch + 1
        obstacle = view.obstacle
        if obstacle is None and not view.connected:
            obstacle = self._pipeline.view.obstacle  # only the Pipeline looks at the project
        return replace(view, epoch=epoch, obstacle=obstacle)

    def _remember(self, job_id: Any, link: EditorLink) -> None:
        if not isinstance(job_id, str):
            return
        self._job_links[job_id] = link
        self._job_links.move_to_end(job_id)
        if len(self._job_links) > MAX_JOBS:
            self._job_links.popitem(last=False)
