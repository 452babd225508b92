"""Vectors for `Spec/Search.lean`: which tokens merges make, and which of them stay apart."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from spec.vectors import lean_text as lean
from spec.vectors.rounds import Merges, Symbols, merges, of_tables
from verified_tok.reference.bpe import Rule, Table
from verified_tok.reference.rounds_check import LiveRule
from verified_tok.reference.search import (
    birth,
    live_table,
    made,
    ranks_grow,
    search,
    stay_apart,
    stay_apart_all,
)

RANDOM_TABLES = 3
LISTS = 1

# Each table with what it is there to show.
EDGE_CASES = (
    ("A merge between two tokens before those that take them.", merges("a+b", "b+a", "ab+a", "ba+b")),
    ("The same merges, of which the other comes first.", merges("b+a", "a+b", "ab+a", "ba+b")),
    ("Ranks that fall mislead.", merges("b+ab", "a+b")),
    ("Two rules for one token, of which one is dead.", merges("a+b", "b+a", "ab+a", "a+ba")),
    ("Of one letter: the leftmost goes first.", merges("a+a", "aa+a", "aa+aa", "aaa+aa")),
)


def module() -> str:
    """The text of `lean/VerifiedTok/Vectors/Search.lean`."""
    imports = [f"VerifiedTok.Spec.{name}" for name in ("Search", "Tables")]
    return lean.module("Tokens that stay apart", imports, _body())


def _body() -> Iterator[str]:
    return of_tables("search", EDGE_CASES, RANDOM_TABLES, _examples)


def _examples(number: int, listed: Merges, symbols: Symbols, rng: random.Random) -> Iterator[str]:
    table = Table(
        (), {(left, right): Rule(rank, result) for rank, (left, right, result) in enumerate(listed)}
    )
    t, sym, voc = (f"{name}{number}" for name in ("table", "symbols", "tokens"))
    merged = ", ".join(f"⟨{left}, {right}, {result}⟩" for left, right, result in listed)
    yield f"def {t} : Table := ofMerges UInt8.toNat [{merged}]"
    yield f"def {sym} (c : Token) : List Token := [{', '.join(map(lean.nats, symbols.values()))}].getD c []"
    yield f"def {voc} : List Token := {lean.nats(symbols)}"
    births = ", ".join(_birth(birth(table, symbols, token)) for token in symbols)
    yield lean.example(f"{voc}.map (birth {t} {sym})", f"[{births}]")
    grown = lean.nats(token for token in symbols if ranks_grow(table, symbols[token]))
    yield lean.example(f"({voc}.filter fun c => ranksGrow {t} ({sym} c).length 0 ({sym} c))", grown)
    yield lean.example(f"{voc}.filter (made {t} {sym})", lean.nats(filter(_made(table, symbols), symbols)))
    every = f"({voc}.flatMap fun l => {voc}.map fun r => (l, r))"
    apart = [
        (left, right) for left in symbols for right in symbols if stay_apart(table, symbols, left, right)
    ]
    yield lean.example(f"({every}.filter fun p => stayApart {t} {sym} p.1 p.2)", lean.pairs(apart))
    for _ in range(LISTS):
        tokens = rng.choices([*symbols], k=3)
        answer = str(stay_apart_all(table, symbols, tokens)).lower()
        yield lean.example(f"stayApartAll {t} {sym} {lean.nats(tokens)}", answer)
    letters = [token for token in symbols if len(symbols[token]) == 1]
    w = rng.choices(letters, k=8)
    known = [token for token in symbols if made(table, symbols, token)]
    fits = f"fun w => {lean.nats(known)}.filter fun c => ({sym} c).isPrefixOf w"
    found = search(
        table, symbols, lambda rest: [c for c in known if [*rest[: len(symbols[c])]] == [*symbols[c]]], w
    )
    answer = lean.option(None if found is None else lean.nats(found))
    yield lean.example(f"search {t} {sym} ({fits}) {lean.nats(w)}", answer)
    rules = live_table(table, symbols).rules
    looks = ", ".join(f"(liveTable {t} {sym}).look {left} {right}" for left, right in table.rules)
    kept = ", ".join(
        lean.option(f"({rule.rank}, {rule.result})" if pair in rules else None)
        for pair, rule in table.rules.items()
    )
    yield lean.example(f"[{looks}]", f"[{kept}]")
    yield ""


def _made(table: Table, symbols: Symbols) -> Callable[[int], bool]:
    return lambda token: made(table, symbols, token)


def _birth(found: LiveRule | None) -> str:
    return lean.option(f"({found.left}, {found.right}, {found.rank})" if found else None)
