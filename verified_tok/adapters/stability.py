"""On which conversations a chat template only appends.

A template is *append-stable* on a conversation if rendering one more event keeps all that was rendered
before, and if the generation prompt that an assistant saw stands in front of what it said. Then the ids of
the past never have to change. The tool results between two other messages are one event.

`rewrites` looks at one conversation. `stability` looks at every kind of conversation up to a size: with a
system message or without, answers with and without thinking, tool calls with one and two results.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Protocol

from verified_tok.errors import ChatTemplateError

Message = Mapping[str, object]


class Renders(Protocol):
    """What renders a conversation to a string, and raises `ChatTemplateError` if it cannot."""

    def render(
        self,
        messages: Sequence[Message],
        tools: Sequence[object] | None = None,
        add_generation_prompt: bool = False,
    ) -> str:
        """The rendered conversation."""
        ...


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Rendering `messages[:stop]` does not begin with the rendering of `messages[:kept]`.

    They differ from character `at` on. `prompt` says that the shorter one ends in a generation prompt.
    """

    kept: int
    stop: int
    prompt: bool
    at: int
    before: str
    after: str

    def excerpts(self, width: int = 60) -> tuple[str, str]:
        """What stood at the place and what stands there now, with some characters around it."""
        window = slice(max(0, self.at - width // 2), self.at + width // 2)
        return self.before[window], self.after[window]


def rewrites(
    template: Renders, messages: Sequence[Message], tools: Sequence[object] | None = None
) -> Iterator[Rewrite]:
    """Every place where a conversation that grows event by event is not only appended to.

    A beginning of the conversation that the template refuses is passed over. Raises `ChatTemplateError` if
    it refuses the whole conversation.
    """
    last: tuple[int, str] | None = None
    for stop in (place for place in range(1, len(messages) + 1) if _is_edge(messages, place)):
        try:
            text = template.render(messages[:stop], tools)
        except ChatTemplateError:
            if stop == len(messages):
                raise
            continue
        if last is not None and not text.startswith(last[1]):
            yield _rewrite(last[0], stop, False, last[1], text)
        if messages[stop - 1].get("role") == "assistant" and stop > 1:
            prompt = _prompt(template, messages[: stop - 1], tools)
            if prompt is not None and not text.startswith(prompt):
                yield _rewrite(stop - 1, stop, True, prompt, text)
        last = stop, text


def _is_edge(messages: Sequence[Message], place: int) -> bool:
    """Whether an event ends before `messages[place]`."""
    return place == len(messages) or not all(
        message.get("role") == "tool" for message in messages[place - 1 : place + 1]
    )


def _prompt(template: Renders, messages: Sequence[Message], tools: Sequence[object] | None) -> str | None:
    try:
        return template.render(messages, tools, add_generation_prompt=True)
    except ChatTemplateError:
        return None


def _rewrite(kept: int, stop: int, prompt: bool, before: str, after: str) -> Rewrite:
    at = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), None)
    shorter = min(len(before), len(after))
    return Rewrite(kept, stop, prompt, shorter if at is None else at, before, after)


# --- every kind of conversation ----------------------------------------------------------------------

_THINKING = "I think about it."
_CALL = {"type": "function", "function": {"name": "look_up", "arguments": {"word": "seam"}}}
_TOOL = {
    "type": "function",
    "function": {
        "name": "look_up",
        "description": "Looks a word up.",
        "parameters": {
            "type": "object",
            "properties": {"word": {"type": "string", "description": "The word."}},
            "required": ["word"],
        },
    },
}
_PARTS: Mapping[str, Message] = {
    "system": {"role": "system", "content": "You are brief."},
    "user": {"role": "user", "content": "What is a seam?"},
    "answer": {"role": "assistant", "content": "A line."},
    "thinking + answer": {"role": "assistant", "content": "A line.", "reasoning_content": _THINKING},
    "call": {"role": "assistant", "content": "", "tool_calls": [_CALL | {"id": "call00001"}]},
    "thinking + call": {
        "role": "assistant",
        "content": "",
        "reasoning_content": _THINKING,
        "tool_calls": [_CALL | {"id": "call00001"}],
    },
    "two calls": {
        "role": "assistant",
        "content": "",
        "tool_calls": [_CALL | {"id": "call00001"}, _CALL | {"id": "call00002"}],
    },
    "result": {"role": "tool", "tool_call_id": "call00001", "name": "look_up", "content": "A line."},
    "second result": {"role": "tool", "tool_call_id": "call00002", "name": "look_up", "content": "A join."},
}
_TURNS = (
    ("answer",),
    ("thinking + answer",),
    ("call", "result", "answer"),
    ("thinking + call", "result", "answer"),
    ("thinking + call", "result", "thinking + answer"),
    ("two calls", "result", "second result", "answer"),
)

