"""What stands on a page, before anybody asks what it means: pieces, numbers, labels, names.

`pieces` and `written` are text with its place, `number`, `quantity` and `interval` what a cell
says, `labels`, `metric_names` and `word_lists` (words.toml) what a label says, and `claim` is what
all of it is read for. The readers fill these in, `meaning` puts them together.
"""
