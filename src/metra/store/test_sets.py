"""Test sets and runs: texts that never change, kept once under the digest of their bytes."""

import hashlib
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update

from metra.errors import CorpusError, OptionError, format_count
from metra.store import audit, database, workspaces
from metra.store.database import decode_json, encode_json, new_id

Texts = Sequence[str | None]


@dataclass(frozen=True, slots=True)
class Parts:
    """The columns of a test set: digests of their contents in the store."""

    source: str | None = None
    references: tuple[str, ...] = ()
    documents: str | None = None
    ids: str | None = None

    @property
    def digests(self) -> list[str]:
        """All contents, each once."""
        given = (self.source, *self.references, self.documents, self.ids)
        return [*dict.fromkeys(filter(None, given))]


@dataclass(frozen=True, slots=True)
class StoredSet:
    """A test set; its texts never change."""

    id: str
    workspace: str
    name: str
    version: int
    segments: int
    parts: Parts
    #: The system that others are compared with; the oldest run's if None.
    baseline: str | None
    created_by: str
    created_at: float

    @property
    def title(self) -> str:
        """The name, with the version if it is not the first."""
        return self.name if self.version == 1 else f"{self.name} v{self.version}"


@dataclass(frozen=True, slots=True)
class Run:
    """The outputs of a system on a test set."""

    id: str
    test_set: str
    system: str
    #: The digest of its outputs.
    content: str
    note: str
    tags: tuple[str, ...]
    created_by: str
    created_at: float


def add_texts(db: Connection, texts: Texts) -> str:
    """Store a column of texts unless it is stored already; return its digest."""
    written = json.dumps(list(texts), separators=(",", ":")).encode()
    return add_content(db, written)


def add_content(db: Connection, written: bytes) -> str:
    """Store bytes, compressed, unless they are stored already; return their digest."""
    digest = hashlib.sha256(written).hexdigest()
    row = {"digest": digest, "packed": zlib.compress(written, 6)}
    db.execute(database.insert_new(db, database.content), row)
    return digest


def read_texts(db: Connection, digest: str) -> list[str | None]:
    """Return a column of texts."""
    content = database.content.c
    query = select(content.packed).where(content.digest == digest)
    texts: list[str | None] = json.loads(
        zlib.decompress(db.execute(query).scalar_one())
    )
    return texts


def add_test_set(
    db: Connection,
    workspace: str,
    name: str,
    columns: Mapping[str, Any],
    *,
    now: float,
    who: str,
) -> StoredSet:
    """Store a test set and return it; the same texts under the same name are one set.

    `columns` has `source`, `references`, `documents` and `ids`, as far as they exist, and
    `segments`, their number. Other texts under the same name are its next version.
    """
    name = " ".join(database.strip_unstorable(name).split())
    if not name:
        msg = "The test set has no name; give it one."
        raise OptionError(msg)
    parts = Parts(
        references=tuple(add_texts(db, each) for each in columns.get("references", ())),
        **{
            role: add_texts(db, columns[role])
            for role in ("source", "documents", "ids")
            if columns.get(role)
        },
    )
    segments: int = columns["segments"]
    content = encode_json([segments, _to_json(parts)])
    digest = hashlib.sha256(content.encode()).hexdigest()
    table = database.test_set
    same_name = (table.c.workspace == workspace) & (table.c.name == name)
    same = select(table.c.id).where(same_name, table.c.digest == digest)
    key = db.execute(same).scalar_one_or_none()
    if key is None:
        newest = select(func.coalesce(func.max(table.c.version), 0)).where(same_name)
        key = new_id()
        row = {
            "id": key,
            "workspace": workspace,
            "name": name,
            "version": db.execute(newest).scalar_one() + 1,
            "digest": digest,
            "segments": segments,
            "parts_json": encode_json(_to_json(parts)),
            "created_by": who,
            "created_at": now,
        }
        db.execute(insert(table), row)
        data = {"test set": name, "version": row["version"], "segments": segments}
        audit.add_entry(db, who, "add test set", data, now=now)
    [stored] = _select_sets(db, workspace, table.c.id == key)
    return stored


def find_test_set(db: Connection, workspace: str, key: str) -> StoredSet | None:
    """Return a test set of a workspace; None if it is another one's."""
    is_key = database.test_set.c.id == database.strip_unstorable(key)
    return next(iter(_select_sets(db, workspace, is_key)), None)


def find_set_by_name(db: Connection, workspace: str, name: str) -> StoredSet | None:
    """Return the newest version of a test set."""
    versions = _select_sets(db, workspace, database.test_set.c.name == name)
    return max(versions, key=lambda one: one.version, default=None)


def find_own_set(db: Connection, key: str, admin: str) -> str | None:
    """Return the id of a test set that the admin may change; None of any other."""
    for workspace in workspaces.list_workspaces(db, admin):
        if workspace.allows("organiser") and find_test_set(db, workspace.id, key):
            return key
    return None


