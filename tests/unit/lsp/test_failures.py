import asyncio
import logging
from concurrent import futures

import pytest
from pygls.exceptions import JsonRpcInvalidRequest

from sg_server import limits
from sg_server.errors import InvalidParams, RgMissing
from sg_server.lsp.failures import told


def test_an_expected_error_is_told_as_it_stands_and_logged_in_a_line(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    answer = told(RgMissing("no rg", "Install it."), "request 1")
    assert (answer.code, answer.message) == (-32803, "no rg")
    assert answer.data == {"code": "rg-missing", "hint": "Install it."}
    (record,) = caplog.records
    assert record.levelno == logging.INFO
    assert record.exc_info is None


def test_an_error_without_a_hint_has_none_in_its_data() -> None:
    assert told(InvalidParams("glob", "is wrong"), "request 1").data == {"code": "invalid-params"}


def test_what_quotes_a_long_request_is_told_by_its_beginning_and_its_end() -> None:
    error = InvalidParams("pattern", f"parse error: {'(' * 5_000} unclosed group")
    message = told(error, "request 1").message
    assert len(message) == limits.FAILURE_CHARACTERS
    assert message.startswith("pattern: parse error: (((")
    assert message.endswith("((( unclosed group")


def test_a_bug_is_logged_with_its_traceback_and_told_without(caplog: pytest.LogCaptureFixture) -> None:
    answer = told(ValueError("/secret/path"), "request 1")
    assert (answer.code, answer.message, answer.data) == (-32603, "internal error", None)
    (record,) = caplog.records
    assert record.levelno == logging.ERROR
    assert record.exc_info


@pytest.mark.parametrize("error", [asyncio.CancelledError(), futures.CancelledError()])
def test_a_cancellation_is_told_as_one(error: BaseException) -> None:
    assert told(error, "request 1").code == -32800


def test_an_answer_of_the_protocol_stays_what_it_is() -> None:
    error = JsonRpcInvalidRequest("not now")
    assert told(error, "request 1") is error
