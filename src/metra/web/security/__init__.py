"""Who may enter and what may pass.

headers: the check of host and origin, and response headers
limits: limits on bodies, replies to internal errors, masked logs, client addresses
visitors: cookies, sessions, the CSRF check of forms, and who is behind a request
"""
