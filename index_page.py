"""README.md for an index such as PyPI: relative links, which it lacks, lead to the repository."""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


def with_absolute_links(text: str, source: str) -> str:
    """Markdown whose relative links and pictures lead into a repository."""
    text = re.sub(r"(!\[[^\]]*\]\()(?!https?://|#)", rf"\1{source}/raw/main/", text)
    return re.sub(r"((?<!!)\[[^\]]*\]\()(?!https?://|#)", rf"\1{source}/blob/main/", text)


class IndexPage(MetadataHookInterface):
    """The project's description, made when a distribution is built."""

    def update(self, metadata: dict[str, Any]) -> None:
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        text = with_absolute_links(text, metadata["urls"]["Source"])
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
