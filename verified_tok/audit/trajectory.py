"""What the audit reads: one trajectory, a JSON object (or a mapping with arrays in it).

Every field is optional, and other fields are ignored:

| field | what it holds |
| --- | --- |
| `id` | a name for the report |
| `messages` | OpenAI-style messages; an assistant's may hold its `completion_ids` and `logprobs` |
| `tools` | tool schemas, for a chat template that shows them |
| `ids` | the ids of the whole conversation (also: `input_ids`, `token_ids`) |
| `loss_mask` | one of 0 and 1 for each id (also: `assistant_mask`, `assistant_masks`, `response_mask`) |
| `labels` | for each id: the id, or -100 where it bears no loss |
| `logprobs` | one number, or null, for each id |
| `turns` | the calls of an engine, each an object with `prompt_ids`, `completion_ids` and `logprobs` |

The names that engines give are understood in `turns`: `prompt_token_ids` and `input_ids`, and `token_ids`,
`output_ids` and `response_ids`. `prompt_ids` and `completion_ids` of the trajectory itself are a single turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from verified_tok.audit.finding import Found, Kind
from verified_tok.audit.vocabulary import Vocabulary
from verified_tok.errors import InvalidText
from verified_tok.session_state import Ids
from verified_tok.text import check_text

_IDS = ("ids", "input_ids", "token_ids")
_MASKS = ("loss_mask", "assistant_mask", "assistant_masks", "response_mask")
_PROMPT = ("prompt_ids", "prompt_token_ids", "input_ids")
_COMPLETION = ("completion_ids", "token_ids", "output_ids", "response_ids")
_SINGLE = ("prompt_ids", "prompt_token_ids", "completion_ids", "output_ids", "response_ids")
NO_LABEL = -100
"""The label of an id that bears no loss."""

Message = Mapping[str, object]
Logprobs = npt.NDArray[np.float64]  # NaN where there is none


@dataclass(frozen=True, slots=True)
class Listed:
    """Ids and the field that they stand in."""

    field: str
    ids: Ids


@dataclass(frozen=True, slots=True)
class Turn:
    """One call of an engine."""

    prompt: Listed | None
    completion: Listed | None
    logprobs: Logprobs | None


@dataclass(frozen=True, slots=True)
class Trajectory:
    """A trajectory as far as it can be read; `problems` says what cannot."""

    name: str | None = None
    messages: tuple[Message, ...] | None = None
    spans: Mapping[int, Turn] = field(default_factory=dict)  # sampled ids of messages, by message
    tools: Sequence[object] | None = None
    whole: Listed | None = None
    mask: tuple[str, npt.NDArray[np.bool_]] | None = None
    labels: npt.NDArray[np.int64] | None = None
    logprobs: Logprobs | None = None
    turns: tuple[Turn, ...] = ()
    problems: tuple[Found, ...] = ()

    @property
    def tokens(self) -> int:
        """How many ids it holds, each counted where it stands."""
        listed = [self.whole, *(part for turn in self.turns for part in (turn.prompt, turn.completion))]
        return sum(len(one.ids) for one in listed if one is not None)


def read_trajectory(value: object, vocabulary: Vocabulary) -> Trajectory:
    """The trajectory that a JSON value is; what cannot be read is left out and told in `problems`."""
    if not isinstance(value, Mapping):
        found = Found(Kind.MALFORMED, "", 0, 0, f"a trajectory is a JSON object, not {_kind(value)}")
        return Trajectory(problems=(found,))
    reader = _Reader(vocabulary)
    single = "turns" not in value and any(name in value for name in _SINGLE)
    turns = (reader.turn(value, "", _PROMPT),) if single else reader.turns(value.get("turns"))
    messages, spans = reader.messages(value.get("messages"))
    name = value.get("id")
    tools = value.get("tools")
    return Trajectory(
        None if name is None else str(name)[:80].encode(errors="backslashreplace").decode(),
        messages,
        spans,
        tools if isinstance(tools, Sequence) and not isinstance(tools, str) else None,
        reader.ids(value, _IDS[:1] if single else _IDS, ""),
        reader.mask(value),
        reader.labels(value),
        None if single else reader.logprobs(value, ""),
        turns,
        tuple(reader.problems),
    )


class _Reader:
    """Reads fields and remembers what it could not."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self.problems: list[Found] = []

    def turns(self, given: object) -> tuple[Turn, ...]:
        """The calls of an engine."""
        if given is None:
            return ()
        if not isinstance(given, Sequence) or isinstance(given, str):
            self._problem("turns", f"is a list of turns, not {_kind(given)}")
            return ()
        turns = []
        for i, turn in enumerate(given):
            if isinstance(turn, Mapping):
                turns.append(self.turn(turn, f"turns[{i}].", _PROMPT))
            else:
                self._problem(f"turns[{i}]", f"is an object, not {_kind(turn)}")
        return tuple(turns)

    def turn(self, value: Mapping[str, object], prefix: str, prompt: Sequence[str]) -> Turn:
        """One call of an engine; `prompt` names the fields of its prompt."""
        return Turn(
            self.ids(value, prompt, prefix),
            self.ids(value, _COMPLETION, prefix),
            self.logprobs(value, prefix),
        )

    def messages(self, given: object) -> tuple[tuple[Message, ...] | None, dict[int, Turn]]:
        """The messages, none of them if one cannot be read, and the sampled ids that they carry."""
        if given is None:
            return None, {}
        if not isinstance(given, Sequence) or isinstance(given, str):
            self._problem("messages", f"is a list of messages, not {_kind(given)}")
            return None, {}
        before = len(self.problems)
        spans = {}
        for i, message in enumerate(given):
            name = f"messages[{i}]"
            if not isinstance(message, Mapping):
                self._problem(name, f"is an object, not {_kind(message)}")
            elif not isinstance(message.get("role"), str):
                self._problem(f"{name}.role", f"is a string, not {_kind(message.get('role'))}")
            else:
                self._texts(name, message)
                if message["role"] == "assistant" and any(key in message for key in _COMPLETION):
                    spans[i] = self.turn(message, f"{name}.", ())
        return (tuple(given), spans) if len(self.problems) == before else (None, spans)

    def ids(self, value: Mapping[str, object], names: Sequence[str], prefix: str) -> Listed | None:
        """The ids under the first of these names that is there."""
        for name in names:
            given = value.get(name)
            if given is not None:
                ids = self._integers(prefix + name, given)
                return None if ids is None else self._known(prefix + name, ids)
        return None

    def mask(self, value: Mapping[str, object]) -> tuple[str, npt.NDArray[np.bool_]] | None:
        """The mask, and what it is called."""
        for name in _MASKS:
            if value.get(name) is not None:
                array = _array(value[name])
                if array is None or array.ndim != 1 or array.dtype.kind not in "biuf":
                    self._problem(name, f"is a list of zeros and ones, not {_kind(value[name])}")
                    return None
                strange = np.flatnonzero((array != 0) & (array != 1))
                if len(strange):
                    at = int(strange[0])
                    self._problem(name, f"is {array[at]}; a mask holds 0 and 1", at)
                    return None
                return name, array.astype(bool)
        return None

    def labels(self, value: Mapping[str, object]) -> npt.NDArray[np.int64] | None:
        """The labels; those that are no id are the checks' business."""
        given = value.get("labels")
        return None if given is None else self._integers("labels", given)

    def logprobs(self, value: Mapping[str, object], prefix: str) -> Logprobs | None:
        """The log-probabilities, NaN where there is none."""
        given = value.get("logprobs")
        if given is None:
            return None
        name = f"{prefix}logprobs"
        if not isinstance(given, Sequence | np.ndarray) or isinstance(given, str):
            self._problem(name, f"is a list of numbers, not {_kind(given)}")
            return None
        for i, one in enumerate(given):
            if one is not None and (isinstance(one, bool) or not isinstance(one, int | float | np.number)):
                self._problem(name, f"is a number or null, not {_kind(one)}", i)
                return None
            if one is not None and not one <= 0:
                self._problem(name, f"is {one}; a log-probability is at most 0", i, Kind.MASK)
                return None
        try:
            return np.array(given, dtype=np.float64)
        except OverflowError:  # JSON has integers of any size
            self._problem(name, "holds an integer that is too large for a floating-point number")
            return None

    def _known(self, name: str, ids: npt.NDArray[np.int64]) -> Listed | None:
        at = self._vocabulary.unknown(ids)
        if at is not None:
            self._problem(name, f"is {ids[at]}, and no token of the tokenizer has this id", at)
            return None
        return Listed(name, ids.astype(np.uint32))

    def _integers(self, name: str, given: object) -> npt.NDArray[np.int64] | None:
        array = _array(given)
        if array is not None and array.size == 0 and array.ndim == 1:
            return np.empty(0, dtype=np.int64)
        strange = isinstance(given, list) and bool in set(map(type, given))  # NumPy takes them for numbers
        if array is None or array.ndim != 1 or array.dtype.kind not in "iu" or strange:
            self._problem(name, f"is a list of integers, not {_kind(given)}")
            return None
        return array.astype(np.int64)

    def _texts(self, name: str, message: Message) -> None:
        for place, text in texts(message):
            try:
                check_text(text)
            except InvalidText as error:
                self._problem(f"{name}.{place}", str(error))

    def _problem(self, field: str, message: str, at: int | None = None, kind: Kind = Kind.MALFORMED) -> None:
        start, stop = (0, 0) if at is None else (at, at + 1)
        name = field if at is None else f"{field}[{at}]"
        self.problems.append(Found(kind, field, start, stop, f"`{name}` {message}"))


