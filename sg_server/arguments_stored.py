"""The options of `sg-server context`, subcommand by subcommand."""

import argparse

from sg_server import limits


def define_grep(parser: argparse.ArgumentParser) -> None:
    """A pattern, how it matches, and what is shown."""
    add = parser.add_argument
    parser.usage = "sg-server context grep [options] PATTERN"
    add("words", metavar="PATTERN", nargs="*", help="a regex of the Python package regex")
    add("-e", "--regexp", metavar="PATTERN", help="the pattern, also one that begins with -")
    add("-F", "--fixed-strings", action="store_true", help="take PATTERN literally")
    add("-i", "--ignore-case", dest="ignore_case", action="store_true", default=None, help="a is A")
    add("-s", "--case-sensitive", dest="ignore_case", action="store_false", default=None, help="a is not A")
    smart = "case matters if PATTERN has an upper case letter (default)"
    add("-S", "--smart-case", dest="ignore_case", action="store_const", const=None, help=smart)
    add("-l", "--files-with-matches", action="store_true", help="only the ids of entries that match")
    add("-c", "--count", action="store_true", help="how often each entry matches")
    add("-C", "--context", type=int, metavar="N", help="show N lines on either side")
    add("-m", "--limit", type=int, metavar="N", help="stop after N matches (default: show all)")
    _add_filters(parser)
    _add_output(parser)


def define_outline(parser: argparse.ArgumentParser) -> None:
    """A text, and how much of its outline."""
    parser.usage = "sg-server context outline [options] ID | FILE"
    _add_text(parser)
    depth = limits.OUTLINE_DEPTH
    parser.add_argument("--depth", type=int, metavar="N", help=f"headings down to level N (default: {depth})")
    parser.add_argument("--summaries", action="store_true", help="what has been written about each section")
    _add_output(parser)


def define_read(parser: argparse.ArgumentParser) -> None:
    """A text, and which part of it."""
    parser.usage = "sg-server context read [options] ID | FILE"
    _add_text(parser)
    parser.add_argument("--lines", metavar="A-B", help="from line A to line B, counted from 1")
    parser.add_argument("--chars", metavar="A-B", help="from character A, counted from 0, to before B")
    parser.add_argument("--node", metavar="NODE", help="one section, as `outline` names it")
    parser.add_argument("--json", action="store_true", help="one JSON object, as over LSP")


def define_put(parser: argparse.ArgumentParser) -> None:
    """What is said of the text on standard input."""
    add = parser.add_argument
    parser.usage = "sg-server context put --thread THREAD [options] < FILE"
    add("--thread", required=True, metavar="THREAD", help="what it belongs to")
    add("--source", choices=("user", "agent"), default="user", help="who wrote it (default: %(default)s)")
    add("--tag", action="append", default=[], metavar="TAG", help="a tag; can be given again")
    add("--metadata", metavar="JSON", help="a JSON object of your own")
    add("--summary", metavar="TEXT", help="what it is about")
    add("--reader", action="append", default=[], metavar="NAME", help="who may read it too; * is everybody")
    add("--id", metavar="ID", help="replace this entry")
    add("--expect", type=int, metavar="VERSION", help="with --id: only if it has this version")
    add("--json", action="store_true", help="the whole entry as JSON, not its id alone")


def define_list(parser: argparse.ArgumentParser) -> None:
    """Which entries."""
    parser.usage = "sg-server context list [options]"
    parser.add_argument("-m", "--limit", type=int, metavar="N", help="the newest N (default: all)")
    _add_filters(parser)
    _add_output(parser)


def define_delete(parser: argparse.ArgumentParser) -> None:
    """Ids."""
    parser.usage = "sg-server context delete ID ..."
    parser.add_argument("words", metavar="ID", nargs="*", help="entries, all of which are deleted or none")


def _add_text(parser: argparse.ArgumentParser) -> None:
    about = "an entry's id, or the first 8 digits or more of it; or a file"
    parser.add_argument("words", metavar="ID | FILE", nargs="*", help=about)


def _add_filters(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--thread", metavar="THREAD", help="only what belongs to it")
    add("--source", choices=("user", "agent"), help="only what they wrote")
    add("--tag", action="append", default=[], metavar="TAG", help="only with this tag, or another one given")


def _add_output(parser: argparse.ArgumentParser) -> None:
    choices = ("auto", "always", "never")
    parser.add_argument("--json", action="store_true", help="JSON, an object a line, as over LSP")
    parser.add_argument("--color", choices=choices, default="auto", help="auto: on a terminal only (default)")
