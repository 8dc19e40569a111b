"""Files for calls of sacreBLEU's command line: texts written for the tests, and a cache."""

import gzip
from pathlib import Path

from metra.corpus import examples

SYSTEMS = ("polished.txt", "solid.txt", "wrong-terms.txt", "rule-based.txt")

TEXTS = {  # output and reference of each
    "zh": (
        ["河水在夜里涨了。", "她卖了两盏灯，10个篮子。"],
        ["河水夜里上涨了。", "她卖掉了两盏灯和10个篮子。"],
    ),
    "ja": (
        ["川の水が夜に増えた。", "彼女はランプを二つ売った。"],
        ["夜のうちに川の水が増えた。", "彼女はランプを2つ売りました。"],
    ),
    "ko": (
        ["강물이 밤에 불었다.", "그녀는 등불을 두 개 팔았다."],
        ["밤새 강물이 불어났다.", "그녀는 등불 두 개를 팔았다."],
    ),
    "cs": (
        ["Řeka v noci stoupla.", "Prodala dvě lampy a koš."],
        ["V noci řeka stoupla.", "Prodala dvě lampy, koš ne."],
    ),
    "one": (["the river rose over night"], ["the river rose in the night"]),
    "gaps": (
        ["", "it rained all day", "", "we left"],
        ["", "it rained", "so it was", ""],
    ),
    "two": (["a b c d e", "it is not"], ["a b c d e", "it is so"]),
}


def write_files(folder: Path) -> None:
    """Write the shipped example under short names, hard texts, and a cache."""
    home = examples.HOME
    for number in (1, 2, 3, 4):
        text = (home / f"reference.{number}.txt").read_text(encoding="utf-8")
        write_text(folder / f"ref{number}.txt", text)
    for name in SYSTEMS:
        text = (home / "outputs" / name).read_text(encoding="utf-8")
        write_text(folder / name, text)
    write_text(folder / "odd_name.txt", text)
    write_text(folder / "solid-2.txt", (folder / "solid.txt").read_text("utf-8"))
    pairs = {**TEXTS, "hard": tuple(zip(*HARD_LINES, strict=True))}
    for name, (outputs, references) in pairs.items():
        write_lines(folder / f"{name}.txt", outputs)
        write_lines(folder / f"{name}-ref.txt", references)
    for name, lines in zip(
        ("windows.txt", "windows-ref.txt"), TEXTS["cs"], strict=True
    ):
        write_text(folder / name, "".join(f"{line}\r\n" for line in lines))
    for name, lines in zip(("open.txt", "open-ref.txt"), TEXTS["cs"], strict=True):
        write_text(folder / name, "\n".join(lines))
    write_lines(folder / "blank.txt", ["", "", ""])
    write_lines(folder / "empty.txt", [])
    write_lines(folder / "short.txt", ["a", "b", "c"])
    for name, last in (("pair", "cloudy"), ("pair-2", "windy"), ("pair-3", "dry")):
        write_lines(folder / f"{name}.txt", [f"the day was {last}", f"{last} it was"])
    rows = zip(*(read_lines(folder / f"ref{at}.txt") for at in (1, 2)), strict=True)
    write_lines(folder / "columns.tsv", ["\t".join(row) for row in rows])
    write_lines(folder / "gap.tsv", ["a b\tc d", "a b\t"])
    latin = [["Ä été à la plage", "señor López"], ["Il a été à la mer", "señora López"]]
    for name, lines in zip(("latin.txt", "latin-ref.txt"), latin, strict=True):
        (folder / name).write_bytes("".join(f"{x}\n" for x in lines).encode("latin-1"))
    packed = gzip.compress((folder / "ref1.txt").read_bytes())
    (folder / "ref1.txt.gz").write_bytes(packed)
    write_cache(folder)


HARD_LINES = [
    ("The cat  sat on the mat .  ", "The cat sat on a mat."),
    ("he's, there ... 5.5 % of it", "he's, there ..5 (5,5%) of it"),
    ("", "nothing came out"),
    ("nothing was expected", ""),
    ("&amp;quot;Tom &amp; Ann&quot; <b>", '"Tom & Ann" &lt;b&gt;'),
    ("我喜歡吃蘋果。真的! 10個", "我喜欢吃苹果。真的！10个"),
    ("Это — моя книга: «Пять»", "Это моя книга, „Пять“…"),
    ("ὁ ΛΌΓΟΣ ἰδού", "ὁ λόγος ἰδού"),
    ("x\ry\u00a0z\u2028w", "x y z w"),
    ("a b c d e f g h i j", "f g h i j a b c d e"),
    ("İstanbul'da yaz-kış", "istanbul'da kış - yaz"),
    ("کتابِ من را بخوان، لطفاً؟", "کتاب مرا بخوان لطفاً."),
]

