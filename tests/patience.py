"""How long tests wait for what must come."""

#: Seconds. Whoever waits this long waits for ever; a busy machine is no reason to fail.
PATIENCE = 600
