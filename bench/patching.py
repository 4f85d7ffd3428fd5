#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the main job costs: one table from one run.

  bench/patching.py [build/release/sndr] [--runs N] [--write]

Whole processes are timed from outside, beside /bin/true in turn (A B A B ...), medians and the middle half. The hook is timed
inside the interpreter: `site.main()` with and without it, in turn. `--write` puts the table and every raw sample into
bench/results/patching.{txt,json}. Needs the four trees that `./setup test` fetches.
"""
import argparse
import json
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

TREES = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "genesis" / "trees"
VERSIONS = ["0.22.1", "0.24.0", "0.32.0", "0.33.0"]
SERVE = ["--", "vllm", "serve", "Qwen/Qwen3.6-27B", "--kv-cache-dtype", "turboquant_k8v4", "--tensor-parallel-size", "2"]
FACTS = ["--fake-gpus", "2x3090", "--assume", "model_family=qwen3_5", "--assume", "platform=cuda"]


def timed(command, environment):
    began = time.perf_counter()
    code = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
    return (time.perf_counter() - began) * 1e3, code


def pair(command, environment, runs, before=None, codes=(0,)):
    """Milliseconds of the command and of /bin/true, in turn."""
    ours, nothing = [], []
    for index in range(runs + 1):
        if before:
            before()
        ms, code = timed(command, environment)
        if code not in codes:
            sys.exit(f"bench: {' '.join(map(str, command))} exited with {code}")
        idle, _ = timed(["/bin/true"], environment)
        if index:  # the first pair warms the page cache
            ours.append(ms)
            nothing.append(idle)
    return ours, nothing


INSIDE = "import sys, time; t = time.perf_counter(); import site; site.main(); print((time.perf_counter() - t) * 1e3)"


def hook_cost(python, environment, plain, runs):
    """site.main() with the hook's environment and with a plain one, in turn."""
    command = [python, "-S", "-c", INSIDE]
    with_hook, without = [], []
    for index in range(runs + 1):
        for env, into in ((environment, with_hook), (plain, without)):
            ms = float(subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout)
            if index:
                into.append(ms)
    return with_hook, without


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sndr", nargs="?", default="build/release/sndr")
    parser.add_argument("--runs", type=int, default=31)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    sndr = os.path.abspath(arguments.sndr)
    home = pathlib.Path(tempfile.mkdtemp(prefix="sndr-bench-"))
    # PYTHONDONTWRITEBYTECODE would have the hook's source compiled at every start; it has a row of its own below
    plain = {k: v for k, v in os.environ.items() if not k.startswith(("GENESIS_", "SNDR_", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE"))}
    bare = dict(plain, SNDR_HOME=str(home))
    patches = json.loads(subprocess.run([sndr, "patches", "list", "--json"], env=bare, check=True, capture_output=True).stdout)["patches"]
    full = dict(bare, **{p["flag"]: "1" for p in patches})
    apply = [sndr, "apply", "--vllm", TREES / "vllm-0.24.0", *FACTS, *SERVE]
    rows, raw = [], {}

    def row(name, samples, target, unit="ms", over=None):
        median = statistics.median(samples) - (statistics.median(over) if over else 0)
        low, high = (x - (statistics.median(over) if over else 0) for x in statistics.quantiles(samples, n=4)[::2])
        rows.append((name, f"{median:.2f}", f"{low:.2f} to {high:.2f}", f"{target} {unit}" if target else "", "yes" if not target or median <= target else "NO"))
        raw[name] = {"samples_ms": samples, "true_ms": over, "target_ms": target}

    def forget():
        shutil.rmtree(home / "overlays", ignore_errors=True)

    cold, idle = pair(apply, full, arguments.runs, before=forget)
    row(f"apply, cold: plan, stage and write {len(patches)} patches on 0.24.0 (whole process less /bin/true)", cold, 30, over=idle)
    warm, idle = pair(apply, full, arguments.runs)
    row("apply, warm: the overlay is there", warm, 5, over=idle)
    verify, idle = pair([sndr, "patches", "verify", "--vllm", *(TREES / f"vllm-{v}" for v in VERSIONS)], bare, arguments.runs)
    row("patches verify, four trees", verify, 250, over=idle)
    for verb in (["--version"], ["--help"], ["patches", "list"], ["patches", "explain", "PN91"], ["patches", "explain", "P58"], ["pins", "list"],
                 ["env", "check"], ["overlay", "list"], ["status"], ["completion", "bash"]):
        samples, idle = pair([sndr, *verb], bare, arguments.runs)
        row("sndr " + " ".join(verb), samples, 10, over=idle)

    overlay = subprocess.run(apply, env=full, check=True, capture_output=True, text=True).stdout.strip()
    hooked = dict(plain, GENESIS_OVERLAY=overlay, PYTHONPATH=overlay + "/boot")
    ours, nothing = hook_cost(sys.executable, hooked, plain, 2 * arguments.runs)
    row("hook by PYTHONPATH, a process that never imports vllm", ours, 2, over=nothing)
    bare_python = {"PYTHONDONTWRITEBYTECODE": "1"}
    shutil.rmtree(f"{overlay}/boot/__pycache__", ignore_errors=True)
    ours, nothing = hook_cost(sys.executable, {**hooked, **bare_python}, {**plain, **bare_python}, 2 * arguments.runs)
    row("the same, its bytecode never kept (PYTHONDONTWRITEBYTECODE)", ours, None, over=nothing)
    venv = home / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    python = str(venv / "bin" / "python")
    baseline = hook_cost(python, plain, plain, 2 * arguments.runs)[1]
    site = subprocess.run([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], check=True, capture_output=True, text=True).stdout.strip()
    shutil.copytree(TREES / "vllm-0.33.0" / "vllm-0.33.0.dist-info", f"{site}/vllm-0.33.0.dist-info")
    os.symlink(TREES / "vllm-0.33.0" / "vllm", f"{site}/vllm")
    subprocess.run([sndr, "hook", "install", "--python", python], env=bare, check=True, capture_output=True)
    ours = hook_cost(python, plain, plain, 2 * arguments.runs)[0]
    row("hook by .pth, a process that never imports vllm", ours, 2, over=baseline)
    shutil.rmtree(home, ignore_errors=True)

    cpu = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.machine())
    about = f"{subprocess.run([sndr, '--version'], capture_output=True, text=True).stdout.strip()}, {cpu}, {os.cpu_count()} cores, {arguments.runs} runs, medians"
    widths = [max(len(r[i]) for r in rows + [("what", "ms", "middle half", "target", "met")]) for i in range(5)]
    lines = [about, ""] + ["  ".join(cell.ljust(width) for cell, width in zip(r, widths)).rstrip() for r in [("what", "ms", "middle half", "target", "met"), *rows]]
    text = "\n".join(lines) + "\n"
    print(text, end="")
    if arguments.write:
        results = pathlib.Path(__file__).parent / "results"
        (results / "patching.txt").write_text(text)
        (results / "patching.json").write_text(json.dumps({"about": about, "rows": raw}, indent=1) + "\n")
    return 1 if any(r[4] == "NO" for r in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
