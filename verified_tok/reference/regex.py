r"""Reads the regular expression of a tokenizer file as a `Pat`.

Understood, in both dialects: alternatives, groups `(…)`, `(?:…)`, `(?>…)`, `(?i:…)`, look-aheads `(?=…)`
and `(?!…)`, classes with ranges, negation, nesting and `&&`, `\p{…}`, `\P{…}`, `\s`, `\d`, `\w` and their
complements, `.`, `$`, `\z`, character escapes, `?`, `*`, `+`, `{m}`, `{m,}`, `{m,n}` and the possessive
forms. Whatever else an engine may understand is a `PatternError` that shows the place, and so is a construct
whose exact meaning has no `Pat`: looking behind, back-references, lazy quantifiers, `*` over more than one
character class.
"""

from __future__ import annotations

import string
from collections.abc import Iterator
from functools import lru_cache
from math import inf

from verified_tok.errors import PatternError
from verified_tok.reference.charset import ALL, CharSet
from verified_tok.reference.classes import char_class, folds_to_one, same_letter
from verified_tok.reference.pattern import (
    Alt,
    Atomic,
    Chr,
    Eps,
    NotAhead,
    Pat,
    Seq,
    Star,
    ahead,
    at_end,
    bounded,
    literal,
    opt,
    plus,
    times,
)
from verified_tok.spec import Dialect, Literal, Regex

DEPTH_LIMIT = 300
"""How deep a `Pat` may nest: matching recurses as deep as the pattern."""

NESTING_LIMIT = 50
"""How deep the brackets of a regular expression may nest: reading recurses as deep as they do."""

_NAMED_CHARS = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v"}
_NAMED_CLASSES = {"s": "space", "d": "digit", "w": "word"}
_LINE_FEED = CharSet.of("\n")
_ASCII = CharSet([(0, 0x7F)])


def parse(text: str, dialect: Dialect = Dialect.ONIGURUMA) -> Pat:
    r"""The `Pat` that means what the regular expression `text` means in a dialect's engine.

    >>> from verified_tok.reference.pattern import first_match
    >>> first_match(parse(r"\p{N}{1,3}"), "12345", 0)
    3

    Raises `PatternError` for syntax that is not understood or has no exact meaning here.
    """
    parser = _Parser(text, dialect)
    pat = parser.alternatives(ignore_case=False)
    if parser.rest():
        raise parser.error("unmatched parenthesis")
    if _depth(pat) > DEPTH_LIMIT:
        raise PatternError(text, 0, f"the pattern nests deeper than {DEPTH_LIMIT}")
    return pat


@lru_cache(maxsize=64)
def pat_of(pattern: Literal | Regex, dialect: Dialect = Dialect.ONIGURUMA) -> Pat:
    """The `Pat` of a pattern as a tokenizer file gives it; raises `PatternError` like `parse`.

    Asked for at every use of a stage, so it remembers: reading costs milliseconds.
    """
    if isinstance(pattern, Regex):
        return parse(pattern.text, dialect)
    if len(pattern.text) > DEPTH_LIMIT:
        raise PatternError(pattern.text, DEPTH_LIMIT, f"the literal is longer than {DEPTH_LIMIT} characters")
    return literal(pattern.text)


