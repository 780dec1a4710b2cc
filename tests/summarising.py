"""A provider of summaries on this machine, which speaks OpenAI's protocol for chats as a test tells it to."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, bytes]
Behaviour = Callable[[str], Answer]
"""From the text that is to be summarised to a status and a body."""


def completion(summary: Any, finish_reason: str | None = "stop") -> Answer:
    message = {"role": "assistant", "content": summary}
    choice = {"index": 0, "message": message, "finish_reason": finish_reason}
    body = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    return 200, json.dumps(body).encode()


def shortened(text: str) -> Answer:
    """The first line of a text is its summary."""
    return completion(f"About {text.splitlines()[0].lstrip('# ')}.")


class ModelServer:
    """What was asked, in order, and how it is answered."""

    def __init__(self) -> None:
        self.behaviour: Behaviour = shortened
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.at_once = 0
        """The most requests that were being answered together."""
        self.hanging = threading.Event()
        """Set when the server goes, so that what hangs ends."""
        self.url = ""
        self._running = 0
        self._lock = threading.Lock()

    @property
    def texts(self) -> list[str]:
        """The texts that were to be summarised."""
        return [request["messages"][-1]["content"] for request in self.requests]

    def hang(self, _: str) -> Answer:
        """Answer no more than the end of the test does."""
        self.hanging.wait(60)
        return 500, b""

    def answer(self, request: dict[str, Any], headers: dict[str, str]) -> Answer:
        with self._lock:
            self.requests.append(request)
            self.headers.append(headers)
            self._running += 1
            self.at_once = max(self.at_once, self._running)
        try:
            return self.behaviour(request["messages"][-1]["content"])
        finally:
            with self._lock:
                self._running -= 1


@contextmanager
def model_server() -> Iterator[ModelServer]:
    model = ModelServer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            assert self.path == "/v1/chat/completions"
            status, body = model.answer(
                request, {name.lower(): value for name, value in self.headers.items()}
            )
            try:
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # who asked has stopped waiting

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        model.url = f"http://127.0.0.1:{server.server_port}/v1"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield model
        finally:
            model.hanging.set()
            server.shutdown()
            thread.join()
