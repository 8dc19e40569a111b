"""Pictures, one function each, all drawn with the chart kit (`metra.report.chart`).

plots: curves, scatter plots, histograms, two judges, words by salience; distances of names
forest: figures with intervals, a row per name; dense in print
heatmap: a matrix of p-values with framed clusters, or of coefficients
campaign: means with intervals, answer times and progress of a campaign
grid: the grid of an output and its references (up to 600 words), and its picture
grid_text: the grid for a terminal and for notebooks
"""
