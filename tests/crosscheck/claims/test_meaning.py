"""What numbers mean: names, context, layouts, changes, scales; each was misread or lost once."""

from __future__ import annotations

import pytest

from crosscheck.claims import Claim, verify
from crosscheck.claims.author import Help, helped, matches
from crosscheck.claims.reading import read_text
from crosscheck.claims.verify import Run
from crosscheck.model.comparison import Comparison, ComparisonRow

MRR = "mrr@all|positives_only|all|mean"
NDCG = "ndcg@10|positives_only|all|mean"


def table(text: str) -> list[Claim]:
    """Read a Markdown table of which the first line is the header."""
    head, *body = text.strip().splitlines()
    rule = "|".join("---" for _ in head.strip("|").split("|"))
    return read_text("\n".join([head, f"|{rule}|", *body, ""]), "t.md", "markdown")


def keys(claims: list[Claim]) -> list[str | None]:
    return [one.key for one in claims]


def statuses(claims: list[Claim], ledger: dict[str, float]) -> list[str]:
    return [one.status for one in verify(claims, ledger)]


@pytest.mark.parametrize(
    "name", ["ΔMRR", "σ(MRR)", "√MRR", "MRR (训练集)", "MRR hard", "train MRR"]
)
def test_what_is_not_the_plain_metric_is_never_verified_as_it(name: str) -> None:
    assert statuses(table(f"| Model | {name} |\n| A | 0.5833 |"), {MRR: 0.5833}) != ["holds"]
    assert statuses(read_text(f'{{"{name}": 0.5833}}', "c.json", "json"), {MRR: 0.5833}) != [
        "holds"
    ]


def test_a_factor_in_the_header_is_a_scale_and_no_cut_off() -> None:
    [claim] = table("| Model | MRR (×100) |\n| A | 58.3 |")
    assert (claim.key, claim.percent) == (MRR, True)


def test_an_escaped_sign_between_two_numbers_is_no_number() -> None:
    claims = read_text('{"auroc": "0.897 \\u00b1 0.011"}', "c.json", "json")
    assert [one.printed for one in claims] == ["0.897", "0.011"]


def test_a_sign_belongs_to_the_name() -> None:
    assert keys(read_text('{"map@-3": 0.5}', "c.json", "json")) == [None]


def test_a_record_is_about_the_metric_that_it_names() -> None:
    text = '{"system": "mrr", "metric": "ndcg@10", "value": 0.583}'
    [claim] = read_text(text, "c.json", "json")
    assert (claim.system, claim.key) == ("mrr", NDCG)
    [claim] = table("| System | Metric | Value |\n| mrr | ndcg@10 | 0.583 |")
    assert (claim.system, claim.key) == ("mrr", NDCG)


@pytest.mark.parametrize("printed", ["1", "0"])
def test_a_print_that_spans_half_the_range_verifies_nothing(printed: str) -> None:
    claims = read_text(f'{{"ndcg@10": {printed}}}', "c.json", "json")
    assert statuses(claims, {NDCG: 0.695 if printed == "1" else 0.3}) == ["unverified"]
    assert statuses(claims, {NDCG: float(printed)}) == ["holds"]


def test_one_value_above_one_among_fractions_is_out_of_range_and_no_percentage() -> None:
    claims = table("| Model | MRR |\n| A | 0.58 |\n| B | 0.61 |\n| C | 1.02 |\n| D | 62.0 |")
    assert [one.percent for one in claims] == [False, False, False, False]


@pytest.mark.parametrize(
    "name", ["Δ", "Improvement", "Gap", "Degradation", "Drop", "vs. A", "Δ MRR", "MRR Drop", "Lift"]
)
def test_a_change_is_no_value_and_rescales_nothing(name: str) -> None:
    claims = table(f"| Model | MRR | {name} |\n| A | 0.58 | – |\n| B | 0.61 | +5.2% |")
    assert [one.role for one in claims[:2]] == ["value", "value"]
    assert [one.percent for one in claims[:2]] == [False, False]
    assert claims[2].role in {"improvement", "unknown"}
    assert not (claims[2].key or "").endswith("|mean")


