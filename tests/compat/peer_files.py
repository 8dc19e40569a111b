"""Files for calls of sacreBLEU's command line: texts written for the tests."""

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
}


def write_files(folder: Path) -> None:
    """Write the shipped example under short names, and hard texts."""
    home = examples.HOME
    for number in (1, 2, 3, 4):
        text = (home / f"reference.{number}.txt").read_text(encoding="utf-8")
        write_text(folder / f"ref{number}.txt", text)
    for name in SYSTEMS:
        text = (home / "outputs" / name).read_text(encoding="utf-8")
        write_text(folder / name, text)
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
    write_lines(folder / "short.txt", ["a", "b", "c"])
    for name, last in (("pair", "cloudy"), ("pair-2", "windy"), ("pair-3", "dry")):
        write_lines(folder / f"{name}.txt", [f"the day was {last}", f"{last} it was"])
    rows = zip(*(read_lines(folder / f"ref{at}.txt") for at in (1, 2)), strict=True)
    write_lines(folder / "columns.tsv", ["\t".join(row) for row in rows])
    latin = [["Ä été à la plage", "señor López"], ["Il a été à la mer", "señora López"]]
    for name, lines in zip(("latin.txt", "latin-ref.txt"), latin, strict=True):
        (folder / name).write_bytes("".join(f"{x}\n" for x in lines).encode("latin-1"))
    packed = gzip.compress((folder / "ref1.txt").read_bytes())
    (folder / "ref1.txt.gz").write_bytes(packed)


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


def write_lines(path: Path, lines: list[str]) -> None:
    write_text(path, "".join(f"{line}\n" for line in lines))


def write_text(path: Path, text: str) -> None:
    path.write_bytes(text.encode("utf-8"))


def read_lines(path: Path) -> list[str]:
    return path.read_bytes().decode("utf-8").removesuffix("\n").split("\n")
