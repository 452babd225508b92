"""Unicode normalization as Hugging Face tokenizers does it, found by asking it.

Its tables are older than those of its regular expressions and of Python, so nothing is taken from Python's:
decompositions come from each scalar value alone, combining classes from the way any two marks are reordered,
compositions from all pairs that could compose.
"""

from __future__ import annotations

from tokenizers import normalizers

from verified_tok.reference.charset import ALL

_nfd = normalizers.NFD().normalize_str
_nfkd = normalizers.NFKD().normalize_str
_nfc = normalizers.NFC().normalize_str

_FIRST_CLASS = "\u0334"  # a mark that comes before all marks of other classes
_LAST_CLASS = "\u0345"  # and one that comes after them
_HANGUL = "\uac00"


def canonical_decompositions() -> dict[str, str]:
    """The full canonical decomposition of each character that has one, Hangul syllables excepted."""
    return {c: d for c in ALL if (d := _nfd(c)) != c and not _is_hangul(c)}


def compatibility_decompositions() -> dict[str, str]:
    """The full compatibility decomposition of each character whose canonical one is another."""
    return {c: d for c in ALL if (d := _nfkd(c)) != _nfd(c)}


def combining_classes() -> dict[str, int]:
    """The rank of each mark's combining class, from 1; characters that are never reordered have none."""
    marks = [
        c
        for c in ALL
        if _nfd(c) == c
        and (_nfd(c + _FIRST_CLASS) != c + _FIRST_CLASS or _nfd(_LAST_CLASS + c) != _LAST_CLASS + c)
    ]
    # a stands after b in the order of classes if and only if the engine exchanges a b.
    passes = {a: sum(_exchanges(a, marks)) for a in marks}
    ranks = {passed: rank for rank, passed in enumerate(sorted(set(passes.values())), 1)}
    classes = {a: ranks[passes[a]] for a in marks}
    for a in marks:
        if _exchanges(a, marks) != [classes[a] > classes[b] for b in marks]:
            raise AssertionError(
                f"the engine's order of U+{ord(a):04X} and other marks is not that of classes"
            )
    return classes


def compositions() -> dict[str, str]:
    """Pairs of characters that become one, Hangul excepted.

    Looked for among all pairs of a character that has a decomposition or begins one and a character that
    ends one.
    """
    decompositions = canonical_decompositions()
    seconds = sorted({d[-1] for d in decompositions.values() if len(d) > 1})
    firsts = sorted(
        {c for c in {d[0] for d in decompositions.values()} | decompositions.keys() if _nfc(c) == c}
    )
    pairs = ((a, b) for a in firsts for b in seconds)
    # Where the decompositions are reordered, `a` and `b` never meet in the course of a composition.
    return {a + b: c for a, b in pairs if len(c := _nfc(a + b)) == 1 and _nfd(a + b) == _nfd(a) + _nfd(b)}


def _exchanges(mark: str, others: list[str]) -> list[bool]:
    """For each other mark, whether the engine puts it before `mark` when it stands behind."""
    probe = "".join("a" + mark + other for other in others)
    result = _nfd(probe)
    return [result[3 * i + 1] != mark for i in range(len(others))]


def _is_hangul(char: str) -> bool:
    return _HANGUL <= char <= "\ud7a3"


def sections() -> dict[str, list[str]]:
    """All sections of the table, code points in hexadecimal."""
    ranks: dict[int, list[str]] = {}
    for char, rank in combining_classes().items():
        ranks.setdefault(rank, []).append(_hex(char))
    return {
        "canonical decompositions": [f"{_hex(c)} = {_hex(d)}" for c, d in canonical_decompositions().items()],
        "compatibility decompositions": [
            f"{_hex(c)} = {_hex(d)}" for c, d in compatibility_decompositions().items()
        ],
        "compositions": [f"{_hex(pair)} = {_hex(c)}" for pair, c in compositions().items()],
        "combining classes": [f"{rank} = {' '.join(chars)}" for rank, chars in sorted(ranks.items())],
    }


def _hex(text: str) -> str:
    return " ".join(f"{ord(c):x}" for c in text)
