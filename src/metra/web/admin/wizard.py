"""The steps to a new campaign: data, settings, review, and then a draft."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData

from metra.campaign import uploads
from metra.campaign.assignment import plan_workload
from metra.campaign.campaign import Campaign
from metra.campaign.creation import check_marks, freeze_campaign
from metra.campaign.protocols.registry import PROTOCOLS
from metra.campaign.second_look import MADE_OF_OTHERS
from metra.campaign.settings import FORM_FIELDS, check_settings, list_form_defaults
from metra.campaign.translations import add_wordings, read_wording
from metra.campaign.uploads import (
    READERS,
    CampaignTexts,
    Upload,
    Use,
    read_pasted,
)
from metra.campaign.words import JUDGES_OWN, LANGUAGES
from metra.errors import FormatError, MetraError
from metra.formats.stream import parse_toml
from metra.store import campaigns
from metra.store.access import Session
from metra.store.test_sets import find_own_set
from metra.web.admin.frame import get_field, read_files, render_admin_page
from metra.web.replies import get_state, redirect_to
from metra.web.strings import get_language_name
from metra.web.visitors import Administering, CheckedRoute

router = APIRouter(route_class=CheckedRoute)
#: The role of the files in each field of the form.
_FILES: dict[str, Use] = {
    "outputs": "output",
    "references": "reference",
    "source": "source",
    "documents": "document",
}
_MOST_FILES = 100
_TEXTS, _WHOLE, _SHARES, _SWITCHES = FORM_FIELDS.values()
#: Material that some protocols need, typed or pasted into the form.
_MORE = ("options", "wording", *READERS)
#: What the form has at first.
DEFAULTS = {"protocol": "ldc"} | list_form_defaults()


@router.get("/admin/campaigns/new")
def show_files(request: Request, _: Administering) -> Response:
    """Show the form for the files."""
    return render_admin_page(request, "new_files.html")


@router.post("/admin/campaigns/new/files")
async def check_files(request: Request, _: Administering) -> Response:
    """Check the files; if they fit together, show the form for the settings."""
    async with request.form(max_files=_MOST_FILES) as form:
        sent = [
            Upload(use, name, content)
            for field, use in _FILES.items()
            for name, content in await read_files(form, field)
        ]
    # Slow work runs in a thread, so that judges need not wait for it.
    try:
        pairing = await run_in_threadpool(uploads.pair_uploads, sent)
    except MetraError as error:
        return render_admin_page(request, "new_files.html", problem=str(error))
    return render_settings(request, pairing.texts, pairing=pairing)


@router.post("/admin/campaigns/new/settings")
async def check_form(request: Request, session: Administering) -> Response:
    """Show the workload of the settings, or store the campaign as a draft once confirmed."""
    form = await request.form()
    return await run_in_threadpool(_check_settings, request, session, form)


def _check_settings(request: Request, session: Session, form: FormData) -> Response:
    try:
        texts = uploads.unpack_texts(get_field(form, "texts"))
    except FormatError as error:
        return render_admin_page(request, "new_files.html", problem=str(error))
    fields = (*_TEXTS, *_WHOLE, *_SHARES, *_SWITCHES, "judges", "test_set", *_MORE)
    typed = {name: get_field(form, name) for name in fields}
    try:
        made = _build_campaign(typed, texts)
        if get_field(form, "go") == "create":
            state = get_state(request)
            with state.store.transaction() as db:
                key = campaigns.create_campaign(
                    db,
                    made,
                    now=state.clock(),
                    who=session.name,
                    test_set=find_own_set(db, typed["test_set"], session.name),
                )
            return redirect_to(f"/admin/campaigns/{key}")
    except MetraError as error:
        shown: dict[str, Any] = {"problem": str(error).removeprefix("The form: ")}
    else:
        shown = {"plan": plan_workload(made)}
    return render_settings(request, texts, typed, **shown)


def _build_campaign(typed: dict[str, str], texts: CampaignTexts) -> Campaign:
    table: dict[str, Any] = {}
    for names, parse in (
        (_TEXTS, lambda text, _: text),
        (_WHOLE, _parse_count),
        (_SHARES, _parse_percent),
    ):
        for name in names:
            if text := typed[name].strip():
                table[name] = parse(text, name)
    lines = (line.strip() for line in typed["judges"].split("\n"))
    table["judges"] = [line for line in lines if line]
    table |= {name: bool(typed[name]) for name in _SWITCHES}
    if typed["options"].strip():
        what, expected = "The table of options", "lines such as every = 6"
        table["options"] = parse_toml(typed["options"], what, expected)
    material = read_pasted({name: typed[name] for name in READERS})
    settings = check_settings(table, "The form")
    made = check_marks(freeze_campaign(settings, texts.as_corpus(), material))
    return add_wordings(made, read_wording(typed["wording"]), "The form")


def _parse_count(text: str, name: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        msg = f"{name} is {text!r}; expected a whole number."
        raise FormatError(msg)
    return int(text)


def _parse_percent(text: str, name: str) -> float:
    try:
        return float(text.replace(",", ".")) / 100
    except ValueError:
        msg = f"{name} is {text!r}; expected a percentage."
        raise FormatError(msg) from None


def render_settings(
    request: Request,
    texts: CampaignTexts,
    typed: Mapping[str, str] = MappingProxyType(DEFAULTS),
    **more: Any,
) -> Response:
    """Show the form for the settings of a campaign about some texts."""
    languages = [(code, get_language_name(code)) for code in LANGUAGES]
    return render_admin_page(
        request,
        "new_settings.html",
        typed=typed,
        packed=texts.pack(),
        systems=list(texts.outputs),
        segments=len(next(iter(texts.outputs.values()))),
        has_source=texts.source is not None,
        references=len(texts.references),
        documents=len(set(texts.documents or [])),
        protocols=[
            (one.name, one.title)
            for one in PROTOCOLS.values()
            if one.name not in MADE_OF_OTHERS
        ],
        guide_languages=[
            ("", "English if the wording is published, otherwise the judge's language"),
            (JUDGES_OWN, "each judge's page language"),
            *((code, f"{name}, for all judges") for code, name in languages),
        ],
        **more,
    )
