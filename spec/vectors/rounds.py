"""Vectors for `Spec/Rounds.lean` and `Spec/RoundsCheck.lean`: tables on which rounds are right, and wrong."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence

from spec.vectors import lean_text as lean
from verified_tok.reference import rounds, rounds_check
from verified_tok.reference.bpe import Rule, Table, best

Merges = Sequence[tuple[int, int, int]]
Symbols = Mapping[int, Sequence[int]]

EdgeCase = tuple[str, tuple[Merges, Symbols]]
"""What it is there to show, and a table."""

Examples = Callable[[int, Merges, Symbols, random.Random], Iterator[str]]
"""The examples of a table: of its number, its rules, its symbols, and chance."""

RANDOM_TABLES = 4
INPUTS = 2


def merges(*pairs: str) -> tuple[Merges, Symbols]:
    """Merges such as `ab+a`, lowest rank first, and the symbols of their tokens, with 0 for `a`."""
    parts = [tuple(pair.split("+")) for pair in pairs]
    letters = sorted({letter for left, right in parts for letter in left + right})
    tokens = list(dict.fromkeys([*letters, *(left + right for left, right in parts)]))
    number = {text: i for i, text in enumerate(tokens)}
    return (
        [(number[left], number[right], number[left + right]) for left, right in parts],
        {number[text]: [number[letter] for letter in text] for text in tokens},
    )


# Each table with what it is there to show.
EDGE_CASES = (
    ("In the order in which the tokens are made.", merges("a+b", "ab+a", "ab+ab")),
    ("Three of a letter rank below two.", merges("aa+a", "a+a")),
    ("An early rule at the border of two tokens.", merges("ba+b", "b+a")),
    ("An early rule that does no harm.", merges("ab+c", "a+b")),
    ("A rule that ranks too low and cannot fire.", merges("b+c", "ab+c", "a+b", "a+bc")),
    ("One overtaken in the left of two tokens.", merges("ab+ab", "ab+a", "a+b", "b+c", "aba+b")),
    ("One overtaken in the right of two.", merges("ba+ba", "ba+b", "b+bab", "bab+a", "b+a")),
    ("An early rule before a token that holds the waiting pair.", merges("ab+ab", "c+ab", "a+b")),
)


def random_merges(rng: random.Random) -> tuple[Merges, Symbols]:
    """A few tokens over two letters, each made of two others, in any order."""
    texts, pairs = ["a", "b"], []
    for _ in range(rng.randint(2, 4)):
        left, right = rng.choices(texts, k=2)
        if left + right not in texts:
            texts.append(left + right)
            pairs.append(f"{left}+{right}")
    rng.shuffle(pairs)
    return merges(*pairs)


def module() -> str:
    """The text of `lean/VerifiedTok/Vectors/Rounds.lean`."""
    imports = [f"VerifiedTok.Spec.{name}" for name in ("RoundsCheck", "Tables")]
    return lean.module("Rounds", imports, _body())


def _body() -> Iterator[str]:
    return of_tables("rounds", EDGE_CASES, RANDOM_TABLES, _examples)


def of_tables(
    seed: str, edge_cases: Sequence[EdgeCase], random_tables: int, examples: Examples
) -> Iterator[str]:
    """The examples of edge cases, each under its comment, and of random tables."""
    rng = random.Random(seed)
    for number, (comment, (listed, symbols)) in enumerate(edge_cases):
        yield f"/-! {comment} -/"
        yield from examples(number, listed, symbols, rng)
    yield "/-! Random tables -/"
    for number in range(len(edge_cases), len(edge_cases) + random_tables):
        yield from examples(number, *random_merges(rng), rng)


def _examples(number: int, listed: Merges, symbols: Symbols, rng: random.Random) -> Iterator[str]:
    table = Table((), {(left, right): Rule(rank, made) for rank, (left, right, made) in enumerate(listed)})
    t, sym, voc, live = (f"{name}{number}" for name in ("t", "sym", "voc", "live"))
    merged = ", ".join(f"⟨{left}, {right}, {result}⟩" for left, right, result in listed)
    yield f"def {t} : Table := ofMerges UInt8.toNat [{merged}]"
    yield f"def {sym} (c : Token) : List Token := [{', '.join(map(lean.nats, symbols.values()))}].getD c []"
    yield f"def {voc} : List Token := {lean.nats(symbols)}"
    yield f"def {live} := liveRules {t} {sym} {voc}"
    rules = rounds_check.live_rules(table, symbols)
    listing = [f"({left}, {right}, {rank}, {result})" for left, right, rank, result in rules.values()]
    yield lean.example(live, f"[{', '.join(listing)}]")
    monotone = not rounds_check.check_live_monotone(table, symbols)
    yield lean.example(f"checkLiveMonotone {t} {sym} {voc}", _bool(monotone))
    straddling = sorted({*rounds_check.straddling_pairs(rules, symbols)})
    every = f"({voc}.flatMap fun x => {voc}.map fun y => (x, y))"
    picked = f"{every}.filter fun p => straddles {live} {sym} p.1 p.2"
    yield lean.example(f"({picked})", lean.pairs(straddling))
    found = rounds_check.find_disagreement(table, symbols)
    yield lean.example(f"checkPairsAgree {t} {sym} {voc}", _bool(found is None))
    letters = [token for token, spelled in symbols.items() if len(spelled) == 1]
    inputs = [rng.choices(letters, k=8) for _ in range(INPUTS)]
    for tokens in inputs if found is None else [found, *inputs]:
        yield from _run(t, table, tokens)
    yield ""


def _run(t: str, table: Table, tokens: Sequence[int]) -> Iterator[str]:
    """The whole run, and its first round both ways."""
    w = lean.nats(tokens)
    yield lean.example(f"roundAll {t} {w}", lean.nats(rounds.round_all(table, tokens)))
    yield lean.example(f"overtaken {t} {len(tokens)} {w}", _bool(rounds_check.overtaken(table, tokens)))
    if optimal := best(table, tokens):
        k = optimal[0]
        yield lean.example(f"round {t} {k} {w}", lean.nats(rounds.round_(table, k, tokens)))
        yield lean.example(f"roundParallel {t} {k} {w}", lean.nats(rounds.round_parallel(table, k, tokens)))


def _bool(value: bool) -> str:
    return str(value).lower()
