import asyncio
import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sg_server import limits
from sg_server.engines import process
from sg_server.engines.process import Finished, ProcessOwner
from sg_server.errors import CleanupFailed
from tests.server.wire import children, is_alive, until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="speaks POSIX shell")

FOREVER = "while :; do echo more; done"
STUBBORN = "trap '' TERM; "


def sh(script: str) -> list[str]:
    return ["/bin/sh", "-c", script]


def python(script: str) -> list[str]:
    return [sys.executable, "-c", script]


class Reader:
    """A consumer that keeps what it gets, and the process that it gets it from."""

    def __init__(self, owner: ProcessOwner) -> None:
        self.data = bytearray()
        self.pid = 0
        self._owner = owner

    def __call__(self, chunk: bytes) -> None:
        self.data += chunk
        ((self.pid, _),) = self._owner.running


async def output(argv: list[str], stdin: bytes | None = None) -> tuple[bytes, Finished]:
    reader = bytearray()
    finished = await ProcessOwner().run(argv, reader.extend, stdin=stdin)
    return bytes(reader), finished


@contextlib.contextmanager
def at_most(seconds: float) -> Iterator[None]:
    began = time.monotonic()
    yield
    assert time.monotonic() - began < seconds


async def test_output_errors_and_exit_code_are_told_apart() -> None:
    data, finished = await output(sh("echo out; echo err >&2; exit 3"))
    assert (data, finished) == (b"out\n", Finished(returncode=3, stderr="err\n"))


async def test_a_signal_is_a_negative_exit_code() -> None:
    assert (await output(sh("kill -9 $$")))[1].returncode == -signal.SIGKILL


async def test_undecodable_errors_are_replaced() -> None:
    assert (await output(sh(r"printf '\377' >&2")))[1].stderr == "\N{REPLACEMENT CHARACTER}"


async def test_a_flood_of_errors_neither_stops_the_output_nor_is_kept() -> None:
    flood = "head -c 100000000 /dev/zero >&2 & head -c 30000000 /dev/zero; wait"
    data, finished = await output(sh(flood))
    assert len(data) == 30_000_000
    assert len(finished.stderr) == limits.STDERR_BYTES


async def test_a_large_input_comes_back_whole() -> None:
    large = os.urandom(10_000_000)
    data, finished = await output(["cat"], large)
    assert data == large
    assert finished.returncode == 0


async def test_an_input_that_nobody_reads_does_no_harm() -> None:
    data, finished = await output(sh("exec <&-; echo out"), bytes(10_000_000))
    assert (data, finished.returncode) == (b"out\n", 0)


async def test_without_input_a_process_reads_nothing() -> None:
    assert (await output(["cat"]))[0] == b""


async def test_a_process_may_close_its_output_long_before_it_ends() -> None:
    data, finished = await output(sh("echo out; exec >&- 2>&-; for i in 1 2 3; do /bin/true; done; exit 4"))
    assert (data, finished.returncode) == (b"out\n", 4)


async def test_a_process_that_ends_at_once_still_gives_its_output() -> None:
    for _ in range(50):
        assert (await output(["echo", "out"]))[0] == b"out\n"


async def test_output_in_many_small_writes_comes_whole() -> None:
    script = "import os\nfor i in range(20000): os.write(1, b'%d\\n' % i)"
    data, _ = await output(python(script))
    assert data == b"".join(b"%d\n" % number for number in range(20_000))


async def test_small_writes_are_gathered() -> None:
    chunks: list[bytes] = []
    script = "import os, time\nfor i in range(1000): os.write(1, b'x' * 100); time.sleep(0.0002)"
    await ProcessOwner().run(python(script), chunks.append)
    assert sum(map(len, chunks)) == 100_000
    assert len(chunks) < 500


async def test_a_pipe_that_could_not_be_widened_is_read_without_a_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object) -> int:
        raise PermissionError

    waits: list[float] = []

    def call_later(delay: float, *rest: Any) -> asyncio.TimerHandle:
        waits.append(delay)
        return wait(delay, *rest)

    # As for a user whose pipes already hold much, which root's are free to do.
    monkeypatch.setattr("fcntl.fcntl", refuse)
    wait = asyncio.get_running_loop().call_later
    monkeypatch.setattr(asyncio.get_running_loop(), "call_later", call_later)
    data, _ = await output(python("import os\nfor _ in range(100): os.write(1, bytes(30_000))"))
    assert len(data) == 3_000_000
    assert set(waits) == {limits.CLOSE_SECONDS}


