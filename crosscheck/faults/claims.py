"""Wrong claims: what happens to numbers between the evaluation and the paper.

Each function changes a truthful claims file; two are tables that their own digits refute.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from crosscheck.model.ledgers import Ledger

Stated = dict[str, Any]


def _digits_swapped(text: str) -> str:
    """Exchange the last two neighbouring digits that differ."""
    for place in range(len(text) - 1, text.index(".") + 1, -1):
        if text[place] != text[place - 1]:
            return text[: place - 1] + text[place] + text[place - 1] + text[place + 1 :]
    raise ValueError(f"all digits of {text} are the same")


def digits_swapped(stated: Stated, _: Ledger) -> None:
    """Exchange two digits of nDCG@3."""
    numbers = stated["positives_only"]
    numbers["ndcg@3"] = float(_digits_swapped(f"{numbers['ndcg@3']:.4f}"))


def last_digit_off(stated: Stated, _: Ledger) -> None:
    """Raise the last digit of MRR by one."""
    numbers = stated["positives_only"]
    numbers["mrr@all"] = round(numbers["mrr@all"] + 0.0001, 4)


def stale_number(stated: Stated, _: Ledger) -> None:
    """Leave an AUROC of an earlier run."""
    stated["all_queries"]["auroc"] = round(stated["all_queries"]["auroc"] - 0.0123, 4)


def other_k(stated: Stated, ledger: Ledger) -> None:
    """Print the nDCG of the whole ranking for nDCG@3."""
    stated["positives_only"]["ndcg@3"] = round(ledger["ndcg@all|positives_only|all|mean"], 4)


def other_population(stated: Stated, ledger: Ledger) -> None:
    """Print nDCG over all queries for positives_only."""
    stated["positives_only"]["ndcg@3"] = round(ledger["ndcg@3|all_queries|all|mean"], 4)


def percent_for_fraction(stated: Stated, _: Ledger) -> None:
    """Put a percent sign behind a fraction."""
    stated["all_queries"]["auroc"] = f"{stated['all_queries']['auroc']:.4f}%"


def std_of_population(stated: Stated, ledger: Ledger) -> None:
    """Print the population standard deviation behind the ±."""
    key = "ndcg@3|positives_only|folds|"
    printed = f"{ledger[key + 'mean']:.4f} ± {ledger[key + 'std/population']:.4f}"
    stated["over_folds"]["positives_only"]["ndcg@3"] = printed


def count_off_by_one(stated: Stated, _: Ledger) -> None:
    """Count one true positive more."""
    stated["all_queries"]["tp"] += 1


def better_fold(stated: Stated, ledger: Ledger) -> None:
    """Print the best fold's AUROC for all of them."""
    best = max(v for k, v in ledger.items() if k.startswith("auroc|all_queries|fold="))
    stated["all_queries"]["auroc"] = round(best, 4)


def unknown_metric(stated: Stated, _: Ledger) -> None:
    """Claim a number for a metric that nobody defines."""
    stated["positives_only"]["wisdom@10"] = 0.4321


def nothing_verifiable(stated: Stated, _: Ledger) -> None:
    """Bring another study's claims."""
    stated.clear()
    stated["another study"] = {"wisdom": 0.4321, "insight": 0.1234}


def other_setting(stated: Stated, _: Ledger) -> None:
    """State that queries without gold were kept, over numbers for which they were not."""
    stated["positives_only"]["skip_no_positives"] = False


def claimed_twice(stated: Stated, _: Ledger) -> None:
    """Claim nDCG@3 a second time, otherwise."""
    other = round(stated["positives_only"]["ndcg@3"] - 0.0311, 4)
    stated["appendix"] = {"positives_only": {"ndcg@3": other}}


INJECT: dict[str, Callable[[Stated, Ledger], None]] = {
    "digits-swapped": digits_swapped,
    "last-digit-off": last_digit_off,
    "stale-number": stale_number,
    "other-k": other_k,
    "other-population": other_population,
    "percent-for-fraction": percent_for_fraction,
    "std-of-population": std_of_population,
    "count-off-by-one": count_off_by_one,
    "better-fold": better_fold,
    "unknown-metric": unknown_metric,
    "nothing-verifiable": nothing_verifiable,
    "other-setting": other_setting,
    "claimed-twice": claimed_twice,
}


@dataclass(frozen=True, slots=True)
class ClaimsTable:
    """A table that is audited on its own, without data: as it could be, and as it was printed."""

    text: str
    true: str
    printed: str

    @property
    def wrong(self) -> str:
        """The table with the wrong number in it."""
        return self.text.replace(self.true, self.printed)


TABLES = {
    "improvement-miscounted": ClaimsTable(
        """\
| Model | nDCG@10 |
|---|---|
| Baseline | 0.7330 |
| GNN | 0.8206 |
| Improvement | +11.95% |
""",
        true="+11.95%",
        printed="+10.48%",
    ),
    "impossible-neighbours": ClaimsTable(
        """\
## Extended metrics, binary relevance

| Metric | GNN |
|---|---|
| nDCG@1 | 0.6605 |
| Hit@1 | 0.6605 |
""",
        true="nDCG@1 | 0.6605",
        printed="nDCG@1 | 0.6497",
    ),
}


def injected(fault: str, stated: Stated, ledger: Ledger) -> Stated:
    """Give the claims as the fault leaves them; those they are made from stay as they are."""
    changed = deepcopy(stated)
    INJECT[fault](changed, ledger)
    return changed
