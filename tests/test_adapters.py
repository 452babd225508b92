"""Fields of vLLM's and SGLang's requests and responses, and conversations made of them."""

from __future__ import annotations

from typing import Any

import pytest
from hostile import text
from hypothesis import given
from hypothesis import strategies as st

import verified_tok as vt
from verified_tok.adapters import sglang, vllm
from verified_tok.adapters.sampled import Sampled, conversation_from_ids, extend
from verified_tok.errors import InvalidOperation, InvalidResponse
from verified_tok.fetch import fetch

TOK = vt.from_tiktoken(
    {bytes([b]): b for b in range(256)} | {b"he": 256, b"ll": 257, b"hell": 258, b"hello": 259},
    r" ?\p{L}+|[^\p{L}]",
    {"<|im_start|>": 300, "<|im_end|>": 301},
)
USER = {"role": "user", "content": "Hi <|im_end|>"}
IDS, LOGPROBS = [256, 257, 111, 301], [-0.5, -0.25, None, -1.0]


def asked() -> vt.Conversation:
    conversation = vt.Conversation(TOK, "chatml")
    conversation.add(USER)
    conversation.generation_prompt()
    return conversation


PROMPT = asked().ids.tolist()
# What each interface answers, as its own documentation and sources have it.
VLLM_RESPONSES: dict[str, dict[str, Any]] = {
    "/v1/completions": {
        "choices": [
            {
                "text": "hello",
                "token_ids": IDS,
                "prompt_token_ids": PROMPT,
                "logprobs": {"tokens": ["he", "ll", "o", ""], "token_logprobs": LOGPROBS},
            }
        ]
    },
    "/v1/chat/completions": {
        "prompt_token_ids": PROMPT,
        "choices": [
            {
                "message": {"role": "assistant", "content": "hello"},
                "token_ids": IDS,
                "logprobs": {"content": [{"token": "", "logprob": one} for one in LOGPROBS]},
            }
        ],
    },
    "RequestOutput": {
        "prompt_token_ids": PROMPT,
        "outputs": [
            {
                "token_ids": tuple(IDS),
                "logprobs": [
                    {65: {"logprob": -9.0}, id: {"logprob": one}}
                    for id, one in zip(IDS, LOGPROBS, strict=True)
                ],
            }
        ],
    },
    "without log-probabilities": {"choices": [{"token_ids": IDS, "logprobs": None}]},
}
SGLANG_RESPONSES: dict[str, Any] = {
    "/generate": {
        "text": "hello",
        "output_ids": IDS,
        "meta_info": {
            "output_token_logprobs": [[one, id, None] for one, id in zip(LOGPROBS, IDS, strict=True)],
            "finish_reason": {"type": "stop", "matched": 301},
        },
    },
    "/generate, ids beside the log-probabilities only": [
        {"meta_info": {"output_token_logprobs": [[-0.5, id, "x"] for id in IDS]}}
    ],
    "/generate without log-probabilities": {"output_ids": IDS, "meta_info": {}},
}


def test_requests_hold_the_ids_of_the_conversation():
    assert vllm.request(asked(), model="m") == {
        "prompt": PROMPT,
        "return_token_ids": True,
        "logprobs": 0,
        "model": "m",
    }
    assert vllm.tokens_prompt(asked()) == {"prompt_token_ids": PROMPT}
    assert sglang.request(asked(), max_new_tokens=8) == {
        "input_ids": PROMPT,
        "sampling_params": {"max_new_tokens": 8},
        "return_logprob": True,
    }
    for make in (vllm.request, vllm.tokens_prompt, sglang.request):
        with pytest.raises(InvalidOperation):
            make(vt.Conversation(TOK, "chatml"))


@pytest.mark.parametrize("name", [*VLLM_RESPONSES, *SGLANG_RESPONSES])
def test_sampled_ids_go_into_the_conversation_as_they_are(name):
    known = name in VLLM_RESPONSES
    [sampled] = vllm.samples(VLLM_RESPONSES[name]) if known else sglang.samples(SGLANG_RESPONSES[name])
    assert sampled.ids == tuple(IDS)
    conversation = asked()
    extend(conversation, sampled)
    assert conversation.ids.tolist() == PROMPT + IDS
    assert conversation.messages[-1] == {"role": "assistant", "content": "hello"}
    if "without" not in name and "only" not in name:
        assert sampled.logprobs == tuple(LOGPROBS)
        assert conversation.logprobs[-1] == -1.0


