"""The store of campaigns, judges and answers: SQLite, or PostgreSQL by its address.

Functions over tables. They take the time as an argument, and a connection in whose
transaction they work: `with store.transaction() as db:`.

access: admins, passwords (10 characters, scrypt), second factors, lengths of sessions, waits
    after failed attempts to sign in (free attempts: `web.admin.account`, `web.judge.pages`)
answers: drafts and answers, with times that the server vouches for
assignment: tasks that judges take over from others who are away for 3 days
audit: the audit log
backup: backups, and stores restored from them
campaigns: campaigns, frozen as JSON, and their states
database: tables, migrations/*.sql, transactions and their errors (remedies.toml); full disks;
    ids, links' secrets and completion codes
demo: campaigns that simulated judges have filled
events: keys and focus as browsers logged them; the most events of a screen
jobs: jobs of workers, their leases (30 s) and tries (3)
judges: judges with their links and consent, and how they are forgotten
score_arrays: scores of runs, one compressed array for each run and metric
second_looks: campaigns that settle what another left open
tasks: tasks, a judge's screens in order, which of them may change, progress, minutes left
test_sets: test sets and runs; texts kept once by their digest
workspaces: workspaces, members with roles, tokens of programs
"""

from metra.store.database import Store, open

__all__ = ["Store", "open"]
