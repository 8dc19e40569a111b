"""Pictures, one function each, all drawn with the chart kit (`metra.report.chart`).

curves: values over choices in a row, one line per series
forest: figures with intervals, a row per name
heatmap: a matrix of p-values with clusters framed, or of coefficients
judges: how far judgements lie apart, and one judge's values against another's
scatter: systems or pairs of them by two scores, with a fitted line
polygons: how words of two translations spread by salience, and what systems match
campaign: means with intervals, answer times and progress of a campaign
grid_plot: what a grid of output and references shows, whatever it is drawn with
grid: the grid as an SVG picture
grid_text: the grid for a terminal and for notebooks
"""
