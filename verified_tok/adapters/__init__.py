"""What other software says about conversations and ids: chat templates of `transformers`, and the fields of
vLLM's and SGLang's requests and responses. All of it is data; nothing here imports those packages."""
