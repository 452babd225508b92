"""The stages of a pre-tokenizer as sections of an image (`next_piece.h` reads them)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from verified_tok.native import NotNative, Sections
from verified_tok.native.automaton import DEAD, Automaton, automaton, chosen, within
from verified_tok.native.char_classes import CharClasses, Symbols
from verified_tok.native.code import Code, Compiler, Instruction, Op
from verified_tok.native.known_patterns import known_sections
from verified_tok.reference.pattern import Chr, Pat, Seq, Star, sets_in
from verified_tok.reference.pre_tokenizer import Stage
from verified_tok.spec import SplitBehavior

STAGE_LIMIT = 8
CHOICE_LIMIT = 256
"""How many choices the back-tracking matcher can remember (`matcher_program.h`)."""

BEHAVIOURS = list(SplitBehavior)
"""What a stage does with its matches, numbered as in `stages.h`."""


def split_sections(stages: Sequence[Stage], behind: Sequence[Stage] = ()) -> Sections:
    """The sections `split_*` of an image; raises NotNative if the stages have no native form.

    Those `behind` the others look at bytes spelled as byte-level characters.
    """
    classes = CharClasses.of([stage.pat for stage in (*stages, *behind)])
    matchers = [_matcher(stage, classes) for stage in stages]
    fused = _fused(matchers, classes)
    spelled = _fused([_matcher(stage, classes) for stage in behind], classes)
    if len(fused) + len(spelled) > STAGE_LIMIT:
        raise NotNative(f"{len(fused) + len(spelled)} stages that cut the text")
    packed = _packed(fused, spelled, classes)
    return packed if behind else packed | known_sections([matcher.stage for matcher in matchers], classes)


# --- one stage ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Matcher:
    """A stage with what finds its matches: an automaton, or else instructions."""

    stage: Stage
    code: Code
    made: Automaton | None
    regions: tuple[int, ...] = ()
    """A number for each class: a gap ends where it changes. Empty if all are the same."""

    @property
    def isolates(self) -> bool:
        """Whether its matches and gaps are just the pieces."""
        return self.stage.behaviour is SplitBehavior.ISOLATED


def _matcher(stage: Stage, classes: CharClasses) -> _Matcher:
    code = Compiler(classes.symbols, classes.every).compile(stage.pat)
    made = automaton(code, classes.end + 1)
    if made is None and sum(item.op in (Op.RUN, Op.FORK, Op.MARK) for item in code) > CHOICE_LIMIT:
        raise NotNative(f"a pattern with more than {CHOICE_LIMIT} choices that no automaton takes")
    if (
        made is not None
        and stage.behaviour is SplitBehavior.REMOVED
        and stage.invert
        and made.always_matches()
    ):
        stage = replace(stage, behaviour=SplitBehavior.ISOLATED)  # there are no gaps to remove
    return _Matcher(stage, code, made)


def _fused(matchers: list[_Matcher], classes: CharClasses) -> list[_Matcher]:
    """The same stages, with some joined to the one behind them.

    That is possible where a stage just cuts the runs of certain characters out of the text, whole or into
    parts that the stage behind it leaves alone. Gaps end where such a run begins or ends: that is what the
    regions are for.
    """
    if len(matchers) < 2:
        return matchers
    first, (second, *others) = matchers[0], _fused(matchers[1:], classes)
    apart = [first, second, *others]
    chars = _cut_characters(first.stage.pat, classes)
    if first.made is None or second.made is None or chars is None or second.made.nullable:
        return apart
    if not (first.isolates and second.isolates):
        return apart
    inside = within(second.made, chars)
    if inside.never_matches():
        inside = first.made
    elif not _takes_runs(first.stage.pat):
        return apart
    before = second.regions or (0,) * classes.end
    if len({other for symbol, other in enumerate(before) if chars >> symbol & 1}) > 1:
        return apart  # the stage behind it has regions of its own within these characters
    made = chosen(chars, inside, within(second.made, ~chars))
    region = max(before) + 1
    regions = tuple(region if chars >> symbol & 1 else other for symbol, other in enumerate(before))
    return [replace(second, made=made, regions=regions), *others]


def _takes_runs(pat: Pat) -> bool:
    """Whether a pattern takes all characters of a class that follow one another."""
    match pat:
        case Seq(Chr(chars), Star(more)):
            return chars == more
        case _:
            return False


def _cut_characters(pat: Pat, classes: CharClasses) -> Symbols | None:
    """The symbols that a pattern's matches consist of, if a match begins with each of them."""
    chars = 0
    for members in sets_in(pat):
        chars |= classes.symbols(members)
    return chars if Compiler(classes.symbols, classes.every).decided(pat) == chars else None


# --- the sections ------------------------------------------------------------------------------------


def _packed(matchers: list[_Matcher], spelled: list[_Matcher], classes: CharClasses) -> Sections:
    tables = _Tables(classes)
    stages = [tables.stage(matcher, is_spelled=False) for matcher in matchers]
    stages += [tables.stage(matcher, is_spelled=True) for matcher in spelled]
    return {
        "split_stages": np.array(stages, dtype=np.uint32).ravel(),
        "split_index": classes.index,
        "split_blocks": classes.blocks,
        "split_spelled": classes.of_spelled() if spelled else np.empty(0, np.uint8),
        "split_moves": np.array(tables.moves, dtype=np.uint32),
        "split_starts": np.array(tables.starts, dtype=np.uint8),
        "split_regions": np.array(tables.regions, dtype=np.uint8),
        "split_code": np.array(tables.code, dtype=np.uint32),
        "split_sets": np.array(tables.sets, dtype=np.uint8),
    }


@dataclass
class _Tables:
    """The tables of all stages, one behind the other."""

    classes: CharClasses
    moves: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    regions: list[int] = field(default_factory=list)
    code: list[int] = field(default_factory=list)
    sets: list[int] = field(default_factory=list)
    places: dict[Symbols, int] = field(default_factory=dict)  # of the sets

    def stage(self, matcher: _Matcher, is_spelled: bool) -> list[int]:
        """The words of a stage (`Stage` in `stages.h`)."""
        stage, made = matcher.stage, matcher.made
        behaviour = BEHAVIOURS.index(stage.behaviour)
        starts = len(self.starts)
        if made is None:
            table, start = len(self.code), 0
            self.code += [word for item in matcher.code for word in self.instruction(item)]
            self.starts += [1] * 256
        else:
            table, start = len(self.moves), made.start * made.symbols
            # Both at once: where the row of the next state begins, and whether there was a match.
            self.moves += (made.target * made.symbols * 2 + made.matched).ravel().tolist()
            begins = (made.target[made.start] != DEAD) | made.matched[made.start]
            symbols = sum(1 << int(n) for n in np.flatnonzero(begins))
            members = self.classes.members(symbols)
            first = members[self.classes.of_spelled()] if is_spelled else self.classes.first_bytes(symbols)
            self.starts += first.tolist()
        regions = len(self.regions) + 1 if matcher.regions else 0
        self.regions += matcher.regions
        program = made is None
        words = [behaviour, stage.invert, program, self.classes.end, table, start, starts, regions]
        return [*words, is_spelled]

    def instruction(self, item: Instruction) -> tuple[int, int]:
        """The words of an instruction."""
        if item.op in (Op.ONE, Op.RUN, Op.TEST):
            return item.op, self.members(item.argument)
        return item.op, item.argument

    def members(self, symbols: Symbols) -> int:
        """Where the flags of a set's members stand."""
        if symbols not in self.places:
            self.places[symbols] = len(self.sets)
            self.sets += self.classes.members(symbols).tolist()
        return self.places[symbols]