def as_sent(message: Message) -> Message:
    """The message without its ids and their log-probabilities."""
    return {key: value for key, value in message.items() if key not in (*_COMPLETION, "logprobs")}


def texts(message: Message) -> list[tuple[str, str]]:
    """The texts of a message and their fields: its content, its reasoning, and its tool calls' strings."""
    found: list[tuple[str, str]] = []
    for name in ("content", "reasoning_content", "tool_calls"):
        _strings(name, message.get(name), found)
    return found


def _strings(place: str, value: object, found: list[tuple[str, str]]) -> None:
    todo = [(place, value)]
    while todo:
        place, value = todo.pop()
        if isinstance(value, str):
            found.append((place, value))
        elif isinstance(value, Mapping):
            todo += [(f"{place}.{key}", one) for key, one in reversed(list(value.items()))]
        elif isinstance(value, Sequence):
            todo += [(f"{place}[{i}]", one) for i, one in reversed(list(enumerate(value)))]


def _array(value: object) -> npt.NDArray[np.generic] | None:
    """A list or an array as an array; None for anything else, and for what NumPy cannot make one of."""
    if not isinstance(value, Sequence | np.ndarray) or isinstance(value, str | bytes):
        return None
    try:
        return np.asarray(value)
    except (ValueError, OverflowError, TypeError):
        return None


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "true or false", type(None): "null"}
    if isinstance(value, list) and value:
        kinds = sorted({names.get(type(one), type(one).__name__) for one in value[:1000]})
        return f"a list of {', '.join(kinds)}"
    return names.get(
        type(value), f"a number ({value})" if isinstance(value, int | float) else type(value).__name__
    )
