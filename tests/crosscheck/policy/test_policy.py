"""Policies as files: what they may say, what is wrong with them, all of it at once."""

from __future__ import annotations

import hashlib
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest

from crosscheck import config as configs
from crosscheck import policy
from crosscheck.contract import load
from crosscheck.errors import UserError
from crosscheck.policy.terms import Terms, breaches, looser
from crosscheck.witnesses.registry import STANDARD

if TYPE_CHECKING:
    from pathlib import Path

FULL = """
name = "Journal of Examples, 2027"
discovery = false
tolerance = 0.001
resamples = 2000
intervals = true
seed = 7
unevaluated = 0.25
[witnesses]
allowed = ["ranx", "trec_eval"]
required = ["ranx"]
[waivers]
reason = 20
owner = true
expiry = true
[waivers.rules]
XC902 = { owner = "the data desk", expires = 2027-01-31 }
XC901 = {}
[claims]
files = ["summary.json"]
least = 3
[allowed]
columns = { gold = ["relevant"] }
threshold = [0.5]
k = [1, 3, 10]
[profile]
posts = 12
[held]
gold = ["ABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABABAB"]
"""


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def write(text: str) -> Path:
        path = tmp_path / "policy.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def terms(policy_text: Any, config: str = "", **asked: Any) -> Terms:
    """Hold a config's text against a policy."""
    given = {"witnesses": ("primary", "reference"), "resamples": 0, "seed": 1} | asked
    settled = configs.from_table(_table(config))
    return Terms(policy_text, settled, **given)


def _table(text: str) -> dict[str, Any]:
    import tomllib  # noqa: PLC0415 - named where it is used

    return tomllib.loads(text)


def broken(one: Terms) -> list[str]:
    return [rule for rule, _ in breaches(one)]


def test_a_policy_says_everything_in_one_file(write: Any) -> None:
    path = write(FULL)
    found = policy.read(path)
    assert (found.name, found.tolerance, found.seed) == ("Journal of Examples, 2027", 0.001, 7)
    assert found.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert found.file == path
    assert found.held.gold == ["ab" * 32]
    assert found.expires


def test_what_a_policy_leaves_out_is_as_in_the_standard_one(write: Any) -> None:
    found = policy.read(write('name = "ours"\n[waivers]\nowner = true'))
    standard = policy.built_in("standard")
    assert found.waivers.owner
    assert found.waivers.reason == standard.waivers.reason
    assert found.tolerance == standard.tolerance == float(load().defaults["tolerance"])


def test_the_strict_policy_asks_everybody_and_keeps_the_contracts_seed() -> None:
    strict = policy.built_in("strict")
    assert strict.seed == int(load().defaults["seed"])
    libraries = [one.name for one in STANDARD if one.name not in ("primary", "reference")]
    assert sorted(strict.witnesses.required) == sorted(libraries)
    assert not strict.discovery
    assert list(looser(strict, policy.built_in("standard"))) == []


def test_everything_wrong_with_a_policy_is_said_at_once(write: Any) -> None:
    text = (
        "tolerance = -1\ndiscovry = true\nunevaluated = 2\n[waivers.rules]\nXC000 = {}\n"
        '[held]\ngold = ["abc"]\n[allowed]\ntreshold = [0.5]\n'
    )
    with pytest.raises(UserError) as error:
        policy.read(write(text))
    said = str(error.value)
    assert "has 7 problems" in said
    for part in (
        "name: is missing",
        "tolerance: is -1",
        "discovry: unknown key; did you mean discovery?",
        "unevaluated: is 2; expected a number from 0 to 1",
        "names XC000, which `crosscheck rules` does not list",
        "expected 64 hexadecimal digits",
        "treshold: is no setting of a config; did you mean threshold?",
    ):
        assert part in said


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"name 3", "is not valid TOML"),
        (b"\xff", "is not valid TOML"),
        (b"x" * 1_100_000, "bytes"),
    ],
)
def test_a_file_that_is_no_policy_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "p.toml").write_bytes(content)
    with pytest.raises(UserError, match=said):
        policy.read(tmp_path / "p.toml")


def test_a_policy_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such policy"):
        policy.read(tmp_path / "none.toml")


def test_strict_and_a_file_exclude_each_other() -> None:
    with pytest.raises(UserError, match="exclude each other"):
        policy.choose("policy.toml", strict=True)


@pytest.mark.parametrize(
    ("config", "rules"),
    [
        ("tolerance = 0.0005", []),
        ("tolerance = 0.002", ["XC001"]),
        ("threshold = 0.5", []),
        ("threshold = 0.4", ["XC008"]),
        ("[threshold]\n0 = 0.5\n1 = 0.3", ["XC008"]),
        ("k = [1, 10]", []),
        ("k = [1, 2, 10, 20]", ["XC008", "XC008"]),
        ('[columns]\ngold = "relevant"', []),
        ('[columns]\ngold = "top1"', ["XC008"]),
        ('[columns]\nprob = "p"', ["XC008"]),
        ("[systems.a]\ndata = 'x.csv'\nthreshold = 0.9", ["XC008"]),
        ("[profile]\nposts = 12\nqueries = 3", []),
        ("[profile]\nposts = 13", ["XC009"]),
    ],
)
def test_a_config_may_tighten_a_policy_and_nothing_else(
    write: Any, config: str, rules: list[str]
) -> None:
    held = terms(
        policy.read(write(FULL)),
        config,
        witnesses=("primary", "reference", "ranx"),
        resamples=2000,
        seed=7,
        claims=("results/summary.json",),
    )
    assert broken(held) == rules


