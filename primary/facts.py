"""The facts of a data set (docs/interface.md, Facts)."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from primary.arithmetic.exact import tally
from primary.classification.calibration import straddling
from primary.data.available import available, missing
from primary.data.lists import Lists, equal_in_float32, match, offsets_of, with_equals
from primary.data.study import numbered

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from primary.data.study import Study


def facts(study: Study) -> dict[str, Any]:
    """Tell what the data holds, what it suffices for, and where it contradicts itself."""
    data, owed = study.data, available(study)
    lost = _gold_not_in_candidates(study)
    return {
        "rows": dict(data.rows),
        "columns": dict(data.columns),
        "families": sorted(owed),
        "missing": missing(study),
        "folds": study.fold_values,
        "criteria": study.criterion_values,
        "posts": _posts(study) if "post" in study.units else None,
        "queries": _queries(study),
        "max_k": None if data.selected is None else int(data.selected.lengths.max()),
        "queries_with_ties": _queries_with_ties(study),
        "gold_not_in_candidates": len(lost),
        "dropped_queries": 0 if data.strangers is None else len(data.strangers),
        "missing_topics": 0 if data.answered is None else int(np.count_nonzero(~data.answered)),
        "float32_ties": _float32_ties(study),
        "duplicates_removed": 0 if data.duplicates is None else int(tally(data.duplicates)),
        "lookalikes": _lookalikes(study, lost),
        "grade_max": study.grade_max if "graded" in owed else None,
        "classes": list(data.classes or ()) if "classes" in owed else [],
        "disagreeing_predictions": _disagreeing(study) if "class_probs" in owed else None,
        "straddling": _straddling(study) if "calibration" in owed else None,
        "seeds": study.seed_values,
        "slices": study.declared_values,
        "key": data.key,
        "contradictions": _contradictions(study),
    }


def _queries(study: Study) -> dict[str, int | None]:
    label, pred = study.data.label, study.pred
    if study.multiclass:
        others = ("positives_only", "has_evidence", "predicted_positive")
        return {"all_queries": study.size, **dict.fromkeys(others)}
    return {
        "all_queries": study.size,
        "positives_only": int(np.count_nonzero(study.positive)),
        "has_evidence": None if label is None else int(np.count_nonzero(label)),
        "predicted_positive": None if pred is None else int(np.count_nonzero(pred)),
    }


def _posts(study: Study) -> int:
    """Count the distinct (fold, post)."""
    data = study.data
    columns = {"post": data.post} | ({} if data.fold is None else {"fold": data.fold})
    return int(numbered(columns).max()) + 1


def _queries_with_ties(study: Study) -> int | None:
    data = study.data
    if data.scores is None or data.candidates is None:
        return None
    return int(np.count_nonzero(with_equals(data.scores, data.candidates.offsets)))


def _float32_ties(study: Study) -> int | None:
    """Count the queries in which two different scores are equal as 32-bit floats."""
    data = study.data
    scores = data.scores if data.raw_scores is None else data.raw_scores
    if scores is None or data.candidates is None:
        return None
    found = data.float32_ties
    if found is None:
        found = equal_in_float32(scores, data.candidates.offsets)
    return int(np.count_nonzero(found))


def _gold_not_in_candidates(study: Study) -> NDArray[np.int64]:
    """Give the flat places of such gold."""
    data = study.data
    if data.gold is None or data.candidates is None:
        return np.zeros(0, dtype=np.int64)
    return np.delete(np.arange(len(data.gold.values)), match(data.gold, data.candidates)[0])


def _lookalikes(study: Study, lost: NDArray[np.int64]) -> int:
    """Count gold that is no candidate, but equals one once both are made plain."""
    data = study.data
    if data.gold is None or data.candidates is None or not len(lost):
        return 0
    queries = np.unique(data.gold.owner_of(lost))
    lengths = np.bincount(data.gold.owner_of(lost), minlength=study.size)[queries]
    ours = Lists(offsets_of(lengths), _plain(data.gold.values.gather(lost)))
    theirs = data.candidates.take(queries)
    found, _ = match(ours, Lists(theirs.offsets, _plain(theirs.values)))
    return len(np.unique(found))


def _plain(ids: pl.Series) -> pl.Series:
    """Give ids in Unicode's form NFC, without white space at their ends, case folded."""
    # Of ASCII, which nearly all ids are, lower case is all that the first and last of these do.
    plain = ids.str.strip_chars(WHITE_SPACE).str.to_lowercase()
    beyond = ids.str.len_bytes() != ids.str.len_chars()
    if not beyond.any():
        return plain
    distinct = ids.filter(beyond).unique()
    folded = [unicodedata.normalize("NFC", one).strip().casefold() for one in distinct]
    known = ids.replace_strict(distinct, pl.Series(folded, dtype=pl.String), default=None)
    return known.fill_null(plain)


WHITE_SPACE = "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f "
"""Of ASCII, as `str.strip` has it."""


def _disagreeing(study: Study) -> int | None:
    """Count the rows whose predicted class is not the one of the largest probability."""
    data = study.data
    if data.class_probs is None or data.predicted_class is None:
        return None
    return int(np.count_nonzero(data.class_probs.argmax(axis=1) != data.predicted_class))


def _straddling(study: Study) -> int:
    prob, bins = study.data.prob, study.settings.bins
    return straddling(prob, max(bins)) if prob is not None and bins else 0


def _contradictions(study: Study) -> dict[str, int]:
    data = study.data
    found = {"has_evidence": 0, "state": 0, "pred": 0}
    if data.has_evidence is not None and data.gold is not None:
        found["has_evidence"] = int(
            np.count_nonzero((data.has_evidence == 1) != (data.gold.lengths > 0))
        )
    if data.state is not None and study.assigned is not None:
        found["state"] = int(np.count_nonzero(data.state != study.assigned))
    if data.pred is not None and study.decided is not None:
        found["pred"] = int(np.count_nonzero(data.pred != study.decided))
    return found
