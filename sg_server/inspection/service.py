"""`sg.inspect`: from targets to the answer."""

from collections.abc import Sequence

from sg_server.engines.ctags import Ctags
from sg_server.engines.structure import StructureReader
from sg_server.engines.treesitter import TreeSitter
from sg_server.inspection.answer import answer
from sg_server.inspection.findings import Examiner
from sg_server.inspection.results import InspectResult
from sg_server.inspection.targets import Target
from sg_server.text.positions import TextView


class InspectionService:
    """Inspects for one client, which sees text as `view` says."""

    def __init__(self, ctags: Ctags, tree_sitter: TreeSitter, view: TextView) -> None:
        self._examiner = Examiner(StructureReader(ctags, tree_sitter), view)

    async def inspect(self, targets: Sequence[Target]) -> InspectResult:
        """Show the source around each of `targets`, one to `limits.INSPECT_TARGETS` of them."""
        return answer(await self._examiner.examine(targets))
