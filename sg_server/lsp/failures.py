"""What the client is told when a request fails: the one place where errors become answers."""

import asyncio
import logging
from concurrent.futures import CancelledError

from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcRequestCancelled,
)

from sg_server import limits
from sg_server.errors import SignalGrepError
from sg_server.text.excerpts import clip_middle

logger = logging.getLogger(__name__)


def told(error: BaseException, request: str) -> JsonRpcException:
    """The answer for `error`; `request` names the failed request in the log.

    An expected error is told as it stands and logged as one line. Anything else is a bug: it is logged with
    its traceback, and the client learns no more than that it happened.
    """
    if isinstance(error, asyncio.CancelledError | CancelledError):
        return JsonRpcRequestCancelled("The request was cancelled.")
    if isinstance(error, SignalGrepError):
        logger.info("%s: %s: %s", request, error.code, error.message)
        hint = {} if error.hint is None else {"hint": error.hint}
        # It may quote a long pattern or path; what is wrong with that stands at the end.
        message = clip_middle(error.message, limits.FAILURE_CHARACTERS)
        return JsonRpcException(message, error.jsonrpc_code, {"code": error.code, **hint})
    if isinstance(error, JsonRpcException):
        logger.info("%s: %s", request, error.message)
        return error
    logger.error("%s failed", request, exc_info=error)
    return JsonRpcInternalError("internal error")
