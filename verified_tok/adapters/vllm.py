"""vLLM's token-in-token-out fields, as data: what to send, and what comes back.

Sending is yours: nothing here talks to a server. For the HTTP API:

    from verified_tok.adapters import vllm
    from verified_tok.adapters.sampled import extend

    body = vllm.request(conversation, model="qwen3", max_tokens=512)      # POST /v1/completions
    [sampled] = vllm.samples(response.json())
    extend(conversation, sampled)

and for the Python API `llm.generate(vllm.tokens_prompt(conversation), …)`, whose `RequestOutput` is read by
`samples` if it is given as a dictionary.
"""

from __future__ import annotations

from collections.abc import Mapping

from verified_tok.adapters import fields
from verified_tok.adapters.sampled import Sampled
from verified_tok.conversation import Conversation
from verified_tok.errors import InvalidResponse


def request(conversation: Conversation, **parameters: object) -> dict[str, object]:
    """The body of a request to `/v1/completions`: the prompt as ids, and ids and log-probabilities asked
    back. `parameters` are further fields, and go before these.

    Raises `InvalidOperation` if no turn of the assistant is open.
    """
    prompt: list[int] = conversation.prompt_ids_for_engine().tolist()
    return {"prompt": prompt, "return_token_ids": True, "logprobs": 0, **parameters}


def tokens_prompt(conversation: Conversation) -> dict[str, list[int]]:
    """The prompt of the Python API (`TokensPrompt`). Raises `InvalidOperation` as `request` does."""
    return {"prompt_token_ids": conversation.prompt_ids_for_engine().tolist()}


def samples(response: object) -> list[Sampled]:
    """The completions of a response of `/v1/completions`, `/v1/chat/completions` or
    `/inference/v1/generate`, or of a `RequestOutput`, in the order in which they stand there.

    Raises `InvalidResponse` if one has no ids: the request must ask for them with `return_token_ids`.
    """
    whole = fields.mapping(response, "")
    name = "choices" if "choices" in whole else "outputs"
    if name not in whole:
        raise InvalidResponse("the response has no `choices` and no `outputs`: it is none of vLLM's")
    return [
        _sampled(fields.mapping(choice, f"{name}[{place}]"), whole, f"{name}[{place}]")
        for place, choice in enumerate(fields.items(whole[name], name))
    ]


def _sampled(choice: Mapping[str, object], whole: Mapping[str, object], name: str) -> Sampled:
    if choice.get("token_ids") is None:
        raise InvalidResponse(f"`{name}` has no `token_ids`; ask for them with `return_token_ids`")
    ids = fields.ids(choice["token_ids"], f"{name}.token_ids")
    prompt = choice.get("prompt_token_ids", whole.get("prompt_token_ids"))
    return Sampled(
        ids,
        _logprobs(choice.get("logprobs"), ids, f"{name}.logprobs"),
        None if prompt is None else fields.ids(prompt, "prompt_token_ids"),
    )


def _logprobs(given: object, ids: tuple[int, ...], name: str) -> tuple[float | None, ...] | None:
    """One for each id: a list under `token_logprobs`, objects under `content`, or the Python API's list of a
    mapping from ids for each place."""
    if given is None:
        return None
    if not isinstance(given, Mapping):
        entries = [
            dict(fields.mapping(one, f"{name}[{i}]")) for i, one in enumerate(fields.items(given, name))
        ]
        if len(entries) != len(ids):
            raise InvalidResponse(f"`{name}` has {len(entries)} entries for {len(ids)} sampled ids")
        chosen = [_of(one, id) for id, one in zip(ids, entries, strict=True)]
        return tuple(fields.logprob(value, f"{name}[{i}]") for i, value in enumerate(chosen))
    if given.get("content") is not None:
        content = fields.items(given["content"], f"{name}.content")
        values = [fields.mapping(one, f"{name}.content[{i}]").get("logprob") for i, one in enumerate(content)]
    else:
        values = list(fields.items(given.get("token_logprobs"), f"{name}.token_logprobs"))
    return tuple(fields.logprob(value, f"{name}[{i}]") for i, value in enumerate(values))


def _of(entry: Mapping[str, object], id: int) -> object:
    """The log-probability of an id among those of its place; a key is the id, or in JSON its digits."""
    found = next((value for key, value in entry.items() if str(key) == str(id)), None)
    return found.get("logprob") if isinstance(found, Mapping) else getattr(found, "logprob", found)
