"""A case: where one system's data lie, how to read them, which keys they owe."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from crosscheck.contract import intervals_owed, keys_owed, settings_for
from crosscheck.data import door
from crosscheck.data.readings import described
from crosscheck.errors import UserError
from crosscheck.limits import admit_data, refuse_points, refuse_slices
from crosscheck.system import no_panic

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crosscheck.config.systems import Source


def make_case(source: Source, settings: dict[str, object], *, wants_intervals: bool) -> Case:
    """Describe the data by the primary; what it refuses is bad input."""
    for file in source.files:
        admit_data(file)
    refuse_points(settings)
    try:
        with no_panic(", ".join(source.files)):
            facts = described(door.primary, source.data, settings)
    except door.primary.InputError as error:
        # Loaded on use: whoever is asked about a case has no refusal to explain.
        from crosscheck.data.class_lists import with_class_lists  # noqa: PLC0415
        from crosscheck.data.hints import hints  # noqa: PLC0415
        from crosscheck.data.refusal import told  # noqa: PLC0415

        again, guessed = with_class_lists(source.data, settings)
        if not guessed:
            more = "".join(f"\n{one}" for one in hints(error, source.data))
            message = f"{told(error, source.data)}{more}{_second_opinion(source, settings)}"
            raise UserError(message) from None
        return make_case(
            replace(source, settings=again), again, wants_intervals=wants_intervals
        ).told_of(guessed)
    refuse_slices({**facts["slices"], **{name: facts[name] for name in PARTS}})
    return Case(
        system=source.name,
        data=source.data,
        settings=settings,
        facts=facts,
        owed=tuple(keys_owed(facts, settings)),
        intervals=tuple(intervals_owed(facts, settings)) if wants_intervals else (),
    )


PARTS = ("folds", "criteria", "seeds", "classes")
"""Facts that list parts of the data, each of which has numbers of its own."""


def _second_opinion(source: Source, settings: dict[str, object]) -> str:
    """Ask the reference about a refused input: both must refuse the same files."""
    try:
        with no_panic(", ".join(source.files)):
            door.reference.describe(source.data, settings)
    except (door.reference.InputError, UserError):
        return ""
    return "\nThe reference reads this input without complaint: please report it."


@dataclass(frozen=True, slots=True)
class Case:
    """What a witness is asked about: where the data lie, how to read them, which keys are owed."""

    system: str
    data: Any
    settings: dict[str, Any]
    facts: dict[str, Any]
    owed: tuple[str, ...]
    intervals: tuple[str, ...] = ()
    """Interval keys owed; empty where intervals were not asked for."""
    scope: str = ""
    """Empty for all rows; else the words that say which sample, such as “1 in 20 posts”."""
    engine: str = ""
    """What counted the rows where they are too many to be read here, such as “duckdb 2.0.0”."""
    guessed: str = ""
    """What was taken for granted so that the data could be read, in a sentence."""

    @property
    def name(self) -> str:
        """How it is called in messages."""
        return self.system

    def told_of(self, guessed: str) -> Case:
        """Give the same, with what was taken for granted."""
        return replace(self, guessed=guessed)

    def about(self, keys: Iterable[str]) -> Case:
        """Give the same data, to be asked about some keys alone."""
        return replace(self, settings=settings_for(keys, self.settings))
