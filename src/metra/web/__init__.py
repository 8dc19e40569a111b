"""The judging app: pages and JSON over the store and the campaign package; no arithmetic.

admin: pages of organisers: campaigns, judges, progress, results, files
app: the application, with its routes and middleware
connections: time-outs of connections, and workers that end with their parent
judge: pages and JSON of judges
pages: rendering of templates, JSON replies and redirects
security: sessions, origins, limits and response headers
server: running the app under uvicorn, in one process or several
state: what every request can reach, and how refused requests are answered
strings: the texts of the pages, in seven languages
"""