def changed(change: str, label: str = "Improvement") -> str:
    claims = table(
        f"| Model | MRR |\n| A | 0.50 |\n| B | 0.60 |\n| C | 0.20 |\n| {label} | {change} |"
    )
    ledgers = {"A": {MRR: 0.5}, "B": {MRR: 0.6}, "C": {MRR: 0.2}}
    found = verify(claims, ledgers["A"], system="A", rankings=["A", "B", "C"], ledgers=ledgers)
    [status] = [one.status for one in found if one.claim.role == "improvement"]
    return status


def test_a_change_is_between_the_usual_two_and_not_between_any_two() -> None:
    assert changed("-60.0%") == "holds"
    assert changed("+150.0%") == "wrong"
    assert changed("+200.0%") == "wrong"


def test_a_difference_in_points_is_read_as_one() -> None:
    assert changed("-30.0 pp", "Δ") == "holds"
    assert changed("-0.300", "Δ") == "holds"
    assert changed("-0.450", "Δ") == "wrong"


def test_a_row_of_changes_is_read_in_one_way() -> None:
    claims = table(
        "| Model | MRR | nDCG@10 |\n| A | 0.50 | 0.50 |\n"
        "| B | 0.60 | 0.55 |\n| Δ | +20.0% | +5.0% |"
    )
    ledgers = {"A": {MRR: 0.5, NDCG: 0.5}, "B": {MRR: 0.6, NDCG: 0.55}}
    found = verify(claims, ledgers["A"], system="A", rankings=["A", "B"], ledgers=ledgers)
    told = [one.status for one in found if one.claim.role == "improvement"]
    assert sorted(told) == ["holds", "wrong"]


def test_the_metric_may_stand_in_the_corner() -> None:
    [first, second] = table("| nDCG@10 | BM25 | Ours |\n| BEIR | 0.43 | 0.51 |")
    assert (first.key, first.system, first.dataset) == (NDCG, "BM25", "BEIR")
    assert (second.key, second.system) == (NDCG, "Ours")


def test_the_metric_may_stand_in_a_second_header_row() -> None:
    claims = table("| Data | BM25 | BM25 |\n| | R@10 | nDCG@10 |\n| scifact | 0.9 | 0.66 |")
    assert [one.metric for one in claims] == ["recall@10", "ndcg@10"]
    assert {one.system for one in claims} >= {"BM25"} or claims[0].dataset == "scifact"


def test_the_metric_may_stand_in_the_heading_or_the_caption() -> None:
    text = "## nDCG@10 on the test set\n\n| Model | NFCorpus | FiQA | Avg |\n|---|---|---|---|\n"
    claims = read_text(f"{text}| A | 0.30 | 0.40 | 0.35 |\n", "t.md", "markdown")
    assert {one.metric for one in claims} == {"ndcg@10"}
    assert [one.dataset for one in claims[:2]] == ["NFCorpus", "FiQA"]
    assert claims[2].key == "ndcg@10|positives_only|dataset|macro"
    latex = (
        r"\begin{table}\caption{Recall@K for K = 5 in \%.}\begin{tabular}{lc}"
        r"Model & Recall@K \\ \hline A & 58.3 \\ \end{tabular}\end{table}"
    )
    [claim] = read_text(latex, "t.tex", "latex")
    assert (claim.metric, claim.percent) == ("recall@5", True)


def test_a_data_set_may_carry_the_metric() -> None:
    [claim] = table("| Model | BEIR (nDCG@10) |\n| A | 0.43 |")
    assert (claim.key, claim.dataset) == (NDCG, "BEIR")


