# SPDX-License-Identifier: Apache-2.0
"""Writes a model folder that vLLM serves with `--load-format dummy`: a two-layer Qwen3 with a tokenizer
trained on the spot. Run it with the engine's own Python: tiny_model.py DEST."""
import json
import pathlib
import sys

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

VOCABULARY = 512
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
PLAIN = ["<think>", "</think>", "<tool_call>", "</tool_call>"]  # one token each, shown in the text
TEXT = ["The quick brown fox jumps over the lazy dog.", "user assistant system developer tool",
        '{"name": "get_weather", "arguments": {"city": "Paris"}}', "<function=f>\n<parameter=city>\nParis\n</parameter>"]
TEMPLATE = """\
{%- for message in messages -%}
<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endfor -%}
{%- if add_generation_prompt -%}<|im_start|>assistant
{% endif -%}
"""


def write_tokenizer(folder):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=VOCABULARY - len(PLAIN), special_tokens=SPECIAL,
                                  initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    tokenizer.train_from_iterator(TEXT, trainer)
    tokenizer.add_tokens(PLAIN)
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "<|im_end|>",
                "pad_token": "<|endoftext|>", "model_max_length": 1024, "clean_up_tokenization_spaces": False}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    (folder / "chat_template.jinja").write_text(TEMPLATE)
    return tokenizer


def write_config(folder, tokenizer):
    config = {"architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "vocab_size": VOCABULARY,
              "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 2,
              "num_key_value_heads": 1, "head_dim": 64, "max_position_embeddings": 1024, "hidden_act": "silu",
              "rms_norm_eps": 1e-6, "tie_word_embeddings": True, "torch_dtype": "bfloat16",
              "bos_token_id": tokenizer.token_to_id("<|endoftext|>"),
              "eos_token_id": tokenizer.token_to_id("<|im_end|>")}
    (folder / "config.json").write_text(json.dumps(config, indent=1))


if __name__ == "__main__":
    destination = pathlib.Path(sys.argv[1])
    destination.mkdir(parents=True, exist_ok=True)
    write_config(destination, write_tokenizer(destination))