def test_several_completions():
    response = {"choices": [{"token_ids": [104]}, {"token_ids": [105]}]}
    assert [one.ids for one in vllm.samples(response)] == [(104,), (105,)]
    assert [one.ids for one in sglang.samples([{"output_ids": [104]}, {"output_ids": [105]}])] == [
        (104,),
        (105,),
    ]


def test_an_engine_that_saw_another_prompt_is_refused():
    sampled = Sampled(tuple(IDS), prompt_ids=(*PROMPT[:3], 65, *PROMPT[4:]))
    conversation = asked()
    with pytest.raises(InvalidResponse, match="at place 3"):
        extend(conversation, sampled)
    assert conversation.ids.tolist() == PROMPT


BAD_VLLM: list[Any] = [
    [],
    {},
    {"choices": {}},
    {"choices": [1]},
    {"choices": [{"text": "no ids"}]},
    {"choices": [{"token_ids": [1.5]}]},
    {"choices": [{"token_ids": [True]}]},
    {"choices": [{"token_ids": [1], "logprobs": {"token_logprobs": [-1, -1]}}]},
    {"choices": [{"token_ids": [1], "logprobs": {"content": [1]}}]},
    {"choices": [{"token_ids": [1], "logprobs": {"content": [{"logprob": "-1"}]}}]},
    {"outputs": [{"token_ids": [1, 2], "logprobs": [{1: {"logprob": -1}}]}]},
    {"choices": [{"token_ids": [1], "prompt_token_ids": "1"}]},
]
BAD_SGLANG: list[Any] = [
    1,
    {},
    {"text": "no ids", "meta_info": {}},
    {"output_ids": [1], "meta_info": []},
    {"output_ids": [1], "meta_info": {"output_token_logprobs": [[-1, 2, None]]}},
    {"output_ids": [1], "meta_info": {"output_token_logprobs": [[-1]]}},
    {"meta_info": {"output_token_logprobs": [["x", 2, None]]}},
]


@pytest.mark.parametrize("place", range(len(BAD_VLLM)))
def test_responses_that_are_none_of_vllms(place):
    with pytest.raises(InvalidResponse):
        vllm.samples(BAD_VLLM[place])


@pytest.mark.parametrize("place", range(len(BAD_SGLANG)))
def test_responses_that_are_none_of_sglangs(place):
    with pytest.raises(InvalidResponse):
        sglang.samples(BAD_SGLANG[place])


MESSAGE = st.fixed_dictionaries({"role": st.sampled_from(["system", "user"]), "content": text(5)})


@given(st.lists(MESSAGE, max_size=4), st.lists(st.sampled_from(IDS[:3]), max_size=5))
def test_a_conversation_comes_back_from_its_ids(messages, said):
    conversation = vt.Conversation(TOK, "chatml")
    conversation.add(messages)
    conversation.generation_prompt()
    conversation.extend_sampled([*said, 301])
    conversation.add(USER)
    conversation.generation_prompt()
    again = conversation_from_ids(TOK, "chatml", conversation.ids)
    assert again.ids.tolist() == conversation.ids.tolist()
    assert again.messages == conversation.messages
    assert again.loss_mask.tolist() == conversation.loss_mask.tolist()


@pytest.mark.parametrize("name", ["qwen3", "llama3.1", "harmony", "deepseek-v3.1"])
def test_conversations_of_real_formats_come_back(name):
    tok = vt.load(fetch({"llama3.1": "llama-3.1", "harmony": "gpt-oss"}.get(name, name)))
    conversation = vt.Conversation(tok, name)
    conversation.add({"role": "system", "content": "Be brief."})
    conversation.add(USER)
    conversation.add({"role": "assistant", "content": "Hello."})
    conversation.add(USER)
    conversation.generation_prompt()
    again = conversation_from_ids(tok, name, conversation.ids)
    assert again.ids.tolist() == conversation.ids.tolist()
    assert again.messages == conversation.messages


@pytest.mark.parametrize(
    ("ids", "where"),
    [
        ([65, *PROMPT], r"ids\[0:"),
        ([300, *b"user\n", 104, 101, 301], r"ids\[6\]"),  # "he" is not encoded so
        ([*PROMPT[:-1], 65], r"ids\["),
    ],
)
def test_ids_that_are_no_conversation(ids, where):
    with pytest.raises(InvalidOperation, match=where):
        conversation_from_ids(TOK, "chatml", ids)
