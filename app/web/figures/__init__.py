"""Figures of experiments, drawn by the server: `app.experiments` says what they hold.

`layout.lay_out(figure, world, first_seed)` lays one out, `svg.inline(layout)` writes it for a page
(the macro `draw_figure` of `templates/_figure.html` adds its key and its caption), and
`svg.standalone(layout, source, scheme, site)` writes one that stands alone.  Its numbers are in
`tables.table` for people and in `tables.records` for programs, and `miniature.miniature` draws it
without words.  Each takes one figure and knows nothing of the page around it.
"""
