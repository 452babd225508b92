"""The tables of added tokens: a trie of the literals of each pass, and the filter before it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

import numpy as np
import numpy.typing as npt

from verified_tok.native import Sections
from verified_tok.native.two_stage import two_stage
from verified_tok.reference.added_tokens import Literals
from verified_tok.reference.classes import char_class
from verified_tok.reference.pipeline import Pipeline
from verified_tok.spec import AddedToken, Dialect

KINDS = {"literal space": 1, "literal word": 2, "strip": 4}
"""The bit of each class of characters, as in `_core/literals.h`."""

_BUCKETS = 8
_ANY_BYTE = range(256)


def literal_arrays(pipeline: Pipeline) -> Sections:
    """The sections of both passes for a choice of added tokens."""
    return {**_pass("raw", pipeline.raw), **_pass("normalized", pipeline.normalized)}


def kind_arrays() -> Sections:
    """The sections of the classes that added tokens and `Strip` ask about; the same for every tokenizer."""
    kinds = np.zeros(0x110000, np.uint8)
    for name, bit in KINDS.items():
        for first, last in char_class(name, Dialect.ONIGURUMA).ranges:
            kinds[first : last + 1] |= bit
    block, [kind] = two_stage(kinds)
    return {"kind_block": block, "kind": kind}


def _pass(name: str, literals: Literals) -> Sections:
    tokens = {literal.encode(): token for literal, token in literals.tokens.items()}
    spelled = sorted(tokens)
    child, byte, literal = trie(spelled)
    flags = [_flags(tokens[literal]) for literal in spelled]
    return {
        f"{name}_child": np.array(child, np.uint32),
        f"{name}_byte": np.array(byte, np.uint8),
        f"{name}_literal": np.array(literal, np.int32),
        f"{name}_filter": pair_filter({literal[:2] for literal in spelled}),
        f"{name}_id": np.array([tokens[literal].id for literal in spelled], np.uint32),
        f"{name}_flags": np.array(flags if any(flags) else [], np.uint8),
    }


def _flags(token: AddedToken) -> int:
    return token.lstrip | token.rstrip << 1 | token.single_word << 2


def trie(literals: list[bytes]) -> tuple[list[int], list[int], list[int]]:
    """The trie of sorted byte strings, its nodes in breadth-first order: for each node where its children
    begin (and one number more, behind the last's), the byte that leads to it, and the string that ends there
    (or -1).

    >>> trie([b"a", b"ab", b"ac"])
    ([1, 2, 4, 4, 4], [0, 97, 98, 99], [-1, 0, 1, 2])
    """
    child: list[int] = []
    byte, literal = [0], [-1]
    nodes = [range(len(literals))]  # the strings below each node
    depth = 0
    while nodes:
        below: list[range] = []
        for strings in nodes:
            child.append(len(byte))
            if strings and len(literals[strings[0]]) == depth:
                strings = strings[1:]  # the string that ends here
            for members in _by_byte(literals, strings, depth):
                first = literals[members[0]]
                below.append(members)
                byte.append(first[depth])
                literal.append(members[0] if len(first) == depth + 1 else -1)
        nodes, depth = below, depth + 1
    return [*child, len(byte)], byte, literal


def _by_byte(literals: list[bytes], strings: range, depth: int) -> Iterator[range]:
    """The strings in parts that have the same byte at `depth`."""
    if len(strings) == 1:  # as mostly
        yield strings
        return
    start = strings.start
    for _, members in groupby(strings, lambda s: literals[s][depth]):
        stop = start + sum(1 for _ in members)
        yield range(start, stop)
        start = stop


def pair_filter(beginnings: Iterable[bytes]) -> npt.NDArray[np.uint8]:
    """What pairs of bytes begin a literal, given the first two bytes of each (or the one that it is).

    A bucket is a bit: a pair is let through if both of its bytes are in the same bucket. Pairs that share the
    first byte and the upper half of the second share a bucket, so up to eight such groups are told apart
    exactly even by the half bytes that SIMD look-ups are made with.
    """
    groups: dict[tuple[int, int], set[int]] = {}
    for beginning in beginnings:
        if len(beginning) == 1:
            groups[beginning[0], -1] = set(_ANY_BYTE)
        else:
            groups.setdefault((beginning[0], beginning[1] >> 4), set()).add(beginning[1])
    table = np.zeros(2 * 256 + 4 * 16, np.uint8)
    first, second = table[:256], table[256:512]
    halves = table[512:].reshape(4, 16)
    for number, ((lead, _), seconds) in enumerate(sorted(groups.items())):
        bit = 1 << number % _BUCKETS
        first[lead] |= bit
        halves[0, lead & 15] |= bit
        halves[1, lead >> 4] |= bit
        for value in seconds:
            second[value] |= bit
            halves[2, value & 15] |= bit
            halves[3, value >> 4] |= bit
    return table
