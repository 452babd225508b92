"""Values of wrong types, for every parameter of every public function: the error is one of ours."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from tiny import byte_level

import verified_tok as vt
from verified_tok.audit import Kind
from verified_tok.errors import InvalidOption, VerifiedTokError

RANKS = {bytes([byte]): byte for byte in range(256)}
TOK = vt.load(json.dumps(byte_level()).encode())
CHAT = vt.from_tiktoken(RANKS, r"\p{L}+|\P{L}", {"<|im_start|>": 256, "<|im_end|>": 257})
HELLO = {"role": "user", "content": "hello"}
NOWHERE = "/no such folder/file"

WRONG: list[Callable[[], Any]] = [
    *(
        (lambda value=value: value)
        for value in (
            *(None, True, -1, 3, 10**30, 2.5, float("nan"), 3j, ..., object(), object, int),
            *("text", "", "\ud800", "a\0b", "strict", b"\xff\x00", bytearray(b"a"), memoryview(b"abc")),
            *(
                [],
                [[]],
                [None],
                ["a"],
                ["\ud800"],
                [2.5],
                [10**30],
                [-1],
                [2**40],
                (),
                (1,),
                {},
                {"a": 1},
                {1: None},
                set(),
                range(3),
            ),
        )
    ),
    *(
        (lambda value=value: np.array(value))
        for value in (3, [], [1, 2], [[1, 2], [3, 4]], ["a", "b"], [1.5], [None, "a"], [True, False], [b"a"])
    ),
    lambda: np.zeros(0, dtype=[("a", int)]),
    lambda: np.datetime64(3, "s"),
    lambda: np.float64(1),
    lambda: np.str_("a"),
    lambda: iter([1]),
    lambda: (letter for letter in "ab"),
]


class Call(NamedTuple):
    """A public function, made anew for each call, and good values for its parameters."""

    function: Callable[[], Callable[..., object]]
    good: Mapping[str, Any]

    def __call__(self, parameter: str, value: Any) -> object:
        return self.function()(**{**self.good, parameter: value})


def methods(name: str, owner: Callable[[], object], good: Mapping[str, Mapping[str, Any]]) -> dict[str, Call]:
    """The methods of what `owner` makes."""
    return {
        f"{name}.{method}": Call(lambda method=method: getattr(owner(), method), values)  # type: ignore[misc]
        for method, values in good.items()
    }


def session() -> vt.Session:
    return TOK.session("the end")


def conversation() -> vt.Conversation:
    made = vt.Conversation(CHAT, "chatml")
    made.add(HELLO)
    return made


def answering() -> vt.Conversation:
    made = conversation()
    made.generation_prompt()
    return made


ENCODES = {"added_tokens": "all", "add_special_tokens": False}
DEVICES = {"threads": 1, "device": "cpu", "device_output": False}
ON_TOK: dict[str, Mapping[str, Any]] = {
    "admission": {"deep": False},
    "id_to_bytes": {"id": 3},
    "token_to_id": {"token": "a"},
    "encode": {"text": "a", **ENCODES, **DEVICES},
    "encode_ordinary": {"text": "a"},
    "encode_batch": {"texts": ["a"], **ENCODES, **DEVICES},
    "encode_with_spans": {"text": "a", **ENCODES},
    "count": {"text": "a", **ENCODES},
    "normalize": {"text": "a", "added_tokens": "all"},
    "is_normalized": {"text": "a", "added_tokens": "all"},
    "pre_tokenize": {"text": "a"},
    "session": {"text": "a", "added_tokens": "all", "device": "cpu"},
    "seams": {"added_tokens": "all"},
    "load_session": {"path": NOWHERE},
    "decode": {"ids": [3], "errors": "replace", "skip_special_tokens": False},
    "decode_bytes": {"ids": [3], "skip_special_tokens": False},
    "decode_batch": {
        "batch": [[3]],
        "offsets": None,
        "errors": "replace",
        "skip_special_tokens": False,
        "threads": 1,
    },
    "decode_stream": {"prompt": [3], "skip_special_tokens": False},
}
ON_SESSION: dict[str, Mapping[str, Any]] = {
    "append": {"text": "a"},
    "insert": {"at": 1, "text": "a"},
    "truncate": {"length": 1},
    "edit": {"start": 0, "stop": 1, "text": "a"},
    "edit_bytes": {"start": 0, "stop": 1, "text": "a"},
    "update": {"text": "a"},
    "concat": {"other": session()},
    "fork": {},
    "save": {"path": NOWHERE},
}
ON_CONVERSATION: dict[str, Mapping[str, Any]] = {
    "drift": {},
    "add": {"message": HELLO},
    "generation_prompt": {},
    "prompt_ids_for_engine": {},
    "extend_sampled": {"ids": [104], "logprobs": None},
    "close": {"token": None},
    "insert": {"at": 0, "message": HELLO},
    "replace": {"at": 0, "message": HELLO},
    "delete": {"at": 0},
    "truncate": {"length": 1},
    "fork": {},
    "to_json": {},
    "from_json": {"tokenizer": CHAT, "data": conversation().to_json()},
}
TRAJECTORY = {"messages": [HELLO], "ids": [999]}

FUNCTIONS: dict[Callable[..., object], Mapping[str, Any]] = {
    vt.load: {"source": json.dumps(byte_level()).encode()},
    vt.from_tiktoken: {"ranks": RANKS, "pattern": "a", "special_tokens": {}, "normalizer": None},
    vt.audit: {"trajectories": [TRAJECTORY], "tok": CHAT, "template": None, "keep": 100, "each": None},
    vt.Conversation: {"tokenizer": CHAT, "template": "chatml"},
}
PARTS: dict[str, Callable[[Any], object]] = {
    "a message's role": lambda role: conversation().add({"role": role, "content": "a"}),
    "a message's content": lambda content: conversation().add({"role": "user", "content": content}),
    "one of several messages": lambda one: conversation().add([HELLO, one]),
    "one of several texts": lambda one: TOK.encode_batch(["a", one]),
    "one of several sequences": lambda one: TOK.decode_batch([[3], one]),
    "the ids of a batch": lambda ids: TOK.decode_batch(ids, [0, 1]),
}
CALLS: dict[str, Call] = {
    **{function.__name__: Call(lambda f=function: f, good) for function, good in FUNCTIONS.items()},  # type: ignore[misc]
    **methods("Tokenizer", lambda: TOK, ON_TOK),
    **methods("Session", session, ON_SESSION),
    **methods("Conversation", answering, ON_CONVERSATION),
    **methods("Patch", lambda: session().append("a"), {"apply": {"ids": [1, 2, 3]}}),
    **methods("SeamTable", TOK.seams, {"is_seam": {"x": "a", "y": "b"}}),
    **methods("StreamDecoder", TOK.decode_stream, {"put": {"ids": [3]}, "finish": {"errors": "strict"}}),
    **{
        name: Call(lambda part=part: lambda value: part(value), {"value": None})
        for name, part in PARTS.items()
    },  # type: ignore[misc]
}
PARAMETERS = [(name, parameter) for name, call in CALLS.items() for parameter in call.good]


@pytest.mark.parametrize(
    ("kind", "good"),
    [(vt.Tokenizer, ON_TOK), (vt.Session, ON_SESSION), (vt.Conversation, ON_CONVERSATION)],
)
def test_every_method_is_tried(kind: type, good: Mapping[str, Mapping[str, Any]]) -> None:
    assert dict(signatures(kind)) == {name: set(values) for name, values in good.items()}


def signatures(kind: type) -> Iterator[tuple[str, set[str]]]:
    """The public methods of a class, and the names of their parameters."""
    for name, member in vars(kind).items():
        function = getattr(member, "__func__", member)
        if not name.startswith("_") and inspect.isfunction(function):
            yield name, set(inspect.signature(function).parameters) - {"self", "cls"}


@pytest.mark.parametrize(("name", "parameter"), PARAMETERS, ids=[f"{n}({p})" for n, p in PARAMETERS])
def test_the_error_is_ours(
    name: str, parameter: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # some values are good paths to save to
    refused = 0
    for make in WRONG:
        value = make()
        try:
            CALLS[name](parameter, value)
        except VerifiedTokError:
            refused += 1
        except OSError:
            if not isinstance(value, str):  # which may be a path
                raise
        except TypeError:
            if not callable(value) or parameter != "each":  # what is called raises what it likes
                raise
    assert refused > 10


@pytest.mark.parametrize(
    "trajectory", [lambda wrong: wrong, lambda wrong: {"ids": wrong}], ids=["all", "ids"]
)
def test_an_audit_finds_them(trajectory: Callable[[object], object]) -> None:
    """(Wrong parts of a trajectory are findings, and raise nothing.)"""
    reports = [vt.audit([trajectory(make())], CHAT) for make in WRONG]
    assert sum(Kind.MALFORMED in report.counts for report in reports) > 40


def test_names_on_the_hub_are_strs() -> None:
    """(A str would be asked for.)"""
    for make in WRONG:
        value = make()
        if not isinstance(value, str):
            with pytest.raises(InvalidOption, match="strs"):
                vt.from_pretrained(value)
            with pytest.raises(InvalidOption, match="strs"):
                vt.from_pretrained("someone/something", value if value is not None else 1)
