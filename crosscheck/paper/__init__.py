"""What a paper takes from a report: tables, macros, a paragraph of methods; verified numbers all.

`tables` chooses the cells, `macros` names each number for LaTeX, `methods` says how they were made,
`text` writes them out, and `verified` refuses what is no longer in the ledger or did not pass.
"""
