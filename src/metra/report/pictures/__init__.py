"""Pictures, one function each, all drawn with the chart kit (`metra.report.chart`).

plots: plots with two axes: curves, scatter plots, histograms, two judges
forest: figures with intervals, a row per name
heatmap: a matrix of p-values with clusters framed, or of coefficients
polygons: words of two translations by salience, and matches of systems
campaign: means with intervals, answer times and progress of a campaign
grid: the grid of an output and its references, and its picture
grid_text: the grid for a terminal and for notebooks
"""
