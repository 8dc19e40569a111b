"""Pages of the workbench, for members of a workspace.

api: runs pushed by programs with a token, and leaderboards as JSON
frame: the workspace and the role of whoever asks; tables as markup
home: the list of test sets, and files imported as one: preview, columns, import
settings: members with their roles, and tokens
sets: a test set: its leaderboard, its report, downloads, runs, jobs
"""
