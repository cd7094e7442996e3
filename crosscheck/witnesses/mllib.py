"""Spark MLlib as a witness: its evaluators, where Spark is, over all rows (docs/scale.md).

It reads the rows as the engine reads them; what it computes is its own: means over queries, and the
area under the ROC curve. Spark has it here, on a cluster and behind Spark Connect; another server
that speaks Spark Connect may lack it, and is then declined.
"""

from __future__ import annotations

import re
import warnings
from contextlib import closing
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from crosscheck.contract import load
from crosscheck.engine import connect
from crosscheck.engine.base import EngineError
from crosscheck.engine.given import CURVES, RANKED, Given, tiny
from crosscheck.engine.spark import a_program, sentence
from crosscheck.engine.table import open_table
from crosscheck.model.key import Key
from crosscheck.witnesses import Silence, Testimony, decline
from crosscheck.witnesses.fill import fill_shared, why_not

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crosscheck.contract import MetricId
    from crosscheck.contract.libraries import LibraryMeasure
    from crosscheck.data.case import Case
    from crosscheck.engine.base import Engine
    from crosscheck.engine.spark import Spark
    from crosscheck.model.ledgers import Number
    from crosscheck.witnesses import Answer

NAME = "mllib"
NO_SPARK = "it is a part of Spark: name one, as in CROSSCHECK_ENGINE=local[2]"
NO_MLLIB = "the server speaks Spark Connect but has no MLlib"
NO_BOUNDS = "it has no bounds over ties"
MEANS = "it gives means alone"
PARTS = "each number is a pass over the rows: asked about all of them and about folds"
OF_QUERIES = ("std", "median", "p25", "p75", "p90")
PART = re.compile(r"all|fold=(-?\d+)")
CALL = re.compile(r"(\w+)(?:\(k=(\w+)\))?")


def ask(address: str | None, case: Case) -> Testimony:
    """Open a session with Spark and ask in it; without a Spark, say so."""
    if not connect.is_spark(connect.address(address)):
        return Testimony({}, declined=dict.fromkeys(case.owed, NO_SPARK))
    with closing(connect.connect(address)) as engine:
        return on(engine, case)


def heard(engine: Engine, case: Case) -> Answer:
    """Ask beside the engine's own answer, which stands whatever becomes of this one."""
    try:
        return on(engine, case)
    except EngineError as error:
        return Silence(str(error))


def on(engine: Engine, case: Case) -> Testimony:
    """Ask in a session that is open."""
    spark = cast("Spark", engine)
    if not _there(spark):
        return Testimony({}, declined=dict.fromkeys(case.owed, NO_MLLIB))
    given = Given(spark, open_table(spark, connect.files_of(case.data), case.settings))
    try:
        ledger = fill_shared(NAME, case.owed, _Asked(given).answer)
    except EngineError:
        raise
    except Exception as error:  # noqa: BLE001 - the client, the server and the JVM each have their own
        raise EngineError(sentence(spark.name, error)) from None
    finally:
        given.drop()
    return Testimony(ledger, declined=decline(case, ledger, why), note=f"by {spark.version}")


def why(key: str) -> str:
    """Say why a key is not answered."""
    parsed = Key.parse(key)
    contract = load()
    metric = contract.metric(parsed.metric)
    if metric.bound:
        return NO_BOUNDS
    if NAME not in contract.libraries.sharing(metric):
        return why_not(NAME, key)
    if parsed.statistic in OF_QUERIES and parsed.slice != "folds":
        return MEANS
    asked = PART.fullmatch(parsed.slice) or parsed.slice == "folds"
    return why_not(NAME, key) if asked else PARTS


def _there(spark: Spark) -> bool:
    """Whether the server has the evaluators: a ranking of one id tells."""
    try:
        return _evaluated("recallAtK", 1, tiny(spark)) == 1
    except Exception:  # noqa: BLE001 - a server without them says so in its own way
        return False


def _evaluated(measure: str, k: int, frame: Any) -> float:  # noqa: ANN401 - a frame of pyspark
    with a_program(), warnings.catch_warnings():
        # It warns about versions of pandas, which is not asked for.
        warnings.simplefilter("ignore", FutureWarning)
        from pyspark.ml import evaluation  # noqa: PLC0415 - an extra

        asked: dict[str, Any] = {"metricName": measure}
        judge: evaluation.Evaluator
        if measure == "areaUnderROC":
            # By default it sorts scores into a thousand bins.
            judge = evaluation.BinaryClassificationEvaluator(**asked, numBins=0)
        else:
            judge = evaluation.RankingEvaluator(**asked, k=k)
        return float(judge.evaluate(frame))


class _Asked:
    """What MLlib said so far about some rows."""

    def __init__(self, given: Given) -> None:
        self.given = given
        self.mean = cache(self._mean)

    def answer(
        self, metric: MetricId, measure: LibraryMeasure, population: str, part: str
    ) -> Mapping[str, Number] | None:
        """Answer for one slice; None: it is not asked."""
        found = PART.fullmatch(part)
        call = CALL.match(measure.asked(metric))
        if found is None or call is None:
            return None
        fold = int(found[1]) if found[1] else None
        if measure.of == "curve":
            return self._curve(call[1], CURVES[population], fold)
        # It counts 0 for a query without gold, and writes a warning for each into Spark's log, of
        # which there may be millions: they are counted here instead.
        size = self.given.size(RANKED, fold)
        mean = self.mean(call[1], call[2], fold) if size.positive else 0.0
        share = 1.0 if population == "positives_only" else size.positive / max(1, size.rows)
        return {"mean": mean * share}

    def _mean(self, measure: str, k: str | None, fold: int | None) -> float:
        cut = self.given.longest() if k == "all" else int(k or 1)
        return _evaluated(measure, cut, self.given.lists(fold))

    def _curve(self, measure: str, source: str, fold: int | None) -> Mapping[str, Number] | None:
        size = self.given.size(source, fold)
        if not 0 < size.positive < size.rows:
            return None
        return {"value": _evaluated(measure, 1, self.given.curve(source, fold))}