@pytest.mark.parametrize("steps", range(8))
@pytest.mark.parametrize("said", ["", "out"])
async def test_a_process_that_ended_before_the_event_loop_took_note_gives_its_output(
    steps: int, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    task = asyncio.create_task(output(["printf", said]))
    for _ in range(steps):
        await asyncio.sleep(0)
    time.sleep(0.02)
    assert (await task)[0] == said.encode()
    assert caplog.records == []


async def test_a_process_that_cannot_be_started_is_an_os_error(tmp_path: Path) -> None:
    owner = ProcessOwner()
    with pytest.raises(FileNotFoundError):
        await owner.run([str(tmp_path / "missing")], bytearray().extend)
    assert owner.running == ()


async def test_what_runs_is_listed_until_it_is_reaped() -> None:
    owner = ProcessOwner()
    task = asyncio.create_task(owner.run(["sleep", "600"], bytearray().extend))
    await until(lambda: owner.running)
    ((pid, name),) = owner.running
    assert name == "sleep"
    assert is_alive(pid)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert owner.running == ()
    assert not os.path.exists(f"/proc/{pid}")


async def test_quick_runs_leave_no_descriptor_and_no_process() -> None:
    await output(["true"])
    before = sorted(os.listdir("/proc/self/fd"))
    others = children(os.getpid())
    owner = ProcessOwner()
    for _ in range(200):
        await owner.run(["true"], bytearray().extend)
    assert sorted(os.listdir("/proc/self/fd")) == before
    assert children(os.getpid()) == others


async def cancelled(
    argv: list[str], ready: Callable[[Reader], object], times: int = 1, stdin: bytes | None = None
) -> int:
    """Cancel a run once it is `ready`; give the id of the process, which is gone."""
    owner = ProcessOwner()
    reader = Reader(owner)
    task = asyncio.create_task(owner.run(argv, reader, stdin=stdin))
    await until(lambda: ready(reader))
    for _ in range(times):
        task.cancel()
        await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await task
    assert owner.running == ()
    assert not os.path.exists(f"/proc/{reader.pid}")
    return reader.pid


@pytest.mark.parametrize("times", [1, 3])
async def test_a_cancelled_process_is_gone_when_the_cancel_is_told(times: int) -> None:
    with at_most(limits.TERMINATE_SECONDS):
        await cancelled(sh(FOREVER), lambda reader: reader.data, times)


async def test_a_process_that_ignores_being_asked_is_killed() -> None:
    with at_most(limits.TERMINATE_SECONDS + 1):
        await cancelled(sh(STUBBORN + FOREVER), lambda reader: reader.data)


async def test_a_cancel_waits_for_no_input_to_be_read() -> None:
    with at_most(1):
        await cancelled(sh("echo ready; exec sleep 600"), lambda reader: reader.data, stdin=bytes(10_000_000))


@pytest.mark.parametrize("size", [0, 1, 10_000_000])
async def test_a_cancel_after_all_input_was_read_is_told(size: int, caplog: pytest.LogCaptureFixture) -> None:
    await cancelled(
        sh("cat > /dev/null; echo ready; exec sleep 600"), lambda reader: reader.data, stdin=bytes(size)
    )
    assert not caplog.records


async def test_a_cancel_right_after_the_start_is_told(caplog: pytest.LogCaptureFixture) -> None:
    await cancelled(sh("exec sleep 600"), lambda reader: reader._owner.running, stdin=b"x")
    assert not caplog.records


@pytest.mark.parametrize("script", ["sleep 600", "(trap '' TERM; sleep 600)"])
async def test_what_a_process_started_in_its_group_ends_with_it(script: str) -> None:
    grandchildren: list[int] = []

    def started(reader: Reader) -> bool:
        grandchildren[:] = [int(line) for line in reader.data.split()]
        return bool(grandchildren)

    await cancelled(sh(f"{script} & echo $!; wait"), started)
    await until(lambda: not any(map(is_alive, grandchildren)))


async def test_a_grandchild_outside_the_group_does_not_hold_up_a_cancel() -> None:
    grandchild = bytearray()

    def started(reader: Reader) -> bytearray:
        grandchild[:] = reader.data
        return reader.data

    with at_most(limits.TERMINATE_SECONDS + 1):
        holding = "exec 3<&0; setsid sleep 600 <&3 & echo $!; wait"
        await cancelled(sh(holding), started, stdin=bytes(10_000_000))
    os.kill(int(grandchild), signal.SIGKILL)


async def test_a_grandchild_that_holds_the_pipes_does_not_hold_up_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "CLOSE_SECONDS", 0.1)
    with at_most(2):
        data, finished = await output(sh("setsid sleep 600 & echo $!; exit 5"))
    assert finished.returncode == 5
    os.kill(int(data), signal.SIGKILL)


