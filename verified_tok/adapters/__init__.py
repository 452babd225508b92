"""What other software says about conversations and ids: chat templates of `transformers`, and the fields of
vLLM's and SGLang's requests and responses. All of it is data; nothing here imports those packages.

    chat_template   a published template, rendered as `transformers` does
    stability       on which conversations a template only appends
    vllm, sglang    requests of a conversation, and what the engine sampled
    sampled         `extend` puts that into the conversation; a conversation of a prompt's ids
"""
