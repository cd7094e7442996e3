"""The two implementations as the harness reaches them: by the functions of docs/interface.md.

`door.primary` and `door.reference` are the packages themselves, loaded when they are first asked:
polars is heavy, and most witnesses need neither. No other module of the harness imports them. Their
names are plain words, which others use too: only the packages beside this one are ever loaded.
"""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING

from crosscheck.errors import UserError

if TYPE_CHECKING:
    from types import ModuleType

    import primary
    import reference

__all__ = ["primary", "reference"]
BESIDE = Path(__file__).resolve().parents[2]


def __getattr__(name: str) -> ModuleType:
    """Load an implementation on first use."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = sys.modules.get(name) or _load(name)
    place = Path(found.__file__ or "").resolve()
    if place.parent != BESIDE / name:
        raise UserError(
            f"{place}: another package called “{name}” stands in the way of the implementation "
            f"beside crosscheck, in {BESIDE / name}; start crosscheck where nothing imports it"
        )
    return found


def _load(name: str) -> ModuleType:
    """Load a package from beside this one, wherever else a package of its name may lie."""
    file = BESIDE / name / "__init__.py"
    spec = spec_from_file_location(name, file, submodule_search_locations=[str(file.parent)])
    if spec is None or spec.loader is None or not file.is_file():
        raise UserError(f"{file}: is not there; install metric-crosscheck again")
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
