"""The command line: `sg-server serve | search | inspect | doctor`."""

import argparse
import logging
import sys
from collections.abc import Sequence

from sg_server import __version__

_LOG_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one subcommand; without one, serve. Returns the exit code."""
    parsed = _parser().parse_args(arguments)
    _log_to(parsed.log_file, parsed.log_level)
    return int(parsed.run(parsed))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="sg-server", description="Search you can trust, as a language server and on the command line."
    )
    parser.add_argument("--version", action="version", version=f"signal-grep {__version__}")
    _add_common(parser)
    _add_serve(parser)
    parser.set_defaults(run=_serve)
    return parser


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rg", metavar="PATH", help="the ripgrep to run")
    parser.add_argument("--ctags", metavar="PATH", help="the Universal Ctags to run")
    parser.add_argument("--log-file", metavar="FILE", help="append the log to FILE instead of standard error")
    parser.add_argument("--log-level", choices=("debug", "info", "warning", "error"), default="warning")


def _add_serve(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--tcp", action="store_true", help="serve clients that connect, instead of stdio")
    parser.add_argument("--host", default="127.0.0.1", help="where to listen (default: %(default)s)")
    parser.add_argument("--port", type=int, default=0, help="the port to listen at; 0 takes a free one")
    parser.add_argument("--stdio", action="store_true", help="serve on standard streams; this is the default")
    parser.set_defaults(run=_serve)


def _log_to(file: str | None, level: str) -> None:
    logging.basicConfig(filename=file, level=level.upper(), format=_LOG_FORMAT)


def _serve(parsed: argparse.Namespace) -> int:
    # Only a server needs pygls, whose import takes longer than a search.
    from sg_server.lsp.server import ServerOptions  # noqa: PLC0415
    from sg_server.lsp.stdio import serve_stdio  # noqa: PLC0415
    from sg_server.lsp.tcp import serve_tcp  # noqa: PLC0415

    options = ServerOptions(rg_path=parsed.rg, ctags_path=parsed.ctags, watch_client=not parsed.tcp)
    if not parsed.tcp:
        return serve_stdio(options)
    try:
        return serve_tcp(options, parsed.host, parsed.port)
    except OSError as error:
        sys.stderr.write(f"sg-server: cannot listen at {parsed.host}:{parsed.port}: {error.strerror}\n")
        return 2
