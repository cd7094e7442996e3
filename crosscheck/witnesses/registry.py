"""Every witness by its name, in the order in which they are started: the slowest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crosscheck.errors import UserError
from crosscheck.witnesses import bootstrap, own
from crosscheck.witnesses.engines import MLLIB, SQL
from crosscheck.witnesses.implementations import PRIMARY, REFERENCE
from crosscheck.witnesses.ir_measures import WITNESS as IR_MEASURES
from crosscheck.witnesses.ranx import WITNESS as RANX
from crosscheck.witnesses.scikit_learn import WITNESS as SCIKIT_LEARN
from crosscheck.witnesses.scipy import WITNESS as SCIPY
from crosscheck.witnesses.trec_eval import WITNESS as TREC_EVAL

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crosscheck.witnesses import Witness

STANDARD = (PRIMARY, REFERENCE, RANX, SCIKIT_LEARN, TREC_EVAL, IR_MEASURES, SCIPY)
BY_NAME = {witness.name: witness for witness in STANDARD}
NAMED = BY_NAME | {
    SCIPY.name: bootstrap.WITNESS,
    SQL.name: SQL,
    MLLIB.name: MLLIB,
}
"""Who comes when called by name: scipy then also draws intervals, which takes a while; `sql` needs
an engine and Parquet, `mllib` a Spark."""


def choose(names: Iterable[str], extra: Iterable[str] = ()) -> tuple[Witness, ...]:
    """Choose witnesses: by name, or all; the two implementations always, and the extra ones too."""
    asked = [NAMED.get(name) or own.witness(name, NAMED) for name in names]
    added = [own.witness(name) for name in extra]
    for one in asked:
        if one.absent:
            raise UserError(f"--witness {one.name}: {one.absent}")
    chosen = asked or list(STANDARD)
    return tuple(dict.fromkeys([PRIMARY, REFERENCE, *chosen, *added]))
