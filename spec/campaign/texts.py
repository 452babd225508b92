"""Texts to compare on: named ones that engines have stumbled over, code points, vocabularies, real text."""

from __future__ import annotations

import ast
import random
import unicodedata
import zipfile
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from pathlib import Path

from verified_tok.reference.charset import ALL
from verified_tok.reference.classes import char_class
from verified_tok.registry import Package, Registry, download
from verified_tok.spec import Dialect, MergeBpe
from verified_tok.tokenizer import Tokenizer

SCALARS = "".join(ALL)
"""Every scalar value."""

# --- named texts -------------------------------------------------------------------------------------


def _chars(*ranges: tuple[int, int]) -> str:
    return "".join(chr(c) for first, last in ranges for c in range(first, last + 1))


_NEWEST = _chars(  # of Unicode 17: letters, numbers, marks and signs
    *[(0x088F, 0x088F), (0x0C5C, 0x0C5C), (0x0CDC, 0x0CDC), (0x1ACF, 0x1ADD), (0x1AE0, 0x1AEB)],
    *[(0x20C1, 0x20C1), (0xA7CE, 0xA7CF), (0xA7D2, 0xA7D2), (0xA7D4, 0xA7D4), (0xA7F1, 0xA7F1)],
    *[(0x10940, 0x10959), (0x11B60, 0x11B67), (0x11DB0, 0x11DDB), (0x11DE0, 0x11DE9)],
    *[(0x16EA0, 0x16EB8), (0x16EBB, 0x16ED3), (0x16FF2, 0x16FF6), (0x1E6C0, 0x1E6DE)],
    *[(0x1F6D8, 0x1F6D8), (0x1FA8A, 0x1FA8A), (0x323B0, 0x323BF), (0x33470, 0x33479)],
)
_MARKS = "".join([c for c in SCALARS if unicodedata.category(c).startswith("M")][::4]) + _NEWEST
_SPACES = "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u180e\u200b\u2028\u2029\u202f\u205f\u2060\u3000\ufeff"
_SPACES += _chars((0x2000, 0x200A))
_NUMBERS = "0٣२๙᧙０𝟗𑜰²¹½¼⅐ⅧⅯↀↅ〇〡㆒①⓪❿㉈፩௧༳𐄇"
_LETTERS = "ʰˁªºᵃⁿₐʼˮːꟸー々〆〻ゝㄱㆍ中龥ࠀא ش ก ǅᾈſßẞıİK Å Ω ﬀﬁﬂﬅﬆﬓ"
_CONTRACTIONS = ["s", "t", "re", "ve", "m", "ll", "d"]
_REPRESENTATIVES = " \t\r\nasA1'./中\u0301"
_EMOJI = "👩‍💻 👨‍👩‍👧‍👦 🏳️‍🌈 🇩🇪🇯🇵 1️⃣#️⃣ 👍🏽👍🏿 ☺️☺︎ 🫨🪿 ❤️‍🔥"

SENTENCES = (
    "The cat's whiskers twitched; it didn't move for 12,345 seconds (or so we're told).",
    "L’œuvre d’un garçon naïf coûte 1 234,50 € à Noël.",
    "Größe, Übermut und Straßenfeste — „Zitat“ inbegriffen.",
    "¿Dónde está el niño? ¡Aquí, señor!",
    "Zażółć gęślą jaźń, proszę. Příliš žluťoučký kůň.",
    "İstanbul'da ılık bir gün; IĞDIR'a ağır ağır.",
    "Mỗi đoạn văn bản được cắt thành nhiều mảnh nhỏ.",
    "Съешь ещё этих мягких французских булок, да выпей чаю.",
    "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία· ναι;",
    "Բարեւ, աշխարհ։ ჯართი დაიღალა და წავიდა.",
    "שָׁלוֹם עוֹלָם, זה טקסט לדוגמה.",
    "اَلسَّلَامُ عَلَيْكُمْ، العدد ١٢٣٤ والنص ﻻ ينتهي.",
    "यह एक उदाहरण वाक्य है। संख्या १२३४५।",
    "এটি একটি উদাহরণ বাক্য। ஒரு எடுத்துக்காட்டு வாக்கியம்.",
    "ഇത് ഒരു ഉദാഹരണമാണ്. ఇది ఒక ఉదాహరణ. ಇದು ಒಂದು ಉದಾಹರಣೆ.",
    "นี่คือประโยคตัวอย่างที่ไม่มีการเว้นวรรค ໂຕຢ່າງ",
    "ဤသည်မှာ ဥပမာ ဝါကျတစ်ခု ဖြစ်သည်။ នេះជាប្រយោគឧទាហរណ៍។",
    "འདི་ནི་དཔེ་བརྗོད་ཅིག་རེད། ᠮᠣᠩᠭᠣᠯ ᠪᠢᠴᠢᠭ",
    "ይህ ምሳሌ ዓረፍተ ነገር ነው። ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ ⵜⴰⵎⴰⵣⵉⵖⵜ",
    "我们今天去俱乐部,讨论了3个问题。繁體中文「引號」也要測試。",
    "しないか? カタカナ・ひらがな・漢字 ｶﾀｶﾅ 一二三ヶ月。",
    "한국어 문장도 있습니다. 값은 12,000원이에요.",
    "𐌰𐌱𐌲 𓀀𓁐 𒀀𒁀 𝓗𝓮𝓵𝓵𝓸 ℌ𝔢𝔩𝔩𝔬 ꧋ꦱꦸꦒꦼꦁ꧉",
)
"""Sentences in more than thirty scripts."""