@pytest.mark.parametrize(
    ("allowed", "config", "rules"),
    [
        ("", "relevance_level = 1", []),
        ("", "relevance_level = 0", ["XC011"]),
        ("", "[systems.a]\ndata = 'x.csv'\nrelevance_level = 3", ["XC011"]),
        ("[allowed]\nrelevance_level = [2]\n", "relevance_level = 2", []),
        ("[allowed]\nrelevance_level = [2]\n", "relevance_level = 0", ["XC008"]),
    ],
)
def test_judgements_that_are_held_are_held_with_the_level_from_which_one_counts(
    write: Any, allowed: str, config: str, rules: list[str]
) -> None:
    held = policy.read(write(f'name = "lab"\n{allowed}[held]\nqrels = ["{"ab" * 32}"]\n'))
    assert broken(terms(held, config)) == rules


@pytest.mark.parametrize(
    ("asked", "rules"),
    [
        ({"witnesses": ("primary", "reference", "ranx", "mine:f")}, ["XC004"]),
        ({"witnesses": ("primary", "reference")}, ["XC005"]),
        ({"resamples": 0}, ["XC006"]),
        ({"resamples": 1999}, ["XC006"]),
        ({"seed": 8}, ["XC007"]),
        ({"claims": ("other.json",)}, ["XC010"]),
        ({"rankings": (("ours", "gold"),)}, ["XC008"]),
        ({}, []),
    ],
)
def test_what_is_asked_for_is_held_against_the_policy(
    write: Any, asked: dict[str, Any], rules: list[str]
) -> None:
    usual = {
        "witnesses": ("primary", "reference", "ranx"),
        "resamples": 2000,
        "seed": 7,
        "claims": ("summary.json",),
    }
    assert broken(terms(policy.read(write(FULL)), "", **(usual | asked))) == rules


REASON = "the appendix uses another definition"


@pytest.mark.parametrize(
    ("waiver", "why"),
    [
        (f'XC902 = {{ reason = "{REASON}", owner = "the data desk", expires = 2027-01-31 }}', []),
        (
            f'XC902 = {{ reason = "{REASON}", owner = "me", expires = 2027-01-31 }}',
            ["XC902 may be waived by the data desk alone"],
        ),
        (
            f'XC901 = {{ reason = "{REASON}", owner = "me", expires = 2026-12-31 }}',
            ["it expired on 2026-12-31, and the run is judged as of 2027-01-01"],
        ),
        (f'XC901 = {{ reason = "{REASON}", owner = "me", expires = 2027-01-01 }}', []),
        (f'XC901 = "{REASON}"', ["it names no owner", "it does not say when it expires"]),
        (
            'XC901 = { reason = ". . . . . . . . . . . . .", owner = "me", expires = 2027-02-01 }',
            ["its reason has 0 letters and digits, at least 20 are asked for"],
        ),
        (
            f'XC101 = {{ reason = "{REASON}", owner = "me", expires = 2027-02-01 }}',
            ["XC101 may not be waived"],
        ),
    ],
)
def test_a_waiver_counts_only_as_the_policy_grants_it(
    write: Any, waiver: str, why: list[str]
) -> None:
    held = terms(policy.read(write(FULL)), f"[waivers]\n{waiver}", today=date(2027, 1, 1))
    [one] = held.config.waivers
    assert list(held.refused(one)) == why
    assert held.waivers == (() if why else (one,))


def test_a_grant_that_expired_grants_nothing(write: Any) -> None:
    waiver = f'XC902 = {{ reason = "{REASON}", owner = "the data desk", expires = 2028-01-31 }}'
    held = terms(policy.read(write(FULL)), f"[waivers]\n{waiver}", today=date(2027, 2, 1))
    assert held.waivers == ()


def test_the_policys_profile_stands_over_the_configs(write: Any) -> None:
    held = terms(policy.read(write(FULL)), "[profile]\nposts = 13\nqueries = 5")
    assert held.profile is not None
    assert (held.profile.posts, held.profile.queries) == (12, 5)


def test_what_a_policy_grants_beyond_the_standard_one_is_said(write: Any) -> None:
    text = (
        'name = "lax"\ntolerance = 0.5\nunevaluated = 1\ntruth = ["gold"]\n'
        '[waivers]\nreason = 1\n[allowed]\ncolumns = { gold = ["top1"] }\n'
    )
    told = list(looser(policy.read(write(text)), policy.built_in("standard")))
    assert len(told) == 5
    assert told[0] == "a tolerance of 0.5 instead of 0.01"
