"""The ledger on an existing engine: SQL texts written once, for data beyond one machine's memory.

The engine counts, the driver divides. Only whole numbers, minima and maxima leave the engine; each
value of the ledger is made here, from exact fractions, and rounded once. So every engine gives the
same bits. What an engine calls its functions is in `words`; everything else is written once.

`evaluate` is the whole job, readable top to bottom; what it calls, in that order:

    connect     an engine of its address: `base` says what is asked of one, `duck` and `spark` are
                those that there are, `limits` what they may take
    steady      the files stand still meanwhile; `footers` looks at them before an engine does
    table       the rows as the contract has them: `columns`, `labels`, `numbered`, `classes`
    refusals    what the contract refuses
    metrics/    one file for each family: its SQL, and what becomes of the counts
    slices      which slice a count belongs to, and the book of values; `tally`, `exact`
    facts       what the data hold, from which the owed keys follow

Beside it: `residues` writes a sample, or parts of all rows; `intervals/` resamples sums; `given`
hands rows to Spark's MLlib.
"""

from __future__ import annotations
