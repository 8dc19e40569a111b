"""Workspaces: members with their roles, and tokens of programs that push and read."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from sqlalchemy import Connection, delete, insert, select, update

from metra.errors import OptionError
from metra.store import audit, database
from metra.store.database import hash_token, new_id, new_token

Role: TypeAlias = Literal["viewer", "organiser", "owner"]
#: Each role may do what those before it may.
ROLES: tuple[Role, ...] = ("viewer", "organiser", "owner")
#: The workspace that every store with an admin has.
MAIN = "main"


@dataclass(frozen=True, slots=True)
class Workspace:
    """A workspace, and the role in it of whoever asks."""

    id: str
    name: str
    role: Role

    def allows(self, role: Role) -> bool:
        """Return True if the role of whoever asks includes this one."""
        return ROLES.index(self.role) >= ROLES.index(role)


@dataclass(frozen=True, slots=True)
class Token:
    """A token of a program, without its secret."""

    id: str
    name: str
    role: Role
    created_by: str
    created_at: float
    used_at: float | None
    revoked_at: float | None


def list_workspaces(db: Connection, admin: str) -> list[Workspace]:
    """Return the workspaces of a member, by name."""
    workspace, member = database.workspace.c, database.member.c
    query = select(workspace.id, workspace.name, member.role)
    query = query.where(member.workspace == workspace.id, member.admin == admin)
    return [Workspace(*row) for row in db.execute(query.order_by(workspace.name))]


def find_workspace(db: Connection, key: str, admin: str) -> Workspace | None:
    """Return a workspace; None if it does not exist or the admin is no member."""
    return next((one for one in list_workspaces(db, admin) if one.id == key), None)


def create_workspace(db: Connection, name: str, *, now: float, who: str) -> str:
    """Create a workspace whose owner is its creator; return its id."""
    workspace = database.workspace
    name = " ".join(database.strip_unstorable(name).split())
    taken = select(workspace.c.id).where(workspace.c.name == name)
    if not name or db.execute(taken).first() is not None:
        problem = f"A workspace named {name!r} already exists" if name else "No name"
        msg = f"{problem}; choose another name."
        raise OptionError(msg)
    key = new_id()
    db.execute(insert(workspace), {"id": key, "name": name, "created_at": now})
    set_member(db, key, who, "owner", now=now, who=who)
    return key


def add_to_main(db: Connection, admin: str, *, now: float) -> None:
    """Make a new admin an owner of the main workspace, which is created with the first."""
    workspace = database.workspace
    if db.execute(select(workspace.c.id).where(workspace.c.id == MAIN)).first() is None:
        row = {"id": MAIN, "name": "Main", "created_at": now}
        db.execute(insert(workspace), row)
    row = {"workspace": MAIN, "admin": admin, "role": "owner"}
    db.execute(insert(database.member), row)


def list_members(db: Connection, key: str) -> list[tuple[str, Role]]:
    """Return the members of a workspace with their roles, by name."""
    member = database.member.c
    query = select(member.admin, member.role).where(member.workspace == key)
    return [tuple(row) for row in db.execute(query.order_by(member.admin))]


def set_member(
    db: Connection, key: str, admin: str, role: Role | None, *, now: float, who: str
) -> None:
    """Add a member, change their role, or remove them; one owner stays."""
    if role is not None and role not in ROLES:
        msg = f"A role cannot be {role!r}; expected {', '.join(ROLES)}."
        raise OptionError(msg)
    account = database.admin.c.name
    if db.execute(select(account).where(account == admin)).first() is None:
        msg = (
            f"No account is named {admin!r}; create it with: metra judge admin {admin}"
        )
        raise OptionError(msg)
    owners = [name for name, held in list_members(db, key) if held == "owner"]
    if role != "owner" and owners == [admin]:
        msg = f"{admin} is the only owner; make another member an owner first."
        raise OptionError(msg)
    member = database.member
    of_admin = (member.c.workspace == key) & (member.c.admin == admin)
    db.execute(delete(member).where(of_admin))
    if role is not None:
        row = {"workspace": key, "admin": admin, "role": role}
        db.execute(insert(member), row)
    data = {"workspace": key, "member": admin, "role": role}
    audit.add_entry(db, who, "set member", data, now=now)


def create_token(
    db: Connection, key: str, name: str, role: Role, *, now: float, who: str
) -> str:
    """Create a token of a workspace; return its secret, of which only a hash is stored."""
    if role not in ("viewer", "organiser"):
        msg = f"A token cannot have the role {role!r}; expected viewer or organiser."
        raise OptionError(msg)
    secret = new_token()
    row = {
        "id": new_id(),
        "workspace": key,
        "name": database.strip_unstorable(name)[:200],
        "token_hash": hash_token(secret),
        "role": role,
        "created_by": who,
        "created_at": now,
    }
    db.execute(insert(database.access_token), row)
    data = {"workspace": key, "name": row["name"], "role": role}
    audit.add_entry(db, who, "create token", data, now=now)
    return secret


def list_tokens(db: Connection, key: str) -> list[Token]:
    """Return the tokens of a workspace, the newest first."""
    token = database.access_token.c
    query = select(*(token[name] for name in Token.__dataclass_fields__))
    query = query.where(token.workspace == key)
    rows = db.execute(query.order_by(token.created_at.desc(), token.id))
    return [Token(*row) for row in rows]


def use_token(
    db: Connection, secret: str, *, now: float
) -> tuple[Workspace, str] | None:
    """Return the workspace and the name of a valid token, and note that it was used."""
    token, workspace = database.access_token, database.workspace
    valid = token.c.revoked_at.is_(None), token.c.token_hash == hash_token(secret)
    query = select(workspace.c.id, workspace.c.name, token.c.role, token.c.name)
    query = query.where(*valid, workspace.c.id == token.c.workspace)
    row = db.execute(query).first()
    if row is None:
        return None
    db.execute(update(token).where(*valid).values(used_at=now))
    return Workspace(*row[:3]), row[3]


def revoke_token(db: Connection, key: str, token: str, *, now: float, who: str) -> None:
    """Revoke a token of a workspace."""
    table = database.access_token
    of_workspace = (table.c.workspace == key) & (table.c.id == token)
    change = update(table).where(of_workspace, table.c.revoked_at.is_(None))
    if db.execute(change.values(revoked_at=now)).rowcount:
        data = {"workspace": key, "token": token}
        audit.add_entry(db, who, "revoke token", data, now=now)