Shape = tuple[str, ...]
"""A kind of conversation: the kinds of its messages in order."""


@dataclass(frozen=True, slots=True)
class ShapeRewrite:
    """A conversation of this shape, grown by its last event or answered, is rewritten; no shorter shape
    inside it is."""

    shape: Shape
    rewrite: Rewrite

    def __str__(self) -> str:
        before, after = self.rewrite.excerpts()
        shape, kept = list(self.shape), self.rewrite.kept
        what = "generation prompt" if self.rewrite.prompt else "past"
        return (
            f"{', '.join(shape[:kept])} | {', '.join(shape[kept:])}\n"
            f"    {what} was  …{before!r}…\n    it became {'' if self.rewrite.prompt else ' '}…{after!r}…"
        )


@dataclass(frozen=True, slots=True)
class Stability:
    """On which kinds of conversations a template is append-stable.

    `rewrites` holds the smallest kinds that it rewrites: every other one in `unstable` has one inside it.
    `joins_results` says that it renders a tool result in another way if one more follows, so that results
    can only be appended together; None if it refuses them.
    """

    stable: tuple[Shape, ...]
    unstable: tuple[Shape, ...]
    refused: tuple[tuple[Shape, str], ...]
    rewrites: tuple[ShapeRewrite, ...]
    joins_results: bool | None

    def __bool__(self) -> bool:
        """Whether it is stable on everything that it renders, and renders something."""
        return bool(self.stable) and not self.unstable

    def __str__(self) -> str:
        looked = len(self.stable) + len(self.unstable)
        lines = [f"append-stable on {len(self.stable)} of {looked} kinds of conversations"]
        lines += [f"  rewrites {one}" for one in self.rewrites]
        if self.joins_results:
            lines.append(
                "  tool results can only be appended together: the next one changes the one before it"
            )
        if self.refused:
            lines.append(f"refuses {len(self.refused)} kinds, the first: {', '.join(self.refused[0][0])}")
            lines.append(f"    {self.refused[0][1]}")
        return "\n".join(lines)

    def to_json(self) -> dict[str, object]:
        """The same as JSON values."""
        return {
            "stable": [list(shape) for shape in self.stable],
            "unstable": [list(shape) for shape in self.unstable],
            "joins_results": self.joins_results,
            "refused": [{"shape": list(shape), "reason": reason} for shape, reason in self.refused],
            "rewrites": [
                {
                    "shape": list(one.shape),
                    "kept": one.rewrite.kept,
                    "generation_prompt": one.rewrite.prompt,
                    "at": one.rewrite.at,
                    "before": one.rewrite.excerpts()[0],
                    "after": one.rewrite.excerpts()[1],
                }
                for one in self.rewrites
            ],
        }


def stability(template: Renders, turns: int = 2) -> Stability:
    """On which kinds of conversations a template is append-stable: all that have so many answered turns or
    fewer, and a last user message that may be answered."""
    stable: list[Shape] = []
    unstable: list[Shape] = []
    refused: list[tuple[Shape, str]] = []
    smallest: list[ShapeRewrite] = []
    for shape in sorted(_shapes(turns), key=len):
        messages = [_PARTS[part] for part in shape]
        tools = [_TOOL] if any("call" in part for part in shape) else None
        try:
            found = [ShapeRewrite(shape[: one.stop], one) for one in rewrites(template, messages, tools)]
        except ChatTemplateError as error:
            refused.append((shape, str(error)))
            continue
        (unstable if found else stable).append(shape)
        smallest += [one for one in found if not any(_inside(known, one) for known in smallest)]
    joins = _joins_results(template)
    return Stability(tuple(stable), tuple(unstable), tuple(refused), tuple(smallest), joins)


def _joins_results(template: Renders) -> bool | None:
    messages = [_PARTS[part] for part in ("user", "two calls", "result", "second result")]
    try:
        one, both = (template.render(some, [_TOOL]) for some in (messages[:-1], messages))
    except ChatTemplateError:
        return None
    return not both.startswith(one)


def _shapes(turns: int) -> Iterator[Shape]:
    for system in ((), ("system",)):
        for count in range(turns + 1):
            for answers in product(_TURNS, repeat=count):
                shape: Shape = (*system, *(part for answer in answers for part in ("user", *answer)))
                yield (*shape, "user")
                if count:
                    yield shape


def _inside(small: ShapeRewrite, large: ShapeRewrite) -> bool:
    """Whether one rewrite explains the other: its messages occur in the other's, in order, and it is of the
    same kind."""
    parts = iter(large.shape)
    return small.rewrite.prompt == large.rewrite.prompt and all(part in parts for part in small.shape)