def _named() -> Iterator[tuple[str, str]]:
    yield "nothing", ""
    yield "NUL", "\0 a\0b \0\0 1\0"
    yield "control characters", "".join(f"a{chr(c)}b {chr(c)}1" for c in [*range(32), *range(127, 160)])
    yield "noncharacters", "a\ufdd0\ufffe\uffff\U0001fffe\U0010ffff \ue000\U000f0000\ufffd"
    yield "newest letters", " ".join(f"x{c}'s {c}1{c}" for c in _NEWEST)
    yield "marks before a dot below", "".join(f"a{mark}\u0323" for mark in _MARKS)
    yield "marks after an acute", "".join(f"e\u0301{mark}" for mark in _MARKS)
    yield "decomposed", unicodedata.normalize("NFD", " ".join(SENTENCES))
    yield "compatibility decomposed", unicodedata.normalize("NFKD", " ".join(SENTENCES))
    yield "sentences", "\n".join(SENTENCES)
    yield "sentences without spaces", "".join(SENTENCES).replace(" ", "")
    yield "singletons", "\u212b\u2126\u212a\u037e\u0387\u1fef\u0344 豈\ufa1f"
    yield "what is never composed", "\u0958\u09dc\ufb1d\ufb2a\u2adc\U0001d15e\u0f73"
    yield "Hangul", "\u1112\u1161\u11ab\u1100\u1161 각\u11a7 \uac00\u11a8\u1161\u11ab ㅎㅏㄴ ﾡￂ"
    yield (
        "runs of marks",
        "a" + "\u0301" * 40 + "\u0323" * 40 + "\u0345\u0301" * 20 + "e" + "\u0897\u0323" * 9,
    )
    yield "digit runs", " ".join(c * n for c in "1٣０२" for n in range(1, 13)) + "a1b22c333d4444 ²³¹²³ 1²3½"
    yield "numbers of every kind", " ".join(f"a{c}{c}{c}{c}'s -{c}.{c}" for c in _NUMBERS)
    yield "letters of every kind", " ".join(f"1{c}{c}'{c}a {c}A.{c}" for c in _LETTERS)
    yield (
        "line ends",
        "".join(f"a{''.join(ends)}b." for n in (1, 2, 3, 4) for ends in product("\r\n \t", repeat=n)),
    )
    yield "white space of every kind", "".join(f"a{c}b {c}{c}x{c}\n{c}\r{c} 1{c}." for c in _SPACES)
    yield "white space at the end", "a \n \u3000\u1680\x85\u2028"
    yield (
        "contractions",
        " ".join(
            f"I{mark}{end} x{mark}{end}ame {mark}{end} 1{mark}{end}{mark}{end}"
            for mark in "'’‘ʼ＇`"
            for lower in _CONTRACTIONS
            for end in {lower: 0, lower.upper(): 0, lower.title(): 0, lower.replace("s", "ſ"): 0}
        ),
    )
    yield "letter case", "HTTPServer McDONALD'S iPhone's ǅungla ǅ's ﬁX ẞß İı aǅA ςΣσ ᾈᾀ Ⅷⅷ Ⓐⓐ ᲐᲑ აბ camelABC"
    yield "kana and dots", "".join(f" {chr(c)}.m" for c in range(0x3040, 0x3100))
    yield "edges of ranges", " ".join(f"a{c}{c}b" for c in "一龥龦\u9fff㐀\u4dbf\u3fff가힣\ud7ff\ue000ࠀ豈𠀀")
    yield "every three of some characters", "".join(map("".join, product(_REPRESENTATIVES, repeat=3)))
    yield "punctuation", "".join(f"a{chr(c)}k {chr(c)}k\t{chr(c)}{chr(c)}\n" for c in range(33, 127))
    yield "emoji", _EMOJI + _EMOJI.replace(" ", "")
    yield "marks that stand for spaces", "▁ ▁a a▁ ▁▁ Ġ ĠĠa Ċ ĉ â\x96\x81"
    yield "names of bytes", "<0x0A> <0x41> <0xE4><0xB8><0xAD> <0xff>"
    yield "one name of a byte", "<0x41>"
    for size in (499, 500, 501, 512):
        yield f"a word of {size} bytes", "q" * size
    for run in ("a", "é", "1", "中", "!", "\n", "ab", "aA", "의", "👩‍💻", "\u0301", "'s", "\r\n", "_"):
        yield f"a long run of {run!a}", "x" + run * 600 + "x"
    yield "a long run of spaces", "x" + " " * 5_000 + "x" + "\u3000" * 500 + " \n" * 500