def test_a_column_of_k_fills_in_every_name_that_takes_one() -> None:
    claims = table("| K | Recall | MRR | AUROC |\n| 5 | 0.5 | 0.4 | 0.9 |")
    assert [one.metric for one in claims] == ["recall@5", "mrr@5", "auroc"]


def test_a_name_that_takes_no_k_beside_one_is_not_guessed() -> None:
    claims = table("| Metric | K | A |\n| NDCG | 5 | 0.5 |\n| Gini | 5 | 0.9 |")
    assert keys(claims) == ["ndcg@5|positives_only|all|mean", None]


@pytest.mark.parametrize(("head", "kind"), [("Fold", "fold"), ("Seed", "seed")])
def test_folds_and_seeds_may_be_rows_and_their_average_is_over_them(head: str, kind: str) -> None:
    claims = table(f"| {head} | AUROC |\n| 1 | 0.9 |\n| 2 | 0.8 |\n| Average | 0.85 |")
    assert [one.key.split("|")[2] for one in claims if one.key] == [
        f"{kind}=1",
        f"{kind}=2",
        f"{kind}s",
    ]


def test_recall_beside_f1_is_of_the_decisions_in_every_fold() -> None:
    claims = table("| | Recall | F1 |\n| Fold 1 | 0.5 | 0.6 |\n| Fold 2 | 0.4 | 0.5 |")
    assert keys(claims)[0] == "sensitivity|all_queries|fold=1|value"
    assert keys(claims)[2] == "sensitivity|all_queries|fold=2|value"


def test_recall_beside_f1_in_a_nested_file_is_of_its_own_fold() -> None:
    text = '{"fold_1": {"recall": 0.5, "f1": 0.6}, "fold_2": {"recall": 0.4, "f1": 0.5}}'
    found = keys(read_text(text, "c.json", "json"))
    assert found[0] == "sensitivity|all_queries|fold=1|value"
    assert found[2] == "sensitivity|all_queries|fold=2|value"


def test_bare_letters_beside_f1_are_precision_and_recall() -> None:
    claims = table("| Model | P | R | F1 | F1 (macro) |\n| A | 0.5 | 0.4 | 0.44 | 0.6 |")
    assert [one.metric for one in claims] == ["precision", "sensitivity", "f1", "f1/macro"]


def test_a_name_with_one_reading_on_the_data_is_that_reading() -> None:
    claims = read_text('{"Recall": 0.5}', "c.json", "json")
    assert keys(claims) == [None]
    assert statuses(claims, {"sensitivity|all_queries|all|value": 0.5}) == ["holds"]
    both = {"sensitivity|all_queries|all|value": 0.5, "recall@all|positives_only|all|mean": 0.5}
    assert statuses(claims, both) == ["unverified"]


def test_a_class_beside_the_name_is_its_slice_where_the_data_have_it() -> None:
    claims = table("| Model | F1 (hate) |\n| A | 0.40 |")
    assert statuses(claims, {"f1|all_queries|all|value": 0.4}) == ["unverified"]
    ledger = {"f1|all_queries|class=hate|value": 0.4, "f1|all_queries|all|value": 0.9}
    assert statuses(claims, ledger) == ["holds"]


def test_a_confusion_matrix_is_a_grid_of_counts() -> None:
    claims = table(
        "| | Predicted No | Predicted Yes |\n| Actual No | 90 | 2 |\n| Actual Yes | 3 | 5 |"
    )
    assert [one.metric for one in claims] == ["tn", "fp", "fn", "tp"]


def test_times_and_sizes_are_ignored_and_unknown_metrics_are_not() -> None:
    claims = table("| Model | MRR | Latency (ms) | Params | RMSE |\n| A | 0.5 | 18.5 | 7M | 1.02 |")
    assert [one.printed for one in claims] == ["0.5", "1.02"]
    assert claims[1].problem == "“RMSE” is not a metric name that the contract knows"


