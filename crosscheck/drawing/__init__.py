"""What every figure is drawn with: its data, one look, its words, and the bytes it becomes.

`data` is what the figures of one system show, `plot` what a drawn figure is, `style` the look,
`words` and `wording` the text, `bars` and `curves` the shapes that several figures share, and
`render` turns a plot into SVG, PDF and markup. The figures themselves are in `crosscheck.figures`.
"""
