import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sg_server import limits
from sg_server.lsp.framing import framed, read_body

BODIES = st.lists(st.binary(max_size=200), max_size=5)


def bodies_in(stream: bytes, *, limit: int = 64) -> list[bytes]:
    async def read_all() -> list[bytes]:
        reader = asyncio.StreamReader(limit=limit)
        reader.feed_data(stream)
        reader.feed_eof()
        found = []
        while (body := await read_body(reader)) is not None:
            found.append(body)
        return found

    return asyncio.run(read_all())


@given(BODIES)
def test_what_was_framed_is_read_again(bodies: list[bytes]) -> None:
    assert bodies_in(b"".join(map(framed, bodies))) == bodies


@given(st.binary(max_size=300).map(lambda junk: junk.replace(b":", b"")))
def test_junk_before_a_message_costs_nothing(junk: bytes) -> None:
    assert bodies_in(junk + b"\n\n" + framed(b"{}") + framed(b"[]"))[-2:] == [b"{}", b"[]"]


def test_a_header_is_found_after_a_body_of_unknown_length() -> None:
    assert bodies_in(b'Content-Length: ?\r\n\r\n{"lost": 1}' + framed(b"{}")) == [b"{}"]


@pytest.mark.parametrize("length", [limits.MESSAGE_BYTES + 1, 10**12, 10**18])
def test_a_message_that_is_too_long_is_the_end(length: int) -> None:
    too_long = b"Content-Length: %d\r\n\r\n" % length
    assert bodies_in(framed(b"{}") + too_long + framed(b"[]")) == [b"{}"]


def test_the_longest_message_is_read() -> None:
    longest = b"x" * limits.MESSAGE_BYTES
    assert bodies_in(framed(longest) + framed(b"[]")) == [longest, b"[]"]


def test_a_message_that_breaks_off_is_not_read() -> None:
    assert bodies_in(framed(b"{}") + framed(b"123456789")[:-1]) == [b"{}"]
