"""Where the native core cuts pieces of real vocabularies: only at places that the proof allows, and at most
of those (``encodePiece_flatten_of_noLiveMeet`` in `lean/VerifiedTok/Thm/Cuts.lean`)."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest

from verified_tok.fetch import open_family
from verified_tok.native.model import Sections, sections
from verified_tok.reference.boundary import no_meet
from verified_tok.reference.bpe import Rule, Table
from verified_tok.reference.byte_level import unspell
from verified_tok.reference.model import encoder
from verified_tok.reference.rounds_check import last_rule, symbols_of
from verified_tok.spec import MergeBpe

# Llama 3.1 lists many dead rules and entries that are for whole pieces only.
FAMILIES = ("qwen3", "llama-3.1")
TEXT = (
    "人民代表大会常务委员会关于修改中华人民共和国的决定我们今天讨论的问题是如何提高中文分词的速度"
    "日本語のテキストをトークンに分割する方法についてはいくつかの考え方があります"
    "한국어문장을토큰으로나누는방법에대하여여러가지생각이있습니다ภาษาไทยไม่มีช่องว่างระหว่างคำ"
)


def cut_by(tables: Sections) -> Callable[[str, str], bool]:
    """What `cuts.h` says of two characters."""
    pairs, bound = ([int(word) for word in tables[name]] for name in ("cut_pairs", "cut_bound"))
    shift = 64 - (len(pairs) * 64).bit_length() + 1

    def cut(left: str, right: str) -> bool:
        x, y = ord(left), ord(right)
        place = ((x << 16 | y) * 0x9E3779B97F4A7C15 & 2**64 - 1) >> shift
        behind, before = bound[x >> 5] >> (x & 31) * 2 + 1 & 1, bound[y >> 5] >> (y & 31) * 2 & 1
        return not (pairs[place >> 6] >> (place & 63) & 1 or behind or before)

    return cut


class Joins:
    """The live rules of a vocabulary that may meet between two characters of three bytes."""

    def __init__(self, model: MergeBpe) -> None:
        self.table, self.symbols = encoder(model).table, symbols_of(model)
        self.spelled = {id: unspell(text) for text, id in model.vocab.items() if id in self.symbols}
        self.by_right = defaultdict(list)
        for a, b in self.table.rules:
            if 0xE0 <= self.spelled[b][0] < 0xF0:
                self.by_right[self.spelled[b][:3]].append((a, b))

    def is_live(self, a: int, b: int) -> bool:
        last = last_rule(self.table, self.symbols[self.table.rules[a, b].result])
        return last is not None and (last.left, last.right) == (a, b)

    def apart(self, left: str, right: str) -> bool:
        """The condition of the theorem."""
        x, y = left.encode(), right.encode()
        begun = {pair: self.table.rules[pair] for size in (1, 2, 3) for pair in self.by_right[y[:size]]}

        def meets(rules: dict[tuple[int, int], Rule]) -> bool:
            return not no_meet(Table((), rules), self.spelled.__getitem__, x, y)

        return not meets(begun) or not any(
            meets({pair: rule}) and self.is_live(*pair) for pair, rule in begun.items()
        )

    def joined(self) -> Iterator[tuple[str, str]]:
        """Characters that meet where some rule joins two tokens."""
        for pairs in self.by_right.values():
            for a, b in pairs:
                left, right = (self.spelled[token].decode(errors="ignore") for token in (a, b))
                if left and right and min(left[-1], right[0]) >= "\u0800":
                    yield left[-1], right[0]


@pytest.mark.parametrize("name", FAMILIES)
def test_cuts_are_where_no_live_rule_meets(name: str) -> None:
    model = open_family(name).spec.model
    assert isinstance(model, MergeBpe)
    cut, joins = cut_by(sections(model, True, frozenset())), Joins(model)
    rng = random.Random(name)
    near = [pair for pair in pairwise(TEXT) if min(pair) >= "\u0800"]
    mixed = [(rng.choice(TEXT), rng.choice(TEXT)) for _ in range(2_000)]
    joined = rng.sample([*joins.joined()], 1_000)
    allowed = {pair: joins.apart(*pair) for pair in [*near, *mixed, *joined]}
    assert not [pair for pair, apart in allowed.items() if cut(*pair) and not apart]
    assert sum(not apart for apart in allowed.values()) > 500
    missed = [pair for pair in mixed if allowed[pair] and not cut(*pair)]
    assert len(missed) < len(mixed) / 4
