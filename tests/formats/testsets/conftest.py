"""Places of test sets, made for each test; none of this machine is looked at."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

WMT_XML = """<?xml version='1.0' encoding='utf-8'?>
<dataset id="wmttest2023">
<doc id="d1" origlang="cs" domain="news">
<src lang="cs"><p><seg id="1">první  věta</seg><seg id="2">druhá &amp; další
věta</seg></p></src>
<ref lang="uk" translator="refA"><p><seg id="1">перше речення</seg>
<seg id="2">друге &amp; інше</seg></p></ref>
<ref lang="uk" translator="refB"><p><seg id="1">речення перше</seg>
<seg id="2">друге й інше</seg></p></ref>
<hyp lang="uk" system="online"><p><seg id="1">перше</seg><seg id="2">друге</seg></p></hyp>
</doc>
<doc id="d2" origlang="uk" domain="social">
<src lang="cs"><p><seg id="1">třetí</seg><seg id="2">bez překladu</seg></p></src>
<ref lang="uk" translator="refA"><p><seg id="1">третє</seg><seg id="2"></seg></p></ref>
<hyp lang="uk" system="online"><p><seg id="1">третя</seg><seg id="2">нічого</seg></p></hyp>
</doc>
<doc id="s1" origlang="cs" domain="news" testsuite="probe">
<src lang="cs"><p><seg id="1">zkouška</seg></p></src>
<hyp lang="uk" system="online"><p><seg id="1">проба</seg></p></hyp>
</doc>
</dataset>
"""

SGML_SOURCE = """<srcset setid="newstest2019" srclang="any">
<doc sysid="ref" docid="bbc.1" genre="news" origlang="en">
<p>
<seg id="1">Fish &amp; chips,  twice.</seg>
<seg id="2">A line\u2028in two.</seg>
</p>
</doc>
<doc sysid="ref" docid="spiegel.7" genre="news" origlang="de">
<p>
<seg id="1">The third.</seg>
</p>
</doc>
</srcset>
"""

SGML_REFERENCE = """<refset setid="newstest2019" srclang="any" trglang="de">
<doc sysid="ref" docid="bbc.1" genre="news" origlang="en">
<p>
<seg id="1">Fisch &amp; Pommes, zweimal.</seg>
<seg id="2">Eine Zeile.</seg>
</p>
</doc>
<doc sysid="ref" docid="spiegel.7" genre="news" origlang="de">
<p>
<seg id="1"> Das Dritte. </seg>
</p>
</doc>
</refset>
"""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home: no cache, no folder of mt-metrics-eval."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    monkeypatch.delenv("SACREBLEU", raising=False)
    return folder


def write_text(path: Path, lines: Sequence[str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes("".join(f"{line}\n" for line in lines).encode())
    return path


@pytest.fixture
def cache(home: Path) -> Path:
    """A cache as sacreBLEU leaves it: wmt23 en-de with plain files."""
    folder = home / ".sacrebleu"
    fields = {
        "src": ["One.", "Two.", "Three.", "Four."],
        "ref-refA": ["Eins.", "Zwei.", "Drei.", "Vier."],
        "ref-refB": ["1.", "2.", "3.", "4."],
        "docid": ["bbc.1", "bbc.1", "forum.1", "forum.2"],
        "origlang": ["en", "en", "de", "de"],
        "domain": ["news", "news", "social", "social"],
        "ONLINE-B": ["Eins", "Zwei", "Drei", "Vier"],
    }
    for field, lines in fields.items():
        write_text(folder / "wmt23" / f"wmt23.en-de.{field}", lines)
    return folder


@pytest.fixture
def metrics_eval(home: Path) -> Path:
    """A folder of mt-metrics-eval with the set wmt23 for en-de and one for he-en."""
    root = home / ".mt-metrics-eval" / "mt-metrics-eval-v2"
    folder = root / "wmt23"
    write_text(folder / "sources/en-de.txt", ["One.", "Two."])
    write_text(folder / "references/en-de.refA.txt", ["Eins.", "Zwei."])
    write_text(folder / "references/en-de.refB.txt", ["1.", "2."])
    write_text(folder / "documents/en-de.docs", ["news\tbbc.1", "social\tforum.1"])
    write_text(folder / "system-outputs/en-de/online.txt", ["Eins", "Zwei"])
    write_text(folder / "sources/he-en.txt", ["אחת"])
    write_text(folder / "references/he-en.refA.txt", ["1"])
    write_text(folder / "references/he-en.refB.txt", ["One"])
    return root


@pytest.fixture
def write_lines() -> Callable[[Path, Sequence[str]], Path]:
    """Write a file of lines, and the folders above it."""
    return write_text
