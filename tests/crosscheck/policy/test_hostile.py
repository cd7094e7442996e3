"""Whatever a policy, a waiver, an envelope or a key file holds: one message, no error of ours."""

from __future__ import annotations

from contextlib import suppress
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crosscheck import config, policy
from crosscheck.errors import UserError
from crosscheck.policy.terms import Terms, breaches, looser

if TYPE_CHECKING:
    from pathlib import Path

NAMES = st.sampled_from(
    sorted(
        {
            *policy.Policy.model_fields,
            *policy.WaiverTerms.model_fields,
            *policy.WitnessTerms.model_fields,
            *policy.Held.model_fields,
            *config.Config.model_fields,
            *("XC901", "XC001", "", "x", "XC901 map@*", "owner", "expires", "reason"),
        }
    )
)
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=12),
    st.dates(),
    st.datetimes(),
    st.sampled_from(["XC901", "gold", "ab" * 32, date(2027, 1, 31), datetime(2027, 1, 31)]),  # noqa: DTZ001 - as TOML has it
)
VALUES = st.recursive(
    LEAVES,
    lambda one: st.lists(one, max_size=3) | st.dictionaries(NAMES, one, max_size=3),
    max_leaves=8,
)
TABLES = st.dictionaries(NAMES, VALUES, max_size=5)


@given(TABLES, TABLES)
@settings(max_examples=80, deadline=None, derandomize=True)
def test_any_policy_and_any_config_are_read_or_refused(
    said: dict[str, Any], asked: dict[str, Any]
) -> None:
    found, authors = policy.built_in("standard"), config.Config()
    with suppress(UserError):
        found = policy.from_table({"name": "any", **said})
    with suppress(UserError):
        authors = config.from_table(asked)
    terms = Terms(found, authors, ("primary",), 0, 0, today=date(2027, 1, 31))
    for rule, message in breaches(terms):
        assert rule.startswith("XC0")
        assert message
    assert all(looser(found, policy.built_in("standard")))


@given(st.dictionaries(NAMES, VALUES, max_size=3))
@settings(max_examples=100, deadline=None, derandomize=True)
def test_any_waiver_is_read_or_refused(said: dict[str, Any]) -> None:
    with suppress(UserError):
        config.from_table({"waivers": said})


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
@settings(max_examples=80, deadline=None, derandomize=True)
def test_any_bytes_are_no_certificate_and_no_key(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    pytest.importorskip("cryptography")
    from crosscheck.certificate import envelope, keys, statement  # noqa: PLC0415 - an extra

    file: Path = tmp_path_factory.getbasetemp() / "any"
    file.write_bytes(content)
    for use in (
        lambda: envelope.unseal(content, []),
        lambda: statement.read(content),
        lambda: keys.trusted(file),
        lambda: keys.own(file, lambda: "x"),
    ):
        with pytest.raises(UserError):
            use()
