"""A statement of what an engine has run so far, written beside a checkpoint."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from gdpnum.errors import GdpnumError
from gdpnum.integrations.engine_check import check_engine
from gdpnum.statements import statement

#: Appended to what a checkpoint is called: for machines and for a model card.
ENDINGS = ("privacy.json", "privacy.md")


class Beside:
    """Writes statements of one engine; ``said`` are arguments of `statement`."""

    def __init__(self, engine: object, said: dict[str, Any]) -> None:
        self.engine = engine
        self.said = said

    def write(self, stem: Path, loader: object, optimizer: object) -> None:
        """Write ``stem`` + each of `ENDINGS`; where there is no bound, warn and write nothing.

        A training of days is not to end because a statement of it cannot be made.
        """
        shown = loader if hasattr(loader, "batch_sampler") else None
        try:
            check = check_engine(self.engine, shown, optimizer)
            found = statement(check, **self.said)
        except GdpnumError as error:
            warnings.warn(f"no privacy statement beside {stem}: {error}", stacklevel=2)
            return
        texts = (found.to_json(), found.to_markdown())
        for file, text in zip(files(stem), texts, strict=True):
            file.write_text(text, encoding="utf-8")

    @staticmethod
    def remove(stem: Path) -> None:
        """Remove what `write` wrote, if it is there."""
        for file in files(stem):
            file.unlink(missing_ok=True)


def files(stem: Path) -> list[Path]:
    """Where a statement is; in a folder without a name in front."""
    if stem.is_dir():
        return [stem / ending for ending in ENDINGS]
    return [stem.with_name(f"{stem.name}.{ending}") for ending in ENDINGS]
