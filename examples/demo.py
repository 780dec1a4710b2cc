"""What a session looks like: this checkout and Python's own library, searched, paged and inspected."""

import asyncio
import json
import sysconfig
import time
from pathlib import Path
from typing import Any

from examples.search_page_inspect import Ask, opened

CHECKOUT = Path(__file__).resolve().parent.parent
LIBRARY = Path(sysconfig.get_path("stdlib"))
PATTERN = r"call_exception_handler\("


async def shown(ask: Ask, command: str, **argument: Any) -> Any:
    """Run a command, and print the request, the time it took and the text a reader gets."""
    print(f"\n\N{BLACK RIGHT-POINTING SMALL TRIANGLE} {command} {json.dumps(argument)}")
    started = time.perf_counter()
    answer = await ask(command, **argument)
    milliseconds = (time.perf_counter() - started) * 1000
    if "text" in answer:
        print(answer["text"])
    print(f"  ({milliseconds:.0f} ms)")
    return answer


async def main() -> None:
    """Search, page and inspect; each step takes what the one before it returned."""
    print(f"Folders: {CHECKOUT}, {LIBRARY}")
    async with opened(CHECKOUT, LIBRARY) as ask:
        scope = {"fileType": "py", "exclude": ["site-packages", "test", "tests"]}
        found = await shown(ask, "sg.search", pattern=PATTERN, **scope, mode="summary")
        snapshot, most = found["snapshot"], max(found["files"], key=lambda file: file["matches"])
        page = await shown(ask, "sg.page", snapshot=snapshot, path=most["path"], limit=5, context=1)
        await shown(ask, "sg.inspect", snapshot=snapshot, matchIndex=page["matches"][0]["index"])
        await shown(ask, "sg.search", pattern="no line holds this, it is put together " + "here", **scope)
        health = await shown(ask, "sg.health")
        for name in ("rg", "ctags", "treeSitter"):
            print(f"  {name}: {health[name].get('version', 'not found')}")
        for problem in health["problems"]:
            print(f"  {problem['message']}. {problem['hint']}")


if __name__ == "__main__":
    asyncio.run(main())
