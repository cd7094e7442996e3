"""The ledger on an existing engine: SQL texts written once, for data beyond one machine's memory.

The engine counts, the driver divides. Only whole numbers, minima and maxima leave the engine; each
value of the ledger is made here, from exact fractions, and rounded once. So every engine gives the
same bits. What an engine calls its functions is in `words`; everything else is written once.
"""

from __future__ import annotations
