"""All checks on all trajectories, one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from os import PathLike

from verified_tok import chat
from verified_tok.adapters.stability import Renders
from verified_tok.audit import checks
from verified_tok.audit.content import check_content, literals_in, misspelled
from verified_tok.audit.finding import Finding, Found, Kind, Place
from verified_tok.audit.history import rewritten
from verified_tok.audit.lines import Line, read_lines
from verified_tok.audit.report import Report
from verified_tok.audit.sequence import stretches
from verified_tok.audit.structure import check_mask, check_structure, inexpressible, read, spell
from verified_tok.audit.trajectory import Trajectory, read_trajectory
from verified_tok.audit.vocabulary import Vocabulary
from verified_tok.conversation import Conversation
from verified_tok.errors import InvalidOption, InvalidTemplate
from verified_tok.options import can_be_iterated, check_path
from verified_tok.tokenizer import Tokenizer, check_tokenizer

AnyTemplate = str | chat.Template | chat.Format | Renders


class Auditor:
    """Checks trajectories against one tokenizer and, if there is one, a template.

    `template` is the name of a known chat format, a `chat.Template` or `chat.Format`, or a chat template in
    Jinja (`adapters.chat_template.ChatTemplate`). With a format, ids are read as its events; with a Jinja
    template, it is checked which history it rewrites. `keep` is how many findings of each kind the report
    holds. Give trajectories to `check`, one by one; `report` has the counts so far.

    Raises `InvalidTemplate` for a format that is unknown or does not fit the tokenizer, `InvalidOperation`
    for what is no tokenizer, `InvalidOption` for a `keep` that is no number.
    """

    def __init__(self, tok: Tokenizer, template: AnyTemplate | None = None, keep: int = 100) -> None:
        self._vocabulary = Vocabulary(check_tokenizer(tok))
        self._format: chat.Format | None = None
        self._template: Renders | None = None
        name = "none"
        if isinstance(template, str | chat.Template | chat.Format):
            self._format = Conversation(tok, template).format
            name = self._format.template.name
        elif template is not None:
            if not callable(getattr(template, "render", None)):
                raise InvalidTemplate(
                    f"a template is a name, a format, or renders messages; {template!r} does not"
                )
            self._template = template
            name = "Jinja"
        if isinstance(keep, bool) or not isinstance(keep, int) or keep < 0:
            raise InvalidOption(f"keep is how many findings are kept, not {keep!r}")
        self.report = Report(tok.spec.sha256, name, keep)

    def check(self, given: object) -> list[Finding]:
        """What is wrong with one trajectory: a mapping, or a `Line` of a file."""
        line = given if isinstance(given, Line) else None
        number, report = self.report.trajectories, self.report
        name = None
        if line is not None and line.problem is not None:
            found = [Found(Kind.MALFORMED, "", 0, 0, line.problem)]
        else:
            trajectory = read_trajectory(line.value if line is not None else given, self._vocabulary)
            name = trajectory.name
            report.turns += len(trajectory.turns) or len(trajectory.messages or ())
            report.tokens += trajectory.tokens
            found = list(self._found(trajectory))
        report.trajectories += 1
        report.affected += bool(found)
        place = Place(number, line.number if line is not None else None, name)
        findings = [one.at(place) for one in found]
        for finding in findings:
            report.add(finding)
        return findings

    def _found(self, trajectory: Trajectory) -> Iterator[Found]:
        vocabulary, form = self._vocabulary, self._format
        yield from trajectory.problems
        known, broken = stretches(trajectory, vocabulary)
        yield from broken
        for stretch in known:
            yield from checks.drift(stretch, vocabulary)
            yield from checks.begins_twice(stretch, vocabulary)
        yield from checks.masks(trajectory, vocabulary)
        yield from checks.sampled_mask(trajectory, vocabulary)
        whole, mask = trajectory.whole, trajectory.mask
        if mask is not None and (whole is None or len(mask[1]) != len(whole.ids)):
            mask = None
        messages, spelled = trajectory.messages, False
        for stretch in known:
            if form is not None and not stretch.parts[0].sampled:
                events = read(stretch, form)
                yield from check_structure(stretch, events, form, vocabulary)
                if stretch is known[0]:
                    spelled = messages is not None and spell(events, messages, form)
                    if mask is not None:
                        yield from check_mask(stretch, events, mask, vocabulary)
        if messages is None:
            return
        if form is not None:
            yield from inexpressible(messages, form)
        if self._template is not None:
            yield from rewritten(trajectory, self._template, vocabulary)
        if known and (whole is not None or (trajectory.turns and not broken)):
            by_content = mask if form is None else None
            yield from check_content(messages, known[0], by_content, vocabulary, spelled)
        else:
            yield from literals_in(messages, vocabulary)
        yield from misspelled(messages, trajectory.spans, vocabulary)


def trajectories_of(given: str | PathLike[str] | Iterable[object]) -> Iterator[object]:
    """The lines of a file, or what is given."""
    if not isinstance(given, str | PathLike):
        if not can_be_iterated(given):
            raise InvalidOption(f"trajectories are the path of a file, or mappings, not {given!r}")
        yield from given
        return
    with check_path(given).open("rb") as file:
        yield from read_lines(file)
