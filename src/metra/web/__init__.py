"""The judging app: pages and JSON over the store and the campaign package; no arithmetic.

admin: pages of organisers: campaigns, judges, progress, results, files
app: the application, with its routes and middleware
judge: pages and JSON of judges
middleware: the check of host and origin, limits on bodies, response headers, masked logs
replies: pages, JSON and redirects, refusals, and what every request can reach
server: running the app under uvicorn, with time-outs of connections
strings: the texts of the pages, in seven languages
visitors: who is behind a request: cookies, sessions, the check of form tokens (CSRF)
"""