DOCUMENTS = [  # identifiers that sacreBLEU has tags of, and their languages
    ("rt.com.68098", "en", ["the cat sat on a mat .", "a b c d e f"]),
    ("bbc.310963", "en", ["no one knows why this is so"]),
    ("guardian.181611", "de", ["he went to the sea in May", "and came back in June"]),
    ("timemagazine.75207", "de", ["the boat was painted   green &amp; white"]),
    ("unknown.1", "de", ["it rained on the way home again"]),
]


def write_cache(folder: Path) -> None:
    """Write raw test sets as sacreBLEU unpacks them, so that nothing is downloaded."""
    lines = [line for _, _, part in DOCUMENTS for line in part]
    outputs = [line.replace("a", "the", 1) for line in lines]
    write_lines(folder / "set.txt", outputs)
    write_lines(folder / "ref-of-set.txt", lines)
    write_lines(folder / "both.txt", [*outputs, *outputs])
    write_lines(folder / "xml.txt", outputs[: len(lines) - 2])
    pairs = {
        **dict.fromkeys(("wmt17", "wmt18", "wmt23"), "en-de"),
        "wmt20/tworefs": "de-en",
        "multi30k/2016": "en-fr",
    }
    from sacrebleu.dataset import DATASETS

    for name, pair in pairs.items():
        definition = DATASETS[name]
        raw = folder / "cache" / name / "raw"
        raw.mkdir(parents=True)
        for (
            address
        ) in definition.data:  # sacreBLEU looks whether the archives are there
            archive = f"{name.replace('/', '_')}.{address.rpartition('/')[2]}"
            write_text(raw / archive, "not read\n")
        for number, path in enumerate(definition.langpairs[pair]):
            (raw / path).parent.mkdir(parents=True, exist_ok=True)
            if path.endswith(".sgm"):
                write_text(raw / path, write_sgml(number))
            elif path.endswith(".xml"):
                write_text(raw / path, write_xml())
            else:
                write_lines(raw / path, [f"{line}  " for line in lines])


def write_sgml(number: int) -> str:
    """Write the documents as WMT did: the source, or one of the references."""
    text = "<set>\n"
    for name, language, lines in DOCUMENTS:
        text += f'<doc docid="{name}" genre="news" origlang="{language}">\n<p>\n'
        for at, line in enumerate(lines, 1):
            words = f"{line} {number}" if number else f"source of {line}"
            text += f'<seg id="{at}"> {words}</seg>\n'
        text += "</p>\n</doc>\n"
    return f"{text}</set>\n"


def write_xml() -> str:
    """Write the documents as WMT does, the last as a test suite, one line unreferenced."""
    text = '<?xml version="1.0" encoding="utf-8"?>\n<dataset id="x">\n'
    for at, (name, language, lines) in enumerate(DOCUMENTS):
        last = ' testsuite="x"' if at == len(DOCUMENTS) - 1 else ""
        domain = ("news", "social")[at % 2]
        text += f'<doc origlang="{language}" id="{name}" domain="{domain}"{last}>\n'
        text += write_segments('src lang="en"', [f"source of {line}" for line in lines])
        known = ["" if line.startswith("and came") else line for line in lines]
        text += write_segments('ref lang="de" translator="refA"', known)
        for system in ("Online-B", "x_1"):
            outputs = [f"{line}  {system}" for line in lines]
            text += write_segments(f'hyp system="{system}" language="de"', outputs)
        text += "</doc>\n"
    return f"{text}</dataset>\n"


def write_segments(tag: str, lines: list[str]) -> str:
    inner = "".join(
        f'<seg id="{at}">{line}</seg>\n' for at, line in enumerate(lines, 1)
    )
    return f"<{tag}>\n<p>\n{inner}</p>\n</{tag.split()[0]}>\n"


def write_lines(path: Path, lines: list[str]) -> None:
    write_text(path, "".join(f"{line}\n" for line in lines))


def write_text(path: Path, text: str) -> None:
    path.write_bytes(text.encode("utf-8"))


def read_lines(path: Path) -> list[str]:
    return path.read_bytes().decode("utf-8").removesuffix("\n").split("\n")