@pytest.mark.parametrize("head", ["Run", "K", "Model", "Name"])
def test_a_number_under_a_heading_of_names_does_not_vanish(head: str) -> None:
    claims = table(f"| {head} | MRR |\n| 0.999 | 0.5 |")
    assert "0.999" in [one.printed for one in claims]


def test_a_column_beside_the_value_of_a_long_table_does_not_vanish() -> None:
    claims = table("| Metric | Value | Again |\n| MRR | 0.5 | 0.999 |")
    assert [one.printed for one in claims] == ["0.5", "0.999"]


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ('{"eval_mode": "all_queries", "a": {"b": {"recall@5": 0.08}}}', "holds"),
        ('{"split": "train", "a": {"recall@5": 0.08}}', "unverified"),
        ('{"train": {"recall@5": 0.08}}', "unverified"),
        ('{"results over all queries": {"recall@5": 0.08}}', "unverified"),
        ('{"over all queries": {"recall@5": 0.08}}', "holds"),
    ],
)
def test_what_is_said_at_any_level_above_counts(text: str, status: str) -> None:
    claims = [one for one in read_text(text, "c.json", "json") if one.role != "setting"]
    assert statuses(claims, {"recall@5|all_queries|all|mean": 0.08}) == [status]


def test_a_split_of_data_without_splits_is_worth_knowing_and_not_wrong() -> None:
    claims = read_text('{"eval_split": "val", "mrr": 0.5}', "c.json", "json")
    found = verify(claims, {MRR: 0.5}, run=Run(has_splits=False))
    assert [one.status for one in found] == ["holds", "holds"]
    assert all("TUNE" in one.advice for one in found)
    found = verify(claims, {MRR: 0.5}, run=Run(has_splits=True))
    assert sorted(one.status for one in found) == ["unverified", "wrong"]


def test_a_label_outside_the_system_is_another_run() -> None:
    claims = read_text('{"other_run": {"a": {"mrr": 0.5}}}', "c.json", "json")
    found = verify(claims, {MRR: 0.5}, system="a", rankings=["a", "b"])
    assert [one.status for one in found] == ["unverified"]


def test_several_data_sets_are_not_one() -> None:
    claims = table("| Model | Dataset | MRR |\n| A | X | 0.5 |\n| A | Y | 0.6 |")
    assert statuses(claims, {MRR: 0.5}) == ["unverified", "unverified"]
    sliced = {"mrr@all|positives_only|dataset=x|mean": 0.5, MRR: 0.55}
    sliced["mrr@all|positives_only|dataset=y|mean"] = 0.6
    assert statuses(claims, sliced) == ["holds", "holds"]


def test_a_systems_own_file_is_about_it() -> None:
    claims = read_text('{"mrr": 0.9}', "b.json", "json")
    ledgers = {"a": {MRR: 0.9}, "b": {MRR: 0.6}}
    for own, expected in ((True, ["wrong"]), (False, [])):
        found = verify(
            claims, ledgers["b"], system="b", rankings=["a", "b"], ledgers=ledgers, own=own
        )
        assert [one.status for one in found] == expected


def compared(p: float) -> Run:
    row = ComparisonRow(
        system="b", baseline="a", key=MRR, name="MRR", value=0.6, difference=0.1, p=p / 2, p_holm=p
    )
    table = Comparison(
        baseline="a", systems=["a", "b"], metrics=["mrr@all"], resamples=9999, correction="Holm",
        rows=[row],
    )  # fmt: skip
    return Run({"a": {MRR: 0.5}, "b": {MRR: 0.6}}, table)


@pytest.mark.parametrize(("p", "status"), [(0.004, "holds"), (0.19, "wrong")])
def test_a_p_value_is_held_against_the_test_after_holm(p: float, status: str) -> None:
    claims = table("| Model | MRR |\n| a | 0.5 |\n| b | 0.6 (p<0.01) |")
    found = verify(claims, {MRR: 0.6}, system="b", rankings=["a", "b"], run=compared(p))
    assert [one.status for one in found if one.claim.role == "p_value"] == [status]


