"""The workbench and the judging app: pages and JSON over the store; no arithmetic.

Beside the modules: `templates` (the HTML of pages) and `static` (styles; `static/judge`, the
scripts of the judging page, a part each: `screen` has the keys of a screen, which `keys`
dispatches, and `cannot` the reasons not to judge; `static/steps`, a script for each kind of
question, with its buttons, sliders and marks). Elements, dialogs, colours and type are those of
`metra/kit`.

admin: pages of organisers: campaigns, judges, progress, results, files
app: the application, with its routes and middleware
judge: pages and JSON of judges
middleware: the check of host and origin, limits on bodies, response headers (CSP), masked logs
replies: pages, JSON and redirects, refusals and their words, and the state of the app
server: running the app under uvicorn: time-outs of connections, host, port, workers
strings: the texts of the pages, in seven languages (en.toml, measures.en.toml, …)
visitors: who is behind a request: cookies, sessions, the check of form tokens (CSRF)
workbench: pages of test sets and runs, and what programs with a token may ask
"""
