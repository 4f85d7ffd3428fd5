# SPDX-License-Identifier: Apache-2.0
"""Structured outputs that no backend can compile must be refused; an empty regex must not be."""

import os
import sys
import types

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.environ.get("GENESIS_PROOF_LIB") or os.path.join(HERE, "..", "_proof"))
from genesis_proof import Cannot, Proof

proof = Proof()

# constraint, must it be refused
CASES = [
    ({"structural_tag": ""}, True),
    ({"structural_tag": " \n"}, True),
    ({"json": ""}, True),
    ({"json_object": False}, True),
    ({"grammar": ""}, True),
    ({"choice": []}, True),
    ({"regex": ""}, False),
    ({"regex": "a+"}, False),
    ({"json": "{}"}, False),
    ({"json": {}}, False),
    ({"json_object": True}, False),
    ({"choice": [""]}, False),
]


def check(validate, refusals, compile_it=None):
    """validate(constraint, backend) raises one of refusals if it refuses; compile_it does what the engine does next."""
    problems = []
    for constraint, refused in CASES:
        for backend in ("auto", "xgrammar"):
            try:
                params = validate(constraint, backend)
            except refusals as error:
                if not refused:
                    problems.append(f"{constraint} is refused: {error}")
                continue
            if not refused and compile_it is None:
                continue
            try:
                after = "the engine compiles it"
                if compile_it:
                    compile_it(params)
            except Exception as error:
                after = f"the engine dies of {type(error).__name__}: {str(error).strip().splitlines()[0][:90]}"
            if refused:
                problems.append(f"{constraint} passes the checks" + (f", then {after}" if compile_it else ""))
                break
            if after != "the engine compiles it":
                problems.append(f"{constraint} is valid, but {after}")
    return problems[:3]


def engine():
    module = proof.load("vllm.sampling_params")
    request = proof.load("vllm.v1.structured_output.request")
    backends = proof.load("vllm.v1.structured_output.backend_xgrammar")
    try:
        import xgrammar
    except ImportError as error:
        raise Cannot(str(error)) from error

    model = types.SimpleNamespace(is_diffusion=False)

    def validate(constraint, backend):
        params = module.SamplingParams(structured_outputs=module.StructuredOutputsParams(**constraint))
        config = types.SimpleNamespace(backend=backend)
        arguments = [config, object()]
        if params._validate_structured_outputs.__code__.co_argcount == 4:
            arguments.insert(0, model)
        params._validate_structured_outputs(*arguments)
        return params.structured_outputs

    words = ["a", "b", "{", "}", '"', "</s>"]
    info = xgrammar.TokenizerInfo(words, stop_token_ids=[5])
    backend = object.__new__(backends.XgrammarBackend)
    backend.compiler = xgrammar.GrammarCompiler(info)
    backend.disable_any_whitespace = False
    backend.num_speculative_tokens = 0
    backend.vocab_size = len(words)

    def compile_it(params):
        kind, text = request.get_structured_output_key(params)
        backend.compile_grammar(kind, text)

    return check(validate, (ValueError, module.VLLMValidationError), compile_it)


def function():
    import json

    class Refused(ValueError):
        def __init__(self, text, **_):
            super().__init__(text)

    proof.packages("vllm", "vllm.v1", "vllm.v1.structured_output")
    for name in ("backend_guidance", "backend_lm_format_enforcer", "backend_outlines", "backend_xgrammar", "utils"):
        proof.stand_in("vllm.v1.structured_output." + name)
    space = {
        "VLLMValidationError": Refused,
        "json_mod": json,
        "is_mistral_tokenizer": lambda _: False,
        "_is_non_tekken_mistral": lambda *_, **__: False,
        "_get_llg_tokenizer": lambda _: None,
        "check_json_nesting": lambda *_, **__: None,
    }
    proof.take("sampling_params.py", ["SamplingParams(_validate_structured_outputs)"], space)
    names = ("json", "regex", "choice", "grammar", "json_object", "structural_tag", "_backend")

    def validate(constraint, backend):
        params = space["SamplingParams"]()
        values = {**dict.fromkeys(names), **constraint, "_backend_was_auto": False}
        params.structured_outputs = types.SimpleNamespace(**values, __post_init__=lambda: None)
        arguments = [types.SimpleNamespace(backend=backend), object()]
        if params._validate_structured_outputs.__code__.co_argcount == 4:
            arguments.insert(0, types.SimpleNamespace(is_diffusion=False))
        params._validate_structured_outputs(*arguments)
        return params.structured_outputs

    return check(validate, (ValueError, Refused))


proof.run(engine=engine, function=function)