NAMED: Mapping[str, str] = dict(_named())
"""Texts for every family, by what they are about."""


def around_literals(tok: Tokenizer) -> Iterator[str]:
    """Added tokens whole, cut short, one inside the other, and beside what could change them."""
    literals = [token.content for token in tok.spec.added_tokens]
    yield "".join(literals)
    yield " ".join(literals[::-1])
    some = literals[:: max(1, len(literals) // 25)]
    for literal, other in zip(some, some[1:] + some[:1], strict=True):
        yield f"a{literal}b {literal} \n{literal}\u0301{literal}1{other}'s"
        for cut in (1, len(literal) // 2, len(literal) - 1):
            yield f"{literal[:cut]}{other}{literal[cut:]} {literal[cut:]}{literal}{literal[:cut]}"
        yield literal.upper() + literal.lower() + literal.replace("|", "｜")
    yield some[0] * 2000


# --- code points -------------------------------------------------------------------------------------

_CLASSES = ["L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "N", "Nd", "Nl", "No", "P", "S", "Z", "space", "Han"]

COMMON = _chars((0, 0x33FF))
"""Most scripts. Behind it whole blocks are alike."""


@cache
def edges() -> str:
    """The characters on both sides of every edge of a class that patterns use."""
    near = {
        code
        for dialect in Dialect
        for name in _CLASSES
        for first, last in char_class(name, dialect).ranges
        for code in (first - 1, first, last, last + 1)
    }
    return "".join(c for c in SCALARS if ord(c) in near)


def in_context(chars: str, at_a_time: int = 500) -> Iterator[str]:
    """Each character beside letters, a space, a digit, an apostrophe, a line end and itself."""
    for start in range(0, len(chars), at_a_time):
        yield "".join(f"a{c} {c}{c}'s1{c}\n{c}b" for c in chars[start : start + at_a_time])


# --- vocabularies ------------------------------------------------------------------------------------


def token_ids(tok: Tokenizer) -> list[int]:
    """Every id that the tokenizer knows."""
    model = tok.spec.model
    ids = set(model.vocab.values() if isinstance(model, MergeBpe) else model.ranks.values())
    return sorted(ids | {token.id for token in tok.spec.added_tokens})


def ids_that_no_merge_makes(tok: Tokenizer) -> list[int]:
    """Entries of more than one character that only a whole piece or a literal could give."""
    model = tok.spec.model
    if not isinstance(model, MergeBpe):
        return []
    made = {result for _, _, result in model.merges}
    return [id for text, id in model.vocab.items() if len(text) > 1 and id not in made]


def token_text(tok: Tokenizer, id: int) -> str:
    """The text of a token, with U+FFFD for parts of characters."""
    return tok.id_to_bytes(id).decode(errors="replace")


# --- real text ---------------------------------------------------------------------------------------

_DJANGO = Package(Registry.PYPI, "django", "5.2.8", 8_289_692)


@cache
def translations() -> Mapping[str, str]:
    """The interface of a web framework in a hundred languages, by locale."""
    with zipfile.ZipFile(download(_DJANGO)) as wheel:
        names = [name for name in wheel.namelist() if name.startswith("django/conf/locale/")]
        return {name.split("/")[3]: wheel.read(name).decode() for name in names if name.endswith("django.po")}


@cache
def programs() -> Mapping[str, str]:
    """The modules of Python's standard library, by file name."""
    return {path.name: path.read_text("utf-8") for path in sorted(Path(ast.__file__).parent.glob("*.py"))}


# --- mixtures ----------------------------------------------------------------------------------------


_TORN = [
    *SENTENCES,
    *(NAMED[name] for name in ("contractions", "line ends", "digit runs", "letter case", "emoji")),
]


def mixture(rng: random.Random, tok: Tokenizer, ids: list[int]) -> str:
    """Words, tokens, literals, parts of them and any characters, in any order."""
    parts = []
    for _ in range(rng.randrange(1, 16)):
        match rng.randrange(6):
            case 0:
                parts.append(token_text(tok, rng.choice(ids)))
            case 1 if tok.spec.added_tokens:
                literal = rng.choice(tok.spec.added_tokens).content
                start = rng.choice([0, 0, rng.randrange(len(literal))])
                parts.append(literal[start : rng.choice([len(literal), rng.randrange(1, len(literal) + 1)])])
            case 2:
                parts.append(rng.choice(edges()) * rng.choice([1, 1, 2, 5]))
            case 3:
                parts.append(rng.choice(_SPACES) * rng.choice([1, 1, 2, 3]))
            case _:
                text = rng.choice(_TORN)
                start = rng.randrange(len(text))
                parts.append(text[start : start + rng.randrange(1, 9)])
    return "".join(parts)
