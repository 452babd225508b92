"""Small vocabularies over two or three letters, with rules in every order."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

from hypothesis import strategies as st

from verified_tok.reference.bpe import Rule, Table
from verified_tok.reference.rounds import agree

LONGEST = 7  # of the inputs that stand for all: the smallest disagreement of these tables is shorter


@dataclass(frozen=True)
class Small:
    """A small vocabulary: its initial tokens are `0 … letters - 1`; `spelled` has each token's symbols."""

    letters: int
    rules: Mapping[tuple[int, int], Rule]
    spelled: Mapping[int, tuple[int, ...]]

    @property
    def table(self) -> Table:
        return Table(tuple(range(self.letters)), self.rules)

    def disagrees(self) -> bool:
        """Some input up to `LONGEST` symbols tells rounds and single merges apart."""
        inputs = (w for n in range(LONGEST + 1) for w in product(range(self.letters), repeat=n))
        return not all(agree(self.table, w) for w in inputs)


def small(random: random.Random) -> Small:
    """Two or three letters and up to seven tokens made of them, with one rule for each token or several, in
    the order in which they are made or in some other, now and then with rules of equal rank."""
    letters = random.randint(2, 3)
    spelled: dict[int, tuple[int, ...]] = {letter: (letter,) for letter in range(letters)}
    for _ in range(random.randint(1, 7)):
        text = spelled[random.choice([*spelled])] + spelled[random.choice([*spelled])]
        if text not in spelled.values():
            spelled[len(spelled)] = text
    token = {text: number for number, text in spelled.items()}
    pairs = [
        pair
        for text in spelled.values()
        if (cuts := [cut for cut in range(1, len(text)) if {text[:cut], text[cut:]} <= token.keys()])
        for cut in (cuts if random.random() < 0.5 else random.sample(cuts, 1))
        for pair in [(token[text[:cut]], token[text[cut:]])]
    ]
    order = list(range(len(pairs)))
    for _ in range(random.choice((0, 1, 2, 9))):
        i, j = random.choices(order, k=2)
        order[i], order[j] = order[j], order[i]
    if random.random() < 0.2:
        order = [rank // 2 for rank in order]
    rules = {
        pair: Rule(rank, token[spelled[pair[0]] + spelled[pair[1]]])
        for pair, rank in zip(pairs, order, strict=True)
    }
    return Small(letters, rules, spelled)


smalls = st.randoms(use_true_random=False).map(small)
