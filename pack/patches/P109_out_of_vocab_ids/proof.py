# SPDX-License-Identifier: Apache-2.0
"""Ids outside the vocabulary must be refused before they become an index into the logits."""

import os
import sys
import types

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.environ.get("GENESIS_PROOF_LIB") or os.path.join(HERE, "..", "_proof"))
from genesis_proof import Proof

proof = Proof()

VOCAB = 100
TOKENIZER = 120  # ids that the tokenizer knows and the model doesn't

# what the request sets, is there a tokenizer, must it be refused
CASES = [
    ({"logprob_token_ids": [5, VOCAB]}, True, True),
    ({"logprob_token_ids": [-1]}, True, True),
    ({"logprob_token_ids": [0, VOCAB - 1]}, True, False),
    ({"stop_token_ids": [VOCAB], "min_tokens": 2}, True, True),
    ({"stop_token_ids": [-VOCAB - 1], "min_tokens": 1}, True, True),
    ({"stop_token_ids": [0, VOCAB - 1], "min_tokens": 2}, True, False),
    ({"allowed_token_ids": [VOCAB + 5]}, True, True),
    ({"allowed_token_ids": [VOCAB + 5]}, False, True),
    ({"allowed_token_ids": [3, VOCAB - 1]}, False, False),
    ({"logit_bias": {VOCAB: 1.0}}, True, True),
    ({}, True, False),
]


class Model:
    max_logprobs = 20
    logits_processors = None
    is_diffusion = False

    def get_vocab_size(self):
        return VOCAB


class Tokenizer:
    def __len__(self):
        return TOKENIZER


def check(verify, refusals, harm=None):
    """verify(settings, tokenizer) raises one of refusals if it refuses; harm(settings) tells what the id would do."""
    problems = []
    for settings, has_tokenizer, refused in CASES:
        try:
            verify(settings, Tokenizer() if has_tokenizer else None)
            result, error = "accepted", None
        except refusals as why:
            result, error = "refused", why
        if refused and result == "accepted":
            consequence = harm(settings) if harm else None
            problems.append(f"{settings} is accepted" + (f", then {consequence}" if consequence else ""))
        elif not refused and result == "refused":
            problems.append(f"{settings} is refused: {error}")
    if proof.patched("sampling_params.py", "P109"):  # no harm without min_tokens, so no refusal
        verify({"stop_token_ids": [VOCAB]}, Tokenizer())
    return problems[:3]


def engine():
    module = proof.load("vllm.sampling_params")
    import torch

    def verify(settings, tokenizer):
        module.SamplingParams(**settings).verify(Model(), None, None, tokenizer)

    def harm(settings):
        """The same index operation that the engine does, on the CPU, where it raises."""
        try:
            logits = torch.zeros(1, VOCAB)
            if "logprob_token_ids" in settings:
                logits.gather(-1, torch.tensor([settings["logprob_token_ids"]]))
            elif "stop_token_ids" in settings:
                ids = torch.tensor(settings["stop_token_ids"], dtype=torch.int32)
                rows = torch.zeros_like(ids)
                logits.index_put_((rows, ids), torch.tensor(float("-inf")))
            elif "allowed_token_ids" in settings:
                logits[0][settings["allowed_token_ids"]] = 1
        except (IndexError, RuntimeError) as error:
            return f"{type(error).__name__}: {error}"
        return None

    return check(verify, (ValueError, module.VLLMValidationError), harm)


def function():
    class Refused(ValueError):
        def __init__(self, text, **_):
            super().__init__(text)

    source = proof.source("sampling_params.py")
    methods = ["verify", "_validate_logprobs", "_validate_logit_bias", "_validate_allowed_token_ids"]
    if "def _validate_stop_token_ids(" in source:
        methods.append("_validate_stop_token_ids")
    space = {"VLLMValidationError": Refused, "MAX_LOGPROB_TOKEN_IDS": 128, "np": None}
    proof.take("sampling_params.py", [f"SamplingParams({', '.join(methods)})"], space)

    class Params(space["SamplingParams"]):
        min_tokens = 0

        def __init__(self, settings):
            self.__dict__.update(settings)

        def __getattr__(self, name):
            return (lambda *_: None) if name.startswith("_validate") else None

    def verify(settings, tokenizer):
        Params(settings).verify(Model(), None, None, tokenizer)

    return check(verify, Refused)


proof.run(engine=engine, function=function)
