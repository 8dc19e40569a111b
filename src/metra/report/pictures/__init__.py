"""Pictures, one function each, all drawn with the chart kit (`metra.report.chart`).

curves: values over choices in a row, one line per series
forest: figures with intervals, a row per name
heatmap: a matrix of p-values with clusters framed, or of coefficients
judges: differences of judgements, and one judge's values against another's
scatter: systems or pairs of them by two scores, with a fitted line
polygons: words of two translations by salience, and matches of systems
campaign: means with intervals, answer times and progress of a campaign
grid: the grid of an output and its references, and its picture
grid_text: the grid for a terminal and for notebooks
"""
