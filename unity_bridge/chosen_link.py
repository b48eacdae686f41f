"""The Editor link where there are two roads: whichever the Editor can be reached on.

Implements docs/design/server-and-bridge.md §11. A connected plugin wins; else a live Pipeline. A
switch happens only while no request is with either, and a job stays with the road that it was
started on.
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
    SubmitJob,
)

MAX_JOBS = 1_024
"""Jobs of which the road is remembered."""


class _Ear:
    """Hears one of the two links."""

    def __init__(self, chosen: ChosenLink, link: EditorLink) -> None:
        self._chosen = chosen
        self._link = link

    def on_view(self, _view: EditorView) -> None:
        self._chosen.on_view_of(self._link)

    def on_answer(self, request_id: str, answer: Answer) -> None:
        self._chosen.on_answer_of(self._link, request_id, answer)

    def on_job(self, status: Mapping[str, Any]) -> None:
        self._chosen.on_job_of(self._link, status)


class ChosenLink:
    """The plugin's road where it is open, the Pipeline's else. Lives on one event loop."""

    def __init__(self, plugin: EditorLink, pipeline: EditorLink) -> None:
        """``pipeline`` also tells what is seen of the project while there is no Editor."""
        self._plugin = plugin
        self._pipeline = pipeline
        self._active = plugin
        self._with_editor: dict[str, tuple[EditorLink, Command]] = {}
        self._job_roads: OrderedDict[str, EditorLink] = OrderedDict()
        self._listeners: list[LinkListener] = []
        self._connection: tuple[str, int] | None = None
        self._view = EditorView()
        for link in (plugin, pipeline):
            link.listen(_Ear(self, link))

    @property
    def name(self) -> str:
        """The road that is taken now: ``plugin`` or ``pipeline``."""
        return self._active.name

    @property
    def view(self) -> EditorView:
        """What is known of the Editor now; its ``epoch`` counts the connections of both roads."""
        return self._view

    def listen(self, listener: LinkListener) -> None:
        """Tell ``listener`` of everything from now on."""
        self._listeners.append(listener)

    def open(self) -> None:
        """Begin to look for the Editor on both roads."""
        self._plugin.open()
        self._pipeline.open()

    def start(self, request_id: str, command: Command, timeout_ms: int) -> None:
        """Send ``command`` once; see :class:`unity_bridge.link.EditorLink`."""
        link = self._active
        if isinstance(command, GetJobStatus | CancelJob):
            link = self._job_roads.get(command.job_id, link)
        self._with_editor[request_id] = link, command
        link.start(request_id, command, timeout_ms)

    def forget(self, request_id: str) -> None:
        """Drop the answer to a request, for which nobody waits any more."""
        known = self._with_editor.pop(request_id, None)
        if known is not None:
            known[0].forget(request_id)
            self._choose()

    def confirm_job(self, job_id: str) -> None:
        """The end of a job is known here; see :class:`unity_bridge.link.EditorLink`."""
        self._job_roads.get(job_id, self._active).confirm_job(job_id)

    async def close(self) -> None:
        """Say goodbye on both roads."""
        await self._plugin.close()
        await self._pipeline.close()

    # -- called by the two links -----------------------------------------------------------------

    def on_view_of(self, _link: EditorLink) -> None:
        """What is known of the Editor on one road has changed."""
        self._choose()

    def on_answer_of(self, link: EditorLink, request_id: str, answer: Answer) -> None:
        """One road has an answer."""
        known = self._with_editor.pop(request_id, None)
        if known is None:
            return
        if isinstance(known[1], SubmitJob) and isinstance(answer, Completed):
            self._remember(answer.body.get("job_id"), link)
        for listener in self._listeners:
            listener.on_answer(request_id, answer)
        # Whoever was told may have sent the next one: then it is not the time to switch.
        self._choose()

    def on_job_of(self, link: EditorLink, status: Mapping[str, Any]) -> None:
        """One road tells how a job is."""
        self._remember(status.get("job_id"), link)
        for listener in self._listeners:
            listener.on_job(status)

    # -- which of them ---------------------------------------------------------------------------

    def _choose(self) -> None:
        if not self._with_editor:
            if self._plugin.view.connected:
                self._active = self._plugin
            elif self._pipeline.view.connected:
                self._active = self._pipeline
        view = self._combined()
        if view != self._view:
            self._view = view
            for listener in self._listeners:
                listener.on_view(view)

    def _combined(self) -> EditorView:
        view, epoch = self._active.view, self._view.epoch
        connection = self._active.name, view.epoch
        if view.connected and connection != self._connection:
            self._connection, epoch = connection, epoch + 1
        obstacle = view.obstacle
        if obstacle is None and not view.connected:
            obstacle = self._pipeline.view.obstacle  # the look at the project is the Pipeline's
        return replace(view, epoch=epoch, obstacle=obstacle)

    def _remember(self, job_id: Any, link: EditorLink) -> None:
        if not isinstance(job_id, str):
            return
        self._job_roads[job_id] = link
        self._job_roads.move_to_end(job_id)
        if len(self._job_roads) > MAX_JOBS:
            self._job_roads.popitem(last=False)