def test_the_authors_help_is_applied_and_shown() -> None:
    claims = table("| Model | Our score | RMSE |\n| X | 0.6 | 1.1 |\n| BM25 [3] | 0.4 | 1.2 |")
    given = Help(
        names={"our score": "mrr@all"},
        systems={"X": "b"},
        quoted=("BM25*",),
        ignore=(("RMSE*", "not ours"),),
    )
    found = verify(
        helped(claims, given),
        {MRR: 0.6},
        system="b",
        rankings=["b", "a"],
        ledgers={"b": {MRR: 0.6}},
    )
    assert [one.status for one in found] == ["holds", "ignored", "ignored", "ignored"]
    assert "not ours" in found[1].sentence
    assert "quoted" in found[2].sentence


@pytest.mark.parametrize(
    ("given", "passed"),
    [
        (Help(exclude=("1",)), True),
        (Help(exclude=("2",)), False),
        (Help(include=("table 1",)), False),
        (Help(include=("Other*",)), True),
    ],
)
def test_tables_are_chosen_by_number_or_caption(given: Help, *, passed: bool) -> None:
    [claim] = helped(table("| Model | MRR |\n| A | 0.5 |"), given)
    assert bool(claim.passed) == passed


@pytest.mark.parametrize(
    ("definitions", "text", "key"),
    [
        ({"map": "by_gold"}, '{"MAP@10": 0.5}', "map@10/by_gold|positives_only|all|mean"),
        ({"map": "by_gold"}, '{"map@10/by_hits": 0.5}', "map@10/by_hits|positives_only|all|mean"),
        ({"mrr": "mrr@10"}, '{"MRR": 0.5}', "mrr@10|positives_only|all|mean"),
        ({"mrr": "mrr@10"}, '{"MRR@5": 0.5}', "mrr@5|positives_only|all|mean"),
        ({"std": "population"}, '{"auroc_std": 0.1}', "auroc|all_queries|folds|std/population"),
        ({"ranking_population": "all_queries"}, '{"MRR": 0.5}', "mrr@all|all_queries|all|mean"),
        (
            {"ranking_population": "all_queries"},
            '{"positives_only": {"MRR": 0.5}}',
            "mrr@all|positives_only|all|mean",
        ),
    ],
)
def test_a_declared_definition_is_what_a_bare_name_means(
    definitions: dict[str, str], text: str, key: str
) -> None:
    [claim] = helped(read_text(text, "c.json", "json"), Help(definitions=definitions))
    assert claim.key == key


@pytest.mark.parametrize(
    ("pattern", "text", "matched"),
    [
        ("BM25*", "bm25 [3]", True),
        ("*loss*", "the loss of it", True),
        ("a*b*c", "a c b", False),
        ("a*a", "a", False),
        ("exact", "exactly", False),
    ],
)
def test_patterns_hold_stars_and_nothing_else(pattern: str, text: str, *, matched: bool) -> None:
    assert matches(pattern, text) == matched


def test_a_pattern_of_many_stars_takes_no_time() -> None:
    assert not matches("*a" * 200 + "b", "a" * 20_000)


@pytest.mark.parametrize(("first", "second"), [("a", "b"), ("1", "2")])
def test_a_column_that_counts_the_rows_says_nothing(first: str, second: str) -> None:
    text = (
        f"| # | Model | MRR |\n|---|---|---|\n| {first} | bm25 | 0.5 |\n| {second} | knn | 0.6 |\n"
    )
    assert [one.system for one in table(text)] == ["bm25", "knn"]


def test_a_column_under_such_a_heading_that_counts_nothing_is_a_name() -> None:
    text = "| # | Model | MRR |\n|---|---|---|\n| a | bm25 | 0.5 |\n| c | bm25 | 0.6 |\n"
    assert [one.system for one in table(text)] == ["a / bm25", "c / bm25"]
