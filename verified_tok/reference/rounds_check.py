"""For which vocabularies rounds are exact: the checks of ``lean/VerifiedTok/Spec/RoundsCheck.lean``.

`check_live_monotone` is the quick answer: no early rule, no difference (``encodePiece_eq_rounds``).
`find_disagreement` is the exact one (``encodePiece_eq_rounds_iff_check``): it finds symbols on which rounds
and single merges differ, or there are none at all.

A vocabulary comes as its rank table and the symbols of each of its tokens: the initial tokens, of bytes or of
characters, that the token spells. It must list every initial token, each its own symbol, and every result.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, product
from typing import NamedTuple

from verified_tok.errors import UnsupportedConstruct, UnsupportedTokenizer
from verified_tok.reference.bpe import Rule, Table, best, merge_at, selected
from verified_tok.reference.model import encoder
from verified_tok.reference.rounds import agree
from verified_tok.spec import Model, RankBpe

Symbols = Mapping[int, Sequence[int]]
"""The initial tokens that each token of a vocabulary spells."""


class LiveRule(NamedTuple):
    """A rule that can fire in a run from initial tokens."""

    left: int
    right: int
    rank: int
    result: int


class EarlyRule(NamedTuple):
    """A live rule whose rank is not above that of the live rule which makes ``part``, one of its parts."""

    rule: LiveRule
    part: int


def symbols_of(model: Model) -> dict[int, list[int]]:
    """The symbols of every token of a model that a run can begin with or end in.

    Raises UnsupportedTokenizer if merges make an initial token, which would then spell itself and its parts.
    """
    made = encoder(model)
    if isinstance(model, RankBpe):
        return {id: [made.table.byte_token[byte] for byte in data] for data, id in model.ranks.items()}
    initial = {*made.chars.values(), *made.byte_tokens, made.unk} - {None}
    results = {result for _, _, result in model.merges}
    if both := initial & results:
        texts = sorted(text for text, id in model.vocab.items() if id in both)
        remedy = "no merge may make the token of a character or byte"
        raise UnsupportedTokenizer((UnsupportedConstruct("model.merges", texts, remedy),))
    # A result with a character that has no token is left out: no run comes to it.
    return {id: [id] for id in initial if id is not None} | {
        id: [made.chars[char] for char in text]
        for text, id in model.vocab.items()
        if id in results and all(char in made.chars for char in text)
    }


def rules_of(model: Model) -> dict[tuple[int, int], Rule]:
    """Every rule of a model, listed: of ranks, every pair whose bytes together have a rank."""
    return dict(encoder(model).table.rules)


def monotone_violations(rules: Mapping[tuple[int, int], Rule]) -> list[tuple[int, int]]:
    """The pairs whose rank is not above that of every rule which makes one of the pair's tokens.

    If there are none, rounds are exact from any tokens (``Monotone.roundAll_eq_mergeAll``).
    """
    highest: dict[int, int] = {}
    for rule in rules.values():
        highest[rule.result] = max(rule.rank, highest.get(rule.result, rule.rank))
    return [pair for pair, rule in rules.items() if any(highest.get(t, -1) >= rule.rank for t in pair)]


def last_rule(table: Table, tokens: Sequence[int]) -> LiveRule | None:
    """The last rule of the run from ``tokens``, if the run ends in a single token."""
    merged = list(tokens)
    while found := best(table, merged):
        rank, i, result = found
        if len(merged) == 2:
            return LiveRule(merged[0], merged[1], rank, result)
        merged[i : i + 2] = [result]
    return None


def live_rules(table: Table, symbols: Symbols) -> dict[int, LiveRule]:
    """The live rules of a vocabulary, by their results: a token has at most one."""
    found = (last_rule(table, spelled) for spelled in symbols.values())
    return {rule.result: rule for rule in found if rule}


def early_rules(live: Mapping[int, LiveRule]) -> list[EarlyRule]:
    """The live rules that can overtake another one."""
    return [
        EarlyRule(rule, part)
        for rule in live.values()
        for part in dict.fromkeys((rule.left, rule.right))
        if part in live and rule.rank <= live[part].rank
    ]


def check_live_monotone(table: Table, symbols: Symbols) -> list[EarlyRule]:
    """The rules that violate ``LiveMonotone``. If there are none, rounds are exact on all initial tokens."""
    return early_rules(live_rules(table, symbols))


def overtaken(table: Table, tokens: Sequence[int]) -> bool:
    """In the run from ``tokens``, some merge opens a pair of its own rank or of a lower one while another
    pair of its rank waits on the right."""
    merged = list(tokens)
    while found := best(table, merged):
        rank, i, result = found
        behind = (selected(table, merged, j) for j in range(i + 2, len(merged)))
        waits = any(rule and rule.rank == rank for rule in behind)
        merged = merge_at(merged, i, result)
        beside = (selected(table, merged, j) for j in (i - 1, i))
        if waits and any(rule and rule.rank <= rank for rule in beside):
            return True
    return False


def straddling_pairs(live: Mapping[int, LiveRule], symbols: Symbols) -> Iterator[tuple[int, int]]:
    """The pairs of tokens across whose border a merge may be overtaken: an early rule can fire inside the
    first token, or at the border, while a pair of the rank that it overtakes waits inside the second.
    Pairs may repeat.
    """
    spellings = _Spellings(symbols)
    makes = defaultdict(list)
    for rule in live.values():
        makes[rule.rank].append(rule.result)
    for rule, part in early_rules(live):
        for waiting in makes[live[part].rank]:
            holders = spellings.inside(symbols[waiting])
            yield from product(spellings.inside(symbols[rule.result]), holders)
            before = spellings.suffix(symbols[rule.left])
            if part == rule.left:
                yield from product(before, holders & spellings.prefix(symbols[rule.right]))
            if part == rule.right:
                behind = spellings.prefix_before(symbols[rule.right], symbols[waiting])
                yield from product(before, behind)


def find_disagreement(table: Table, symbols: Symbols) -> list[int] | None:
    """Initial tokens on which rounds and single merges differ; if it is None, there are none of any length.

    Compared are the tokens in which a merge is overtaken, alone and beside every token, and the straddling
    pairs. Most of the time goes into one run for each token: half a minute for a vocabulary of 250,000.
    """
    live = live_rules(table, symbols)
    early = {rule.result for rule, _ in early_rules(live)}
    # A merge is overtaken only where an early rule fires, and the token then spells its result
    # (`Spelling.overtaken_early` in lean/VerifiedTok/Thm/Rounds/Exact.lean).
    spellings = _Spellings(symbols)
    suspects = set().union(*(spellings.inside(symbols[result]) for result in early))
    bad = [token for token in suspects if overtaken(table, symbols[token])]
    straddling = sorted(
        set(straddling_pairs(live, symbols)), key=lambda pair: (sum(len(symbols[x]) for x in pair), pair)
    )
    pairs = chain(straddling, product(bad, symbols), product(symbols, bad))
    inputs: Iterable[list[int]] = chain(
        ([*symbols[x]] for x in bad), ([*symbols[x], *symbols[y]] for x, y in pairs)
    )
    return next((tokens for tokens in inputs if not agree(table, tokens)), None)


class _Spellings:
    """Finds the tokens that hold some symbols: all spellings in one string, a character for each symbol."""

    def __init__(self, symbols: Symbols) -> None:
        self._symbols = symbols
        self._tokens = list(symbols)
        spelled = [self._text(symbols[token]) for token in self._tokens]
        self._starts = list(accumulate((len(text) + 1 for text in spelled), initial=1))
        self._all = "\0".join(("", *spelled, ""))

    def _text(self, symbols: Sequence[int]) -> str:
        return "".join(chr(1 + symbol) for symbol in symbols)

    def inside(self, symbols: Sequence[int]) -> set[int]:
        return self._find(self._text(symbols), 0)

    def prefix(self, symbols: Sequence[int]) -> set[int]:
        return self._find("\0" + self._text(symbols), 1)

    def suffix(self, symbols: Sequence[int]) -> set[int]:
        return self._find(self._text(symbols) + "\0", 0)

    def prefix_before(self, first: Sequence[int], later: Sequence[int]) -> set[int]:
        """The tokens that begin with ``first`` and hold ``later`` behind it."""
        text = self._text(later)
        return {
            token for token in self.prefix(first) if text in self._text(self._symbols[token][len(first) :])
        }

    def _find(self, text: str, skip: int) -> set[int]:
        found, at = set(), self._all.find(text)
        while at >= 0:
            place = bisect_right(self._starts, at + skip) - 1
            found.add(self._tokens[place])
            at = self._all.find(text, self._starts[place + 1] - skip)
        return found
