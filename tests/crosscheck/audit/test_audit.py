"""Each law that a table can break, broken once and kept once."""

from __future__ import annotations

import pytest

from crosscheck.audit import Audit, audit
from crosscheck.claims.reading import read_text


def table(*rows: str) -> str:
    width = rows[0].count("|") + 1
    lines = [f"| {row} |" for row in rows]
    return "\n".join([lines[0], "|---" * width + "|", *lines[1:]])


def audited(*rows: str, **options: object) -> Audit:
    return audit(read_text(table(*rows), "t.md", "markdown"), **options)  # type: ignore[arg-type]


BROKEN = {
    "range": ("Model|AUROC", "A|1.02"),
    "mcc range": ("Model|MCC", "A|-1.3"),
    "recall falls": ("Model|R@5|R@10", "A|0.80|0.78"),
    "hit falls": ("Model|Hit@5|Hit@10", "A|0.80|0.78"),
    "mrr falls": ("Model|MRR@5|MRR@10", "A|0.80|0.78"),
    "first places differ": ("Model|P@1|nDCG@1", "A|0.50|0.52"),
    "precision above hit": ("Model|P@5|Hit@5", "A|0.50|0.45"),
    "too few hits": ("Model|P@5|Hit@5", "A|0.10|0.60"),
    "recall above hit": ("Model|R@5|Hit@5", "A|0.70|0.65"),
    "mrr above hit": ("Model|MRR@5|Hit@5", "A|0.70|0.65"),
    "gain without hit": ("Model|nDCG@5|Hit@5", "A|0.30|0.00"),
    "hits fall": ("Model|P@5|P@10", "A|0.40|0.15"),
    "hits beyond places": ("Model|P@5|P@10", "A|0.10|0.60"),
    "specificity": ("Model|Specificity|FPR", "A|0.90|0.15"),
    "f1 above": ("Model|PPV|Sensitivity|F1", "A|0.50|0.50|0.60"),
    "f1 by bare recall": ("Model|Precision|Recall|F1", "A|0.50|0.50|0.60"),
    "confusion": ("Model|TP|FP|TN|FN|Sensitivity", "A|30|10|50|10|0.80"),
    "mcc": ("Model|TP|FP|TN|FN|MCC", "A|30|10|50|10|0.70"),
    "balanced": ("Model|Sensitivity|Specificity|Bal. Acc.", "A|0.8|0.6|0.9"),
    "tpr falls": ("Model|TPR@5%FPR|TPR@10%FPR", "A|0.50|0.40"),
    "auroc and tpr": ("Model|AUROC|TPR@10%FPR", "A|0.60|0.80"),
    "ece and brier": ("Model|ECE|Brier", "A|0.30|0.04"),
    "hamming": ("Model|Hamming Score|Hamming Loss", "A|0.90|0.20"),
    "improvement": ("Model|MRR", "A|0.6746", "B|0.7703", "Improvement|+12.02%"),
    "improvement in brackets": ("Model|MRR", "Baseline|0.50", "B|0.60 (+30.0%)"),
    "spread": ("Model|MRR", "A|0.98 ± 0.30"),
}
KEPT = {
    "range": ("Model|AUROC", "A|1.00"),
    "recall": ("Model|R@5|R@10", "A|0.80|0.80"),
    "rounded": ("Model|P@1|nDCG@1", "A|0.50|0.504"),
    "precision": ("Model|P@5|Hit@5", "A|0.10|0.50"),
    "specificity": ("Model|Specificity|FPR", "A|0.90|0.10"),
    "f1": ("Model|PPV|Sensitivity|F1", "A|0.50|0.50|0.50"),
    "confusion": ("Model|TP|FP|TN|FN|Sensitivity|F1", "A|30|10|50|10|75.0%|0.750"),
    "improvement": ("Model|MRR", "A|0.6746", "B|0.7703", "Improvement|+14.19%"),
    "in points": ("Model|R@5", "A|50.0", "B|60.0", "Δ|+10.0"),
    "as difference": ("Model|R@5", "A|0.50", "B|0.60", "Δ|+0.10"),
    "error reduction": ("Model|R@5|R@10", "A|0.50|0.80", "B|0.60|0.90", "Gain|20.0%|50.0%"),
    "against the named baseline": (
        "Metric|Baseline|Weak|Ours|Improvement",
        "R@5|0.50|0.40|0.60|+20.0%",
        "R@10|0.60|0.50|0.75|+25.0%",
    ),
    "mcc": ("Model|TP|FP|TN|FN|MCC", "A|30|10|50|10|0.58"),
    "spread": ("Model|MRR", "A|0.98 ± 0.02"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_law_is_found(case: str) -> None:
    found = audited(*BROKEN[case])
    assert [one for one in found.findings if one.severity == "error"], found.unverifiable
    assert not found.possible


@pytest.mark.parametrize("case", KEPT)
def test_a_kept_law_is_checked_and_raises_no_alarm(case: str) -> None:
    found = audited(*KEPT[case])
    assert found.findings == ()
    assert found.checked


def test_f1_below_the_harmonic_mean_may_be_an_average() -> None:
    (found,) = audited("Model|PPV|Sensitivity|F1", "A|0.50|0.50|0.40").findings
    assert (found.rule, found.severity) == ("XC920", "advice")
    assert "macro" in found.explanations[0]


def test_f1_below_what_any_average_gives_is_impossible() -> None:
    (found,) = audited("Model|PPV|Sensitivity|F1", "A|0.90|0.90|0.70").findings
    assert found.severity == "error"


def test_a_mean_of_hits_is_a_multiple_of_one_over_n() -> None:
    (found,) = audited("Model|Hit@5", "A|0.505", n=40).findings
    assert found.rule == "XC917"
    assert "0.5 and 0.525" in found.possible
    assert audited("Model|Hit@5", "A|0.525", n=40).findings == ()


def test_n_comes_from_the_tables_own_count() -> None:
    text = '{"positives_only": {"hit@5": 0.505, "queries_with_positives": 40}}'
    assert [one.rule for one in audit(read_text(text, "c.json", "json")).findings] == ["XC917"]


def test_a_mean_over_folds_has_its_own_granularity() -> None:
    rows = ("Model|Hit@5", "A|0.505 ± 0.1")
    assert [one.rule for one in audited(*rows, fold_sizes=(10, 10)).findings] == ["XC917"]
    assert audited("Model|Hit@5", "A|0.550 ± 0.1", fold_sizes=(10, 10)).findings == ()
    assert audited(*rows, fold_sizes=(10, 11)).findings == ()


def test_the_number_of_folds_bounds_the_spread() -> None:
    rows = ("Model|MRR", "A|0.90 ± 0.30")
    assert audited(*rows, folds=2).findings != ()
    assert audited("Model|MRR", "A|0.90 ± 0.14", folds=2).findings == ()
    assert audited("Model|MRR", "A|0.90 ± 0.16", folds=2).findings != ()


def test_one_quantity_printed_twice_with_two_values() -> None:
    text = "\n\n".join(table("Model|MRR|nDCG@10", f"A|{mrr}|0.80") for mrr in ("0.8967", "0.8972"))
    (found,) = audit(read_text(text, "t.md", "markdown")).findings
    assert (found.rule, found.severity) == ("XC919", "advice")


def test_a_zero_baseline_leaves_a_change_open() -> None:
    found = audited("Model|MRR", "A|0.000", "B|0.500", "Improvement|+100%")
    assert found.findings == ()
    assert any("zero" in reason for _, reason in found.unverifiable)


def test_not_checkable_is_not_consistent() -> None:
    found = audited("Model|Fluency", "A|12.5")
    assert not found.possible
    assert len(found.unverifiable) == 1


def test_a_cut_off_mistaken_is_among_the_explanations() -> None:
    """P@10 printed where P@15 was meant: 15 · 0.08 = 1.2 hits, more than P@5 = 0.2 held."""
    rows = ("Model|P@5|P@10|P@20", "A|0.200|0.080|0.062")
    (found,) = audited(*rows).findings
    assert any("P@15" in text for text in found.explanations)


def test_map_that_fits_no_definition_is_a_contradiction() -> None:
    (found,) = audited("Model|Hit@5|MAP@5", "A|0.50|0.60").findings
    assert found.rule == "XC914"


def test_map_by_gold_is_excluded_where_recall_at_1_says_so() -> None:
    found = audited("Model|R@1|Hit@1|MAP@1", "A|0.40|0.50|0.50")
    assert found.findings == ()
    assert any("not compatible with MAP divided by |G|" in note for note in found.notes)


COUNTED = """{{"queries_total": 100, "queries_with_positives": 40, "sensitivity": {},
              "specificity": {}, "precision": {}}}"""


def test_rates_over_known_counts_need_a_confusion_matrix() -> None:
    """30 of 40 and 50 of 60: precision 30/40."""
    kept = audit(read_text(COUNTED.format(0.75, 0.833, 0.75), "c.json", "json"))
    assert kept.findings == ()
    broken = audit(read_text(COUNTED.format(0.75, 0.833, 0.76), "c.json", "json"))
    assert [one.rule for one in broken.findings] == ["XC917"]
    assert "40 positives and 60 negatives" in broken.findings[0].sentence


def test_a_caption_states_n() -> None:
    text = "Table 1: over 40 queries\n\n" + table("Model|Hit@5", "A|0.505")
    found = audit(read_text(text, "t.md", "markdown"))
    assert [one.rule for one in found.findings] == ["XC917"]


def test_the_n_of_resamples_is_not_the_n_of_queries() -> None:
    text = "Table 1: bootstrap with n = 7 resamples\n\n" + table("Model|Hit@5", "A|0.505")
    assert audit(read_text(text, "t.md", "markdown")).findings == ()
