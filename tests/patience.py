"""How long tests wait for what must come: a busy machine is no reason to fail."""

#: Seconds for processes and servers. Whoever waits this long waits for ever.
PATIENCE = 600
#: Milliseconds for one thing to happen in a browser.
BROWSER_MS = 120_000
