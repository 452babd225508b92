"""Places that merges do not cross, as ``Spec/Boundary.lean`` and ``Spec/Cuts.lean`` say it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from verified_tok.reference.bpe import Table, best, encode_piece, merge_at


def apart(table: Table, left: Sequence[int], right: Sequence[int]) -> bool:
    """No merge of the run on ``left + right`` takes a token from each side."""
    left, right = list(left), list(right)
    while found := best(table, left + right):
        _, i, c = found
        if i + 1 == len(left):
            return False
        if i < len(left):
            left = merge_at(left, i, c)
        else:
            right = merge_at(right, i - len(left), c)
    return True


def no_straddle(table: Table, bytes_of: Callable[[int], bytes], x: bytes, y: bytes) -> bool:
    """No result of a rule holds ``x`` directly before ``y``."""
    return all(x + y not in bytes_of(rule.result) for rule in table.rules.values())


def no_join(table: Table, bytes_of: Callable[[int], bytes], x: bytes, y: bytes) -> bool:
    """No rule joins a token that ends in ``x`` to a token that begins with ``y``."""
    return not any(bytes_of(a).endswith(x) and bytes_of(b).startswith(y) for a, b in table.rules)


def no_rule_across(table: Table, bytes_of: Callable[[int], bytes], left: bytes, right: bytes) -> bool:
    """Of no rule, the left token ends ``left`` and the right one begins ``right``.

    Then merges do not cross between the two (``encodePiece_append_of_noRuleAcross``).
    """
    return not any(left.endswith(bytes_of(a)) and right.startswith(bytes_of(b)) for a, b in table.rules)


def no_meet(table: Table, bytes_of: Callable[[int], bytes], x: bytes, y: bytes) -> bool:
    """No rule joins a token that may end a text which ends in ``x`` to one that may begin a text with ``y``.

    For characters of several bytes, of which a token may be a part. It is `no_rule_across` whatever stands
    around them (``noMeet_iff``).
    """

    def may_end(a: bytes) -> bool:
        return a.endswith(x) or x.endswith(a)

    def may_begin(b: bytes) -> bool:
        return b.startswith(y) or y.startswith(b)

    return not any(may_end(bytes_of(a)) and may_begin(bytes_of(b)) for a, b in table.rules)


def canonical(table: Table, bytes_of: Callable[[int], bytes], token: int) -> bool:
    """The encoder reaches the token: the encoding of its bytes is the token itself."""
    return encode_piece(table, bytes_of(token)) == [token]


def pairwise_canonical(table: Table, bytes_of: Callable[[int], bytes], tokens: Sequence[int]) -> bool:
    """Each token is canonical, and each two neighbours are the encoding of their bytes.

    For a valid table this holds exactly for the lists of tokens that are encodings of their bytes.
    """
    return all(canonical(table, bytes_of, token) for token in tokens) and all(
        encode_piece(table, bytes_of(a) + bytes_of(b)) == [a, b] for a, b in pairwise(tokens)
    )
