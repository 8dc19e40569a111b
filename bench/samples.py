"""Texts of our own, for machines that have no others."""

from pathlib import Path

from metra.corpus.examples import find_example

SENTENCES = {
    "zh": [
        "市场大厅在周六上午重新开放，接待了第一批顾客。",
        "中午之前，大约有2300人走进了大门。",
        "面包师说，他从凌晨3点就开始准备了。",
        "河水去年涨了1.8米，淹没了整个地下室。",
        "修复工程花了十四个月，费用由省政府和保险公司分担。",
        "有些摊位还空着，但是鱼贩已经回来了。",
    ],
    "he": [
        "אולם השוק נפתח מחדש בשבת בבוקר וקיבל את הלקוחות הראשונים.",
        "לפני הצהריים עברו בשערים כ-2,300 איש.",
        "האופה סיפר שהתחיל להתכונן כבר בשעה 3 לפנות בוקר.",
        "הנהר עלה בשנה שעברה ב-1.8 מטר והציף את המרתף.",
        "עבודות השיקום נמשכו ארבעה עשר חודשים.",
        "כמה דוכנים עדיין ריקים, אבל מוכר הדגים חזר.",
    ],
}


def pairs(references: int) -> list[tuple[str, ...]]:
    """Pair every example output with the first example references."""
    example = find_example()
    refs = [_lines(path) for path in example.references[:references]]
    return [
        pair
        for path in example.outputs
        for pair in zip(_lines(path), *refs, strict=True)
    ]


def _lines(path: str) -> list[str]:
    return Path(path).read_text(encoding="utf-8").removesuffix("\n").split("\n")
