"""What one request tells its client while it runs: work-done progress and partial results."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sg_server.messages import Messages
from sg_server.search.results import StreamedTotals
from sg_server.search.streaming import NOBODY, Watch

Token = int | str
SendProgress = Callable[[Token, Any], None]


class RequestProgress:
    """The `$/progress` of one request; silent where the client gave no token."""

    def __init__(self, send: SendProgress, work_done_token: Token | None, messages: Messages) -> None:
        self._send = send
        self._token = work_done_token
        self._messages = messages

    @contextmanager
    def work_done(self, command_id: str) -> Iterator[None]:
        """Begin at once, and end whatever happens in between."""
        title = self._messages.titles[command_id]
        self._tell({"kind": "begin", "title": title, "cancellable": True})
        try:
            yield
        finally:
            self._tell({"kind": "end"})

    def watch(self, partial_result_token: Token | None) -> Watch:
        """What a search is to tell, for the tokens that the client gave."""
        if self._token is None and partial_result_token is None:
            return NOBODY
        return Watch(
            batch=None
            if partial_result_token is None
            else lambda batch: self._send(partial_result_token, batch),
            progress=None if self._token is None else self._report,
        )

    def _report(self, totals: StreamedTotals) -> None:
        words = self._messages
        found = words.found.format(matches=words.match(totals.matches), files=words.file(totals.files))
        self._tell({"kind": "report", "message": found})

    def _tell(self, value: dict[str, Any]) -> None:
        if self._token is not None:
            self._send(self._token, value)
