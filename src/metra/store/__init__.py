"""Where campaigns, judges and their answers are kept: SQLite, or PostgreSQL by its address.

Functions over tables, one file an idea. They take the time as an argument, and a connection in
whose transaction they work: `with store.transaction() as db:`.
"""

from metra.store.database import Store, open

__all__ = ["Store", "open"]
