"""The checks of ids alone, and of what stands beside ids."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from verified_tok.audit.finding import Found, Kind, row
from verified_tok.audit.sequence import Stretch
from verified_tok.audit.trajectory import NO_LABEL, Trajectory
from verified_tok.audit.vocabulary import Vocabulary
from verified_tok.drift import Drift, drifts
from verified_tok.session_state import Ids


def drift(stretch: Stretch, vocabulary: Vocabulary) -> Iterator[Found]:
    """Where encoding the text of a stretch again gives other ids."""
    sampled = stretch.sampled()
    for place in drifts(vocabulary.tok, stretch.ids, vocabulary.lengths(stretch.ids)):
        field, start, stop = stretch.locate(place.start, place.stop)
        rows = (
            row(vocabulary, "given", stretch.ids, place.start, place.stop),
            row(vocabulary, "encoded again", stretch.ids, place.start, place.stop, place.canonical),
        )
        why = _why_drift(stretch, place, len(set(sampled[place.start : place.stop].tolist())) > 1, vocabulary)
        yield Found(Kind.DRIFT, field, start, stop, why, rows)


def _why_drift(stretch: Stretch, place: Drift, crosses: bool, vocabulary: Vocabulary) -> str:
    given = stretch.ids[place.start : place.stop].tolist()
    if not place.readable:
        return "the bytes of these ids are no UTF-8: no text gives them back"
    new = [id for id in place.canonical if id in vocabulary.control and id not in given]
    if new:
        return f"ordinary text that, encoded again, becomes the control token {vocabulary.names(new[:3])}"
    lost = [id for id in given if id in vocabulary.control and id not in place.canonical]
    if lost:
        return f"the control token {vocabulary.names(lost[:3])} does not come back from its text"
    counts = f"{len(given)} ids become {len(place.canonical)}"
    if crosses:
        return f"tokens merge across the boundary between a prompt and its completion: {counts}"
    return f"not the canonical encoding of its text: {counts}"


def begins_twice(stretch: Stretch, vocabulary: Vocabulary) -> Iterator[Found]:
    """The ids that the tokenizer puts before a text, put there twice."""
    begin, ids = vocabulary.begin, stretch.ids
    if not begin or tuple(ids[: 2 * len(begin)].tolist()) != begin * 2:
        return
    stop = 2 * len(begin)
    while tuple(ids[stop : stop + len(begin)].tolist()) == begin:
        stop += len(begin)
    field, start, _ = stretch.locate(0, 1)
    message = f"{vocabulary.names(begin)} stands at the beginning {stop // len(begin)} times"
    shown = row(vocabulary, "given", ids, len(begin), stop)
    yield Found(Kind.BOUNDARY, field, start + len(begin), start + stop, message, (shown,))


def masks(trajectory: Trajectory, vocabulary: Vocabulary) -> Iterator[Found]:
    """Masks, labels and log-probabilities that do not fit the ids beside them."""
    whole = trajectory.whole
    for turn in (*trajectory.turns, *trajectory.spans.values()):
        if turn.completion is not None and turn.logprobs is not None:
            ids, length = turn.completion, len(turn.logprobs)
            if len(ids.ids) != length:
                prefix, dot, _ = ids.field.rpartition(".")
                yield _length(f"{prefix}{dot}logprobs", length, ids.field, len(ids.ids))
    if whole is None:
        yield from _mask_of_turns(trajectory)
        return
    count = len(whole.ids)
    if trajectory.mask is not None and len(trajectory.mask[1]) != count:
        yield _length(trajectory.mask[0], len(trajectory.mask[1]), whole.field, count)
    if trajectory.logprobs is not None and len(trajectory.logprobs) != count:
        yield _length("logprobs", len(trajectory.logprobs), whole.field, count)
    labels = trajectory.labels
    if labels is None:
        return
    if len(labels) != count:
        yield _length("labels", len(labels), whole.field, count)
        return
    for start, stop in runs((labels != NO_LABEL) & (labels != whole.ids)):
        message = f"`labels` has {labels[start]} where `{whole.field}` has {whole.ids[start]}"
        yield _marked("labels", start, stop, message, whole.ids, vocabulary)
    if trajectory.mask is not None and len(trajectory.mask[1]) == count:
        name, mask = trajectory.mask
        for start, stop in runs((labels != NO_LABEL) != mask):
            message = f"`{name}` and `labels` do not mark the same ids"
            yield _marked(name, start, stop, message, whole.ids, vocabulary)


def sampled_mask(trajectory: Trajectory, vocabulary: Vocabulary) -> Iterator[Found]:
    """A mask of the whole conversation that marks ids which no engine sampled, or only a part of a
    completion, where the turns say what was sampled."""
    whole, mask = trajectory.whole, trajectory.mask
    if whole is None or mask is None or len(mask[1]) != len(whole.ids):
        return
    place = 0
    sampled = np.zeros(len(whole.ids), dtype=bool)
    for turn in trajectory.turns:
        if turn.prompt is None or turn.completion is None:
            return
        start, stop = len(turn.prompt.ids), len(turn.prompt.ids) + len(turn.completion.ids)
        if start < place or not np.array_equal(whole.ids[start:stop], turn.completion.ids):
            return
        sampled[start:stop] = True
        place = stop
        marked = mask[1][start:stop]
        if marked.any() and not marked.all():
            for a, b in runs(~marked):
                message = f"`{mask[0]}` leaves out a part of the sampled ids of `{turn.completion.field}`"
                yield _marked(mask[0], start + a, start + b, message, whole.ids, vocabulary)
    if not trajectory.turns:
        return
    for start, stop in runs(mask[1] & ~sampled):
        message = f"`{mask[0]}` marks ids that no turn sampled"
        yield _marked(mask[0], start, stop, message, whole.ids, vocabulary)


def _mask_of_turns(trajectory: Trajectory) -> Iterator[Found]:
    """A mask without the ids of the whole is one for the last prompt and completion, or, of a single turn,
    for its completion."""
    if trajectory.mask is None or not trajectory.turns:
        return
    name, mask = trajectory.mask
    turn = trajectory.turns[-1]
    if turn.completion is None:
        return
    completion = len(turn.completion.ids)
    count = completion + (len(turn.prompt.ids) if turn.prompt is not None else 0)
    if len(mask) != count and not (len(trajectory.turns) == 1 and len(mask) == completion):
        other = (
            turn.completion.field if turn.prompt is None else f"{turn.prompt.field} + {turn.completion.field}"
        )
        yield _length(name, len(mask), other, count)


def _length(field: str, length: int, other: str, count: int) -> Found:
    message = f"`{field}` has {length:,} entries for {count:,} ids in `{other}`"
    return Found(Kind.MASK, field, 0, length, message)


def _marked(field: str, start: int, stop: int, message: str, ids: Ids, vocabulary: Vocabulary) -> Found:
    return Found(Kind.MASK, field, start, stop, message, (row(vocabulary, "ids", ids, start, stop),))


def runs(marks: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> list[tuple[int, int]]:
    """The maximal ranges of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], marks, [False]])))
    return [(int(start), int(stop)) for start, stop in edges.reshape(-1, 2)]