def list_test_sets(db: Connection, workspace: str) -> list[tuple[StoredSet, int]]:
    """Return the test sets of a workspace with their numbers of runs, the newest first."""
    run = database.run.c
    query = select(run.test_set, func.count()).group_by(run.test_set)
    counts = dict(tuple(row) for row in db.execute(query))
    return [(one, counts.get(one.id, 0)) for one in _select_sets(db, workspace)]


def _select_sets(db: Connection, workspace: str, *where: Any) -> list[StoredSet]:
    table = database.test_set.c
    columns = ("id", "workspace", "name", "version", "segments", "parts_json")
    rest = ("baseline", "created_by", "created_at")
    query = select(*(table[name] for name in (*columns, *rest)))
    query = query.where(table.workspace == workspace, *where)
    rows = db.execute(query.order_by(table.created_at.desc(), table.id))
    return [_build_set(dict(row._mapping)) for row in rows]


def _build_set(values: dict[str, Any]) -> StoredSet:
    return StoredSet(parts=_from_json(values.pop("parts_json")), **values)


def _to_json(parts: Parts) -> dict[str, Any]:
    return {name: getattr(parts, name) for name in Parts.__dataclass_fields__}


def _from_json(text: str) -> Parts:
    values = decode_json(text)
    return Parts(**values | {"references": tuple(values["references"])})


def set_baseline(
    db: Connection, test_set: StoredSet, system: str, *, now: float, who: str
) -> None:
    """Choose the system that the others are compared with."""
    table = database.test_set
    change = update(table).where(table.c.id == test_set.id)
    db.execute(change.values(baseline=system))
    data = {"test set": test_set.title, "baseline": system}
    audit.add_entry(db, who, "set baseline", data, now=now)


def add_run(
    db: Connection,
    test_set: StoredSet,
    system: str,
    outputs: Texts,
    *,
    now: float,
    who: str,
    note: str = "",
    tags: Sequence[str] = (),
) -> Run:
    """Store the outputs of a system and return the run; the same outputs are one run."""
    if len(outputs) != test_set.segments:
        msg = (
            f"{system} has {format_count(len(outputs), 'segment')} but the test set "
            f"{test_set.title} has {test_set.segments}; push the outputs of all its "
            "segments, in its order."
        )
        raise CorpusError(msg)
    content, table = add_texts(db, outputs), database.run
    system = " ".join(database.strip_unstorable(system).split()) or "system"
    row = {
        "id": new_id(),
        "test_set": test_set.id,
        "system": system,
        "content": content,
        "note": database.strip_unstorable(note),
        "tags_json": encode_json(list(tags)),
        "created_by": who,
        "created_at": now,
    }
    if db.execute(database.insert_new(db, table), row).rowcount:
        data = {"test set": test_set.title, "system": system}
        audit.add_entry(db, who, "add run", data, now=now)
    same = (table.c.system == system) & (table.c.content == content)
    [run] = _select_runs(db, table.c.test_set == test_set.id, same)
    return run


def list_runs(db: Connection, test_set: StoredSet) -> list[Run]:
    """Return the runs on a test set, the oldest first."""
    return _select_runs(db, database.run.c.test_set == test_set.id)


def _select_runs(db: Connection, *where: Any) -> list[Run]:
    table = database.run.c
    columns = ("id", "test_set", "system", "content", "note", "tags_json")
    query = select(*(table[name] for name in (*columns, "created_by", "created_at")))
    rows = db.execute(query.where(*where).order_by(table.created_at, table.id))
    return [_build_run(dict(row._mapping)) for row in rows]


def _build_run(values: dict[str, Any]) -> Run:
    return Run(tags=tuple(decode_json(values.pop("tags_json"))), **values)


def delete_run(db: Connection, run: Run, *, now: float, who: str) -> None:
    """Delete a run with its scores and, if nothing else has them, its outputs."""
    for table, column in ((database.score_array, "run"), (database.run, "id")):
        db.execute(delete(table).where(table.c[column] == run.id))
    _delete_unused(db, [run.content])
    audit.add_entry(db, who, "delete run", {"system": run.system}, now=now)


def delete_test_set(
    db: Connection, test_set: StoredSet, *, now: float, who: str
) -> None:
    """Delete a test set with its runs, their scores and its texts."""
    runs = list_runs(db, test_set)
    for run in runs:
        delete_run(db, run, now=now, who=who)
    table = database.test_set
    db.execute(delete(table).where(table.c.id == test_set.id))
    _delete_unused(db, test_set.parts.digests)
    data = {"test set": test_set.title, "runs": len(runs)}
    audit.add_entry(db, who, "delete test set", data, now=now)


def _delete_unused(db: Connection, digests: Sequence[str]) -> None:
    """Delete the contents that no run and no test set has."""
    used = set(db.execute(select(database.run.c.content).distinct()).scalars())
    for parts in db.execute(select(database.test_set.c.parts_json)).scalars():
        used.update(_from_json(parts).digests)
    unused = [digest for digest in digests if digest not in used]
    content = database.content
    db.execute(delete(content).where(content.c.digest.in_(unused)))
