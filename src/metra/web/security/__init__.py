"""Who may enter and what may pass.

headers: the check of host and origin, and response headers
limits: limits on bodies, replies to internal errors, masked logs, client addresses
visitors: who is behind a request: cookies, sessions, the check of form tokens (CSRF)
"""