async def test_output_that_outlasts_the_process_comes_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "CLOSE_SECONDS", 0.2)
    script = "import os, time\nfor i in range(20): os.write(1, b'x'); time.sleep(0.03)"
    data, _ = await output([*sh('"$0" -c "$1" & exit 0'), sys.executable, script])
    assert data == b"x" * 20


async def test_a_slow_consumer_gets_everything_of_a_process_long_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "CLOSE_SECONDS", 0.01)
    sizes: list[int] = []

    def consume(chunk: bytes) -> None:
        time.sleep(0.05)
        sizes.append(len(chunk))

    await ProcessOwner().run(["head", "-c", "1500000", "/dev/zero"], consume)
    assert sum(sizes) == 1_500_000


@pytest.mark.parametrize("before", ["", STUBBORN])
async def test_an_error_of_the_consumer_ends_the_process_and_is_raised(before: str) -> None:
    owner = ProcessOwner()
    pids: list[int] = []

    def consume(_: bytes) -> None:
        pids.extend(pid for pid, _ in owner.running)
        raise ValueError("not what was expected")

    with pytest.raises(ValueError, match="not what"), at_most(limits.TERMINATE_SECONDS + 1):
        await owner.run(sh(before + FOREVER), consume)
    assert len(pids) == 1
    assert not os.path.exists(f"/proc/{pids[0]}")


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("steps", range(6))
async def test_a_cancel_while_a_process_is_started_finds_it(steps: int, times: int, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    others = children(os.getpid())
    owner = ProcessOwner()
    task = asyncio.create_task(owner.run(sh(f"echo $$ > {mark}; exec sleep 600"), bytearray().extend))
    for _ in range(steps):
        await asyncio.sleep(0)
    for _ in range(times):
        task.cancel()
        await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await task
    assert owner.running == ()
    assert children(os.getpid()) == others
    assert not mark.exists() or not mark.read_text() or not is_alive(int(mark.read_text()))


async def test_a_cancel_while_a_missing_program_is_started_is_a_cancel(tmp_path: Path) -> None:
    task = asyncio.create_task(ProcessOwner().run([str(tmp_path / "missing")], bytearray().extend))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_process_that_cannot_be_killed_is_told_with_its_cause(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "CLOSE_SECONDS", 0.05)
    monkeypatch.setattr(process, "_signal_group", lambda *_: None)
    owner = ProcessOwner()

    def consume(_: bytes) -> None:
        raise ValueError("the first cause")

    with pytest.raises(CleanupFailed) as caught:
        await owner.run(sh(f"trap '' PIPE; echo out; {FOREVER}"), consume)
    assert str(caught.value.__cause__) == "the first cause"
    ((pid, name),) = owner.running
    assert (str(pid) in caught.value.message, name) == (True, "sh")
    await until(lambda: not owner.running)


async def test_an_event_loop_error_is_never_logged(caplog: pytest.LogCaptureFixture) -> None:
    for script in ("exec >&-", "exec 2>&-", "exec >&- 2>&-; :", "echo out", FOREVER + " | head -c 3000000"):
        for stdin in (None, bytes(1_000_000)):
            await output(sh(script), stdin)
    assert [record for record in caplog.records if record.name == "asyncio"] == []
