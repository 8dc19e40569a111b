"""The store of campaigns, judges and answers: SQLite, or PostgreSQL by its address.

Functions over tables. They take the time as an argument, and a connection in whose
transaction they work: `with store.transaction() as db:`.

access: admins, second factors, sessions and waits after failed attempts to sign in
answers: drafts and answers, with times that the server vouches for
assignment: tasks that judges take over from others
audit: the audit log
backup: backups, and stores restored from them
campaigns: campaigns, frozen as JSON
database: tables, migrations, transactions and their errors
demo: campaigns that simulated judges have filled
events: keys and focus as browsers logged them
imported: campaigns from files of judgements
judges: judges with their links and consent, and how they are forgotten
outside_scores: scores that other programs made of a campaign's outputs
second_looks: campaigns that settle what another left open
tasks: tasks and their states, a judge's screens in order, and their progress
"""

from metra.store.database import Store, open

__all__ = ["Store", "open"]
