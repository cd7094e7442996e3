"""Which settings of a config weaken a run (`weakening.toml`)."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crosscheck.config import Config

FILE = Path(__file__).with_name("weakening.toml")


@cache
def table() -> Mapping[str, Mapping[str, str]]:
    """Give both tables: setting → why it does, or does not."""
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


def weakening(config: Config) -> list[str]:
    """Name the settings of a config, of any system, that weaken a run."""
    own = [config, *config.systems.values()]
    said = {name for one in own for name in one.model_fields_set}
    return sorted(said - table()["harmless"].keys())