class _Parser:
    """Recursive descent; `at` is the next character's index."""

    def __init__(self, text: str, dialect: Dialect) -> None:
        self.text = text
        self.dialect = dialect
        self.at = 0
        self.nesting = 0

    def error(self, reason: str, at: int | None = None) -> PatternError:
        return PatternError(self.text, self.at if at is None else at, reason)

    def rest(self) -> bool:
        return self.at < len(self.text)

    def sees(self, prefix: str) -> bool:
        return self.text.startswith(prefix, self.at)

    def takes(self, prefix: str) -> bool:
        """Goes past `prefix` if it is next."""
        if not self.sees(prefix):
            return False
        self.at += len(prefix)
        return True

    def expect(self, prefix: str) -> None:
        if not self.takes(prefix):
            raise self.error(f"expected {prefix!r}")

    def nest(self, at: int) -> None:
        """Counts an opening bracket."""
        self.nesting += 1
        if self.nesting > NESTING_LIMIT:
            raise self.error(f"brackets nest deeper than {NESTING_LIMIT}", at)

    # --- alternatives, sequences, repetitions ---

    def alternatives(self, ignore_case: bool) -> Pat:
        start = self.at
        branches = [self.sequence(ignore_case)]
        while self.takes("|"):
            branches.append(self.sequence(ignore_case))
        if self.dialect is Dialect.RUST_REGEX and len(branches) > 1:
            self.refuse_common_choice(branches, start)
        pat = branches.pop()
        while branches:
            pat = Alt(branches.pop(), pat)
        return pat

    def refuse_common_choice(self, branches: list[Pat], at: int) -> None:
        """The Rust engine reads `x?a|x?b` as `x?(?:a|b)`, which prefers other matches (measured).

        It takes out what all alternatives begin with. That is harmless while the common part has one length,
        so what counts is the first part of each whose length can vary.
        """
        choices = [_first_choice(branch) for branch in branches]
        if choices[0] is not None and all(choice == choices[0] for choice in choices):
            raise self.error("alternatives that begin with the same choice", at)

    def sequence(self, ignore_case: bool) -> Pat:
        items: list[Pat] = []
        while self.rest() and not self.sees("|") and not self.sees(")"):
            start = self.at
            items.append(self.repetition(ignore_case))
            if ignore_case and len(items) > 1:
                self.refuse_folding_pair(items[-2], items[-1], start)
        if not items:
            return Eps()
        pat = items.pop()
        while items:
            pat = Seq(items.pop(), pat)
        return pat

    def refuse_folding_pair(self, first: Pat, second: Pat, at: int) -> None:
        """Some engines let two letters match one character when case is ignored ("ss" and ß)."""
        for a in _letters(first):
            for b in _letters(second):
                if folds_to_one(a + b, self.dialect):
                    raise self.error(f"ignoring case, {a + b!r} would also match a single character", at)

    def repetition(self, ignore_case: bool) -> Pat:
        start = self.at
        body = self.atom(ignore_case)
        quantifier = self.at
        bounds = self.quantifier()
        if bounds is None:
            return body
        is_plain = self.text.startswith("(?:", start) and self.dialect is Dialect.ONIGURUMA
        if isinstance(body, NotAhead | Eps) or (is_plain and _may_only_look(body)):
            raise self.error("nothing to repeat", quantifier)
        least, most = bounds
        if self.dialect is Dialect.ONIGURUMA and most != 1 and not _may_be_repeated(body):
            # Measured: a repetition that matches nothing is the last one, even where more are asked for.
            raise self.error(
                "what is repeated prefers to match nothing, or does so at some places only", quantifier
            )
        pat = self.repeat(body, least, most, start)
        if self.takes("+"):
            if self.text[quantifier] != "{" or self.dialect is Dialect.RUST_REGEX:
                pat = Atomic(pat)
            elif isinstance(body, Chr) and least == 1:
                # Oniguruma reads x{1,n}+ as (?:x{1,n})+, which matches what x+ matches, best first.
                pat = plus(body.chars)
            else:
                raise self.error("'+' after '}' repeats the repetition")
        if self.rest() and self.text[self.at] in "?*+{":
            raise self.error("lazy or repeated quantifier")
        return pat

    def quantifier(self) -> tuple[int, int | None] | None:
        """The least and the largest number of repetitions (None: no limit) of the quantifier that is next."""
        start = self.at
        for sign, bounds in {"?": (0, 1), "*": (0, None), "+": (1, None)}.items():
            if self.takes(sign):
                return bounds
        if not self.takes("{"):
            return None
        least = self.number()
        most: int | None = least
        if self.takes(","):
            most = None if self.sees("}") else self.number()
        self.expect("}")
        if most is not None and most < least:
            raise self.error("the bounds are in the wrong order", start)
        return least, most

    def number(self) -> int:
        start = self.at
        while self.rest() and self.text[self.at] in string.digits:
            self.at += 1
        if start == self.at:
            raise self.error("expected a number")
        number = int(self.text[start : self.at])
        if number > DEPTH_LIMIT:
            raise self.error(f"more than {DEPTH_LIMIT} repetitions", start)
        return number

    def repeat(self, body: Pat, least: int, most: int | None, at: int) -> Pat:
        if most is None:
            if not isinstance(body, Chr):
                raise self.error("unlimited repetition of more than one character class", at)
            if least == 0:
                return Star(body.chars)
            return plus(body.chars) if least == 1 else Seq(times(body, least), Star(body.chars))
        return opt(body) if (least, most) == (0, 1) else bounded(body, least, most)

    # --- atoms ---

    def atom(self, ignore_case: bool) -> Pat:
        start = self.at
        if self.takes("("):
            return self.group(ignore_case)
        if self.takes("["):
            return Chr(self.bracket(ignore_case))
        if self.takes("."):
            return Chr(~_LINE_FEED)
        if self.takes("$"):
            # Oniguruma as tokenizers uses it: the end, or a place before a line feed.
            return NotAhead(Chr(~_LINE_FEED)) if self.dialect is Dialect.ONIGURUMA else at_end()
        if self.takes("\\z"):
            return at_end()
        if self.sees("\\"):
            return Chr(self.cased(self.escape(), ignore_case, start))
        if self.text[self.at] in "^*+?{}]":
            raise self.error(f"{self.text[self.at]!r} is not understood here")
        return Chr(self.cased(CharSet.of(self.next()), ignore_case, start))

    def next(self) -> str:
        if not self.rest():
            raise self.error("the pattern ends too early")
        self.at += 1
        return self.text[self.at - 1]

    def group(self, ignore_case: bool) -> Pat:
        start = self.at - 1
        self.nest(start)
        if self.takes("?:"):
            pat = self.alternatives(ignore_case)
        elif self.takes("?i:"):
            pat = self.alternatives(ignore_case=True)
        elif self.takes("?>"):
            pat = Atomic(self.alternatives(ignore_case))
        elif self.takes("?!"):
            pat = NotAhead(self.alternatives(ignore_case))
        elif self.takes("?="):
            pat = ahead(self.alternatives(ignore_case))
        elif self.sees("?"):
            raise self.error("this kind of group is not understood", start)
        else:
            pat = self.alternatives(ignore_case)
        if not self.takes(")"):
            raise self.error("the group is not closed", start)
        self.nesting -= 1
        return pat

    def cased(self, chars: CharSet, ignore_case: bool, at: int) -> CharSet:
        """A set of characters, with those that match them when case is ignored."""
        if not ignore_case:
            return chars
        if chars - _ASCII - char_class("caseless", self.dialect):
            raise self.error("ignoring case is exact only for ASCII letters and punctuation", at)
        for letter in string.ascii_lowercase:
            if letter in chars or letter.upper() in chars:
                chars |= same_letter(letter, self.dialect)
        return chars

    # --- character classes ---

    def bracket(self, ignore_case: bool) -> CharSet:
        """What stands in `[…]`, the opening bracket being taken."""
        start = self.at - 1
        self.nest(start)
        negated = self.takes("^")
        if negated and ignore_case:
            raise self.error("ignoring case in a negated class", start)
        chars = self.union(ignore_case, start)
        while self.takes("&&"):
            if ignore_case:
                raise self.error("ignoring case in an intersection", start)
            chars &= self.union(ignore_case, start)
        self.expect("]")
        self.nesting -= 1
        if not negated:
            return chars
        if self.dialect is Dialect.ONIGURUMA and not chars - _ASCII and "[" in self.text[start + 1 : self.at]:
            # Measured: it loses all characters beyond ASCII in [^[^\d\D]], say.
            raise self.error("a negated class that nests others must hold a character beyond ASCII", start)
        return ~chars

    def union(self, ignore_case: bool, start: int) -> CharSet:
        chars = CharSet()
        begin = self.at
        while self.at == begin or not (self.sees("]") or self.sees("&&")):
            if not self.rest():
                raise self.error("the class is not closed", start)
            if self.sees("[:"):
                raise self.error("a POSIX class is not understood")
            if self.takes("["):
                chars |= self.bracket(ignore_case)
            else:
                at = self.at
                chars |= self.cased(self.item(leading=at == begin), ignore_case, at)
        return chars

    def item(self, leading: bool) -> CharSet:
        """A character, a range, or an escape that means a class."""
        start = self.at
        if self.sees("-") and not leading and not self.sees("-]"):
            raise self.error("'-' between members of a class must be escaped")
        low = self.member()
        if not self.sees("-") or self.sees("-]"):
            return low
        self.expect("-")
        high = self.member()
        if self.text[self.at - 1] == "-" or len(low) != 1 or len(high) != 1:
            raise self.error("this range is not understood", start)
        if low.ranges > high.ranges:
            raise self.error("the range is in the wrong order", start)
        return CharSet([(low.ranges[0][0], high.ranges[0][1])])

    def member(self) -> CharSet:
        if self.sees("\\"):
            return self.escape(in_brackets=True)
        for operator in ("[", "]", "&&", "--", "~~"):
            if self.sees(operator):
                raise self.error(f"{operator!r} is not understood here")
        return CharSet.of(self.next())

    # --- escapes ---

    def escape(self, in_brackets: bool = False) -> CharSet:
        r"""The class or the one character that an escape means, inside or outside of `[…]`."""
        start = self.at
        self.expect("\\")
        char = self.next()
        if char.lower() in _NAMED_CLASSES:
            name = _NAMED_CLASSES[char.lower()]
            if name == "word" and in_brackets:
                name = "word in brackets"  # Measured: `[\w]` is not `\w` (it lacks ² ³ ¹ ¼ ½ ¾ in Oniguruma)
            chars = char_class(name, self.dialect)
            return ~chars if char.isupper() else chars
        if char in "pP":
            chars = self.property()
            return ~chars if char == "P" else chars
        if char in _NAMED_CHARS:
            return CharSet.of(_NAMED_CHARS[char])
        if char in "xu":
            return self.code_point(char, start)
        if char in string.punctuation + " " and char not in "<>":
            return CharSet.of(char)
        raise self.error(f"the escape \\{char} is not understood", start)

    def property(self) -> CharSet:
        r"""The class that `{…}` after `\p` names."""
        start = self.at
        self.expect("{")
        name = self.until("}")
        try:
            return char_class(name, self.dialect)
        except KeyError:
            raise self.error(f"the class {name!r} is not in the probed tables", start) from None

    def code_point(self, kind: str, start: int) -> CharSet:
        r"""The character that `\xHH`, `\uHHHH` or `\x{H…}` names."""
        if kind == "x" and self.takes("{"):
            digits = self.until("}")
        else:
            width = 2 if kind == "x" else 4
            digits = self.text[self.at : self.at + width]
            self.at += len(digits)
            if len(digits) < width or (kind == "x" and digits > "7f"):
                raise self.error("this escape of a code point is not understood", start)
        if not digits or not set(digits) <= set(string.hexdigits):
            raise self.error("expected hexadecimal digits", start)
        code = int(digits, 16)
        chars = CharSet([(code, code)]) & ALL
        if not chars:
            raise self.error("no Unicode scalar value", start)
        return chars

    def until(self, end: str) -> str:
        stop = self.text.find(end, self.at)
        if stop < 0:
            raise self.error(f"expected {end!r}")
        taken = self.text[self.at : stop]
        self.at = stop + 1
        return taken


