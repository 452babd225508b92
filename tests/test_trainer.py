"""A trainer's loop from beginning to end: a long conversation with tools, sampled by an engine that spells as
it likes, through the engine's fields, a file, an edit and the audit."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np
import pytest

import verified_tok as vt
from verified_tok import chat
from verified_tok.adapters import sglang, vllm
from verified_tok.adapters.sampled import conversation_from_ids, extend
from verified_tok.fetch import open_family

TOOL = {"type": "function", "function": {"name": "search", "description": "Searches.", "parameters": {}}}
REPLIES = {
    "qwen3": (
        "<think>\nLet me see.\n</think>\n\n<tool_call>\n"
        '{"name": "search", "arguments": {"q":"weather"}}\n</tool_call><|im_end|>',
        "<think>\nGood.\n</think>\n\nSunny. 晴れ🙂<|im_end|>",
    ),
    "harmony": (
        "<|channel|>analysis<|message|>Let me see.<|end|><|start|>assistant<|channel|>commentary "
        'to=functions.search <|constrain|>json<|message|>{"q":"weather"}<|call|>',
        "<|channel|>analysis<|message|>Good.<|end|><|start|>assistant<|channel|>final<|message|>Sunny. 晴れ🙂"
        "<|return|>",
    ),
}


def spelled(tok: vt.Tokenizer, text: str, rng: random.Random) -> list[int]:
    """Ids that spell a text by accident: control tokens (and a header's role), and texts cut anywhere."""
    added = {token.content: token.id for token in tok.spec.added_tokens}
    added["assistant"] = tok.encode("assistant").tolist()[0]
    ids: list[int] = []
    while text:
        control = next((literal for literal in added if text.startswith(literal)), None)
        if control is None:
            size = min([rng.randint(1, 5), *(at for literal in added if (at := text.find(literal)) > 0)])
            ids += tok.encode_ordinary(text[:size]).tolist()
        else:
            size = len(control)
            ids.append(added[control])
        text = text[size:]
    return ids


def of_vllm(talk: vt.Conversation, ids: list[int], logprobs: list[float]) -> None:
    prompt = vllm.request(talk, max_tokens=64)["prompt"]
    choice = {"token_ids": ids, "prompt_token_ids": prompt, "logprobs": {"token_logprobs": logprobs}}
    [sampled] = vllm.samples(json.loads(json.dumps({"choices": [choice]})))
    extend(talk, sampled)


def of_sglang(talk: vt.Conversation, ids: list[int], logprobs: list[float]) -> None:
    assert sglang.request(talk, max_new_tokens=64)["input_ids"] == talk.ids.tolist()
    rows = [[logprob, id, None] for id, logprob in zip(ids, logprobs, strict=True)]
    [sampled] = sglang.samples({"output_ids": ids, "meta_info": {"output_token_logprobs": rows}})
    extend(talk, sampled)


@pytest.mark.parametrize(
    ("family", "template", "engine"),
    [("qwen3", chat.known("qwen3"), of_vllm), ("gpt-oss", chat.harmony(tools=True), of_sglang)],
)
def test_ten_turns_with_tools(family, template, engine):
    rng = random.Random(family)
    tok = open_family(family)
    talk = vt.Conversation(tok, template)
    talk.add({"role": "system", "content": "You are brief.", "tools": [TOOL]})
    said: list[int] = []
    logprobs: list[float] = []
    for number in range(10):
        talk.add({"role": "user", "content": f"{number}: what is the weather? <|im_start|> <|call|>"})
        for reply in REPLIES[template.name]:
            talk.generation_prompt()
            ids = spelled(tok, reply, rng)
            if number == 5 and reply is REPLIES[template.name][1]:
                ids = ids[:-1]  # the engine stopped for want of room
            said += ids
            logprobs += (own := [-rng.random() for _ in ids])
            before = talk.ids.tolist()
            engine(talk, ids, own)
            assert talk.ids.tolist() == before + ids
            calls = talk.messages[-1].get("tool_calls", ())
            if calls:
                talk.add([{"role": "tool", "content": "20 °C", "tool_call_id": call["id"]} for call in calls])
        talk.close()

    def is_right(talk: vt.Conversation) -> None:
        assert talk.ids[talk.loss_mask].tolist() == said
        assert talk.logprobs[talk.loss_mask].tolist() == logprobs
        assert np.isnan(talk.logprobs[~talk.loss_mask]).all()
        assert (talk.assistant_mask >= talk.loss_mask).all()
        answers = [message for message in talk.messages if message["role"] == "assistant"]
        called = [message["tool_calls"][0] for message in answers if "tool_calls" in message]
        assert [call["function"]["arguments"] for call in called] == ['{"q":"weather"}'] * 10
        results = [m["tool_call_id"] for m in talk.messages if m["role"] == "tool"]
        assert results == [call["id"] for call in called]
        assert len(set(results)) == 10
        assert [m["content"] for m in answers if "tool_calls" not in m] == ["Sunny. 晴れ🙂"] * 10

    is_right(talk)
    assert len(talk) == 1 + 10 * 4
    again = vt.Conversation.from_json(tok, talk.to_json())
    assert again.ids.tolist() == talk.ids.tolist()
    is_right(again)

    before = again.ids.tolist()
    at = again.turn_offsets[17]
    again.insert(17, {"role": "user", "content": "And tomorrow?"})
    behind = len(before) - at
    assert (again.ids[:at].tolist(), again.ids[-behind:].tolist()) == (before[:at], before[at:])
    is_right(again)
    assert conversation_from_ids(tok, template, again.ids).ids.tolist() == again.ids.tolist()

    trajectory: dict[str, Any] = {
        "messages": again.messages,
        "ids": again.ids.tolist(),
        "loss_mask": again.loss_mask.tolist(),
        "logprobs": [None if np.isnan(logprob) else logprob for logprob in again.logprobs.tolist()],
    }
    found = list(vt.audit([trajectory], tok, template, keep=1_000).findings())
    assert {finding.kind.value for finding in found} == {"drift"}  # what was spelled by accident, and no more
    sampled = again.loss_mask.tolist()
    ours = [f for f in found if not any(sampled[f.start : f.stop])]
    assert all("becomes the control token" in f.message for f in ours)  # what users wrote
    trajectory["ids"].insert(at, trajectory["ids"][at])
    assert "mask" in {finding.kind.value for finding in vt.audit([trajectory], tok, template).findings()}
