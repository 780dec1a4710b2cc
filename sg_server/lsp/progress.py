"""What one request tells its client while it runs: work-done progress and partial results."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sg_server.search.headline import counted
from sg_server.search.results import StreamedTotals
from sg_server.search.streaming import NOBODY, Watch

Token = int | str
SendProgress = Callable[[Token, Any], None]


class RequestProgress:
    """The `$/progress` of one request; silent where the client gave no token."""

    def __init__(self, send: SendProgress, work_done_token: Token | None) -> None:
        self._send = send
        self._token = work_done_token

    @contextmanager
    def work_done(self, title: str) -> Iterator[None]:
        """Begin at once, and end whatever happens in between."""
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
        found = f"{counted(totals.matches, 'match')} in {counted(totals.files, 'file')}"
        self._tell({"kind": "report", "message": found})

    def _tell(self, value: dict[str, Any]) -> None:
        if self._token is not None:
            self._send(self._token, value)
