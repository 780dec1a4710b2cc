"""What the client is told when a request fails: the one place where errors become answers."""

import asyncio
import logging
from concurrent.futures import CancelledError
from typing import Any

from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcRequestCancelled,
)

from sg_server import limits
from sg_server.errors import SignalGrepError
from sg_server.messages import ENGLISH, Messages, failure
from sg_server.text.excerpts import clip_middle

logger = logging.getLogger(__name__)


def told(error: BaseException, request: str, messages: Messages = ENGLISH) -> JsonRpcException:
    """The answer for `error`; `request` names the failed request in the log.

    What it says is the same in every language, since models read it too. To people who are spoken to in
    another one than English it is said in `messages` as well, under `localized`.

    An expected error is told as it stands and logged as one line. Anything else is a bug: it is logged with
    its traceback, and the client learns no more than that it happened.
    """
    if isinstance(error, asyncio.CancelledError | CancelledError):
        return JsonRpcRequestCancelled("The request was cancelled.")
    if isinstance(error, SignalGrepError):
        logger.info("%s: %s: %s", request, error.code, error.message)
        data: dict[str, Any] = (
            {"code": error.code} if error.hint is None else {"code": error.code, "hint": error.hint}
        )
        # It may quote a long pattern or path; what is wrong with that stands at the end.
        message = clip_middle(error.message, limits.FAILURE_CHARACTERS)
        return JsonRpcException(message, error.jsonrpc_code, data | _localized(error, message, messages))
    if isinstance(error, JsonRpcException):
        logger.info("%s: %s", request, error.message)
        return error
    logger.error("%s failed", request, exc_info=error)
    return JsonRpcInternalError("internal error")


def _localized(error: SignalGrepError, message: str, messages: Messages) -> dict[str, Any]:
    if messages is ENGLISH:
        return {}
    said, remedy = failure(messages, error.code, message, error.hint)
    return {"localized": {"message": said} if remedy is None else {"message": said, "hint": remedy}}
