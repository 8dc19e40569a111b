"""Who may enter and what may pass.

headers: the check of host and origin, and response headers
limits: limits on bodies, replies to internal errors, masked logs, client addresses
visitors: cookies and sessions, and the judge or organiser behind a request
"""