def _may_only_look(pat: Pat) -> bool:
    """Whether an alternative is nothing but an assertion; Oniguruma repeats no group that has one."""
    while isinstance(pat, Alt):
        if _may_only_look(pat.first):
            return True
        pat = pat.second
    return isinstance(pat, NotAhead)


def _may_be_repeated(pat: Pat) -> bool:
    """Whether it makes no difference that no repetition follows an empty one: a pattern consumes always, or
    never, or has the empty match as its last choice wherever it stands."""
    lengths: dict[int, tuple[int, float]] = {}
    last_choice: set[int] = set()  # patterns whose last match is empty, and no other one
    for node in _nodes(pat):
        lengths[id(node)] = _lengths(node, lengths)
        match node:
            case Eps() | Star():
                is_last = True
            case Seq(first, second):
                is_last = id(first) in last_choice and id(second) in last_choice
            case Alt(first, second):
                is_last = lengths[id(first)][0] > 0 and id(second) in last_choice
            case Chr() | NotAhead() | Atomic():
                is_last = False
        if is_last:
            last_choice.add(id(node))
    least, most = lengths[id(pat)]
    return least > 0 or most == 0 or id(pat) in last_choice


def _letters(pat: Pat) -> Iterator[str]:
    """The lower-case ASCII letters that stand anywhere in a pattern."""
    sets = [node.chars for node in _nodes(pat) if isinstance(node, Chr | Star)]
    return (letter for letter in string.ascii_lowercase if any(letter in chars for chars in sets))


