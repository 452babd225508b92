"""SGLang's token-in-token-out fields, as data: what to send to `/generate`, and what comes back.

from verified_tok.adapters import sglang
from verified_tok.adapters.sampled import extend

body = sglang.request(conversation, max_new_tokens=512)
[sampled] = sglang.samples(response.json())
extend(conversation, sampled)
"""

from __future__ import annotations

from collections.abc import Mapping

from verified_tok.adapters import fields
from verified_tok.adapters.sampled import Sampled
from verified_tok.conversation import Conversation
from verified_tok.errors import InvalidResponse


def request(conversation: Conversation, **sampling: object) -> dict[str, object]:
    """The body of a request: the prompt as ids, log-probabilities asked back. `sampling` are the
    `sampling_params`.

    Raises `InvalidOperation` if no turn of the assistant is open.
    """
    prompt: list[int] = conversation.prompt_ids_for_engine().tolist()
    return {"input_ids": prompt, "sampling_params": sampling, "return_logprob": True}


def samples(response: object) -> list[Sampled]:
    """The completions of a response: of one object, or of a list of them (`n` above 1).

    The ids are `output_ids`, or those beside the log-probabilities. Raises `InvalidResponse` if there are
    none, or the two differ.
    """
    several = response if isinstance(response, list) else [response]
    return [_sampled(fields.mapping(one, f"[{place}]"), f"[{place}]") for place, one in enumerate(several)]


def _sampled(one: Mapping[str, object], name: str) -> Sampled:
    about = fields.mapping(one.get("meta_info", {}), f"{name}.meta_info")
    ids = None if one.get("output_ids") is None else fields.ids(one["output_ids"], f"{name}.output_ids")
    given = about.get("output_token_logprobs")
    if given is None:
        if ids is None:
            raise InvalidResponse(f"`{name}` has no `output_ids` and no `output_token_logprobs`")
        return Sampled(ids)
    where = f"{name}.meta_info.output_token_logprobs"
    rows = [fields.items(row, f"{where}[{i}]") for i, row in enumerate(fields.items(given, where))]
    if any(len(row) < 2 for row in rows):
        raise InvalidResponse(f"`{where}` has an entry without an id")
    beside = fields.ids([row[1] for row in rows], where)
    if ids is not None and ids != beside:
        raise InvalidResponse(f"`{name}.output_ids` and the ids of `{where}` differ")
    return Sampled(beside, tuple(fields.logprob(row[0], f"{where}[{i}]") for i, row in enumerate(rows)))