def _first_choice(pat: Pat) -> CharSet | None:
    """The characters of the first part of a sequence that can match in several lengths; None without one."""
    lengths: dict[int, tuple[int, float]] = {}
    for node in _nodes(pat):
        lengths[id(node)] = _lengths(node, lengths)
    sequence = [pat]
    while sequence:
        part = sequence.pop()
        least, most = lengths[id(part)]
        if isinstance(part, Seq):
            sequence += [part.second, part.first]
        elif least < most:
            chars = CharSet()
            for node in _nodes(part):
                chars |= node.chars if isinstance(node, Chr | Star) else CharSet()
            return chars
    return None


def _lengths(pat: Pat, parts: dict[int, tuple[int, float]]) -> tuple[int, float]:
    """The least and the largest length of a match, from those of a pattern's parts."""
    match pat:
        case Chr():
            return 1, 1
        case Star():
            return 0, inf
        case Seq(first, second):
            (a, b), (c, d) = parts[id(first)], parts[id(second)]
            return a + c, b + d
        case Alt(first, second):
            (a, b), (c, d) = parts[id(first)], parts[id(second)]
            return min(a, c), max(b, d)
        case Atomic(body):
            return parts[id(body)]
        case Eps() | NotAhead():
            return 0, 0


def _depth(pat: Pat) -> int:
    depths: dict[int, int] = {}
    for node in _nodes(pat):
        depths[id(node)] = 1 + max((depths[id(part)] for part in _parts(node)), default=0)
    return depths[id(pat)]


def _nodes(pat: Pat) -> Iterator[Pat]:
    """Every node of a pattern once, parts before wholes; no recursion, because the depth is not known yet."""
    seen: set[int] = set()
    stack = [pat]
    while stack:
        missing = [part for part in _parts(stack[-1]) if id(part) not in seen]
        if missing:
            stack += missing
            continue
        node = stack.pop()
        if id(node) not in seen:
            seen.add(id(node))
            yield node


def _parts(pat: Pat) -> tuple[Pat, ...]:
    match pat:
        case Seq(first, second) | Alt(first, second):
            return first, second
        case NotAhead(body) | Atomic(body):
            return (body,)
        case Eps() | Chr() | Star():
            return ()
