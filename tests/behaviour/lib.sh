# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What behaviour tests share. Sourced as: . "$(dirname "$0")/lib.sh"
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
sndr=$1
repository=$(cd "$here/../.." && pwd)

die() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }
skip() { printf '%s\n' "$*"; exit 77; }

# run EXIT_CODE COMMAND...: runs it, keeps stdout in the file out and stderr in err, and checks the exit code.
run() {
  local want=$1 got; shift
  "$@" >out 2>err </dev/null; got=$?
  [ "$got" = "$want" ] || { echo "--- stdout"; cat out; echo "--- stderr"; cat err; die "exit $got, not $want: $*"; }
}

has() { grep -qF -- "$2" "$1" || { cat "$1"; die "$1 has no '$2'"; }; }        # has FILE TEXT
hasnt() { ! grep -qF -- "$2" "$1" || { cat "$1"; die "$1 has '$2'"; }; }        # hasnt FILE TEXT
is() { [ "$1" = "$2" ] || die "'$1' isn't '$2'"; }                              # is GOT WANTED
empty() { [ ! -s "$1" ] || { cat "$1"; die "$1 isn't empty"; }; }               # empty FILE
json() { python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"; }  # json FILE EXPRESSION

# A vLLM small enough to read: make_tree SITE VERSION
make_tree() {
  mkdir -p "$1/vllm/inner" "$1/vllm-$2.dist-info"
  printf '__version__ = "%s"\n' "$2" >"$1/vllm/__init__.py"
  : >"$1/vllm/inner/__init__.py"
  cat >"$1/vllm/hello.py" <<'PY'
def hello(name):
    # says it
    return "hello " + name


def other():
    return 1
PY
  cat >"$1/vllm/inner/deep.py" <<'PY'
DEPTH = 1
PY
  printf 'Metadata-Version: 2.1\nName: vllm\nVersion: %s\n' "$2" >"$1/vllm-$2.dist-info/METADATA"
  python3 - "$1" "$2" <<'PY'
import base64, hashlib, pathlib, sys
site, version = pathlib.Path(sys.argv[1]), sys.argv[2]
lines = []
for path in sorted(site.rglob("*")):
    if path.is_file() and (path.relative_to(site).parts[0] == "vllm"):
        digest = base64.urlsafe_b64encode(hashlib.sha256(path.read_bytes()).digest()).rstrip(b"=").decode()
        lines.append(f"{path.relative_to(site)},sha256={digest},{path.stat().st_size}")
lines.append(f"vllm-{version}.dist-info/RECORD,,")
(site / f"vllm-{version}.dist-info" / "RECORD").write_text("\n".join(lines) + "\n")
PY
}

# A pack with two patches for it: make_pack DIR. GN901 changes hello.py, GN902 inner/deep.py.
make_pack() {
  local one
  for one in 'GN901 greeting hello.py' 'GN902 deeper inner/deep.py'; do
    # shellcheck disable=SC2086  # three words
    set -- "$1" $one
    mkdir -p "$1/patches/$2_$3"
    cat >"$1/patches/$2_$3/patch.yaml" <<YAML
# written by hand
id: $2
flag: GENESIS_ENABLE_$2_${3^^}
title: The $3 patch
why: It is said wrong. The patch says it right.
mechanism: text
lifecycle: experimental
implementation: full
retires_when:
  - fix: vLLM does it itself
    evidence:
      - {file: $4, text: "upstream's own fix"}
applies_to:
  vllm: ">=1.0,<=2.0"
edits:
  - name: edit
    file: $4
    variants:
      - trees: "1.0"   # the first
        anchor: |
@ANCHOR@
        replace: |
@REPLACE@
proof_level: engine
YAML
  done
  make_proof "$1/patches/GN901_greeting" 'from vllm import hello' 'hello.hello("you")' "'good day you'"
  make_proof "$1/patches/GN902_deeper" 'from vllm.inner import deep' deep.DEPTH 2
  fill "$1/patches/GN901_greeting/patch.yaml" '    # says it
    return "hello " + name' '    # says it better
    return "good day " + name'
  fill "$1/patches/GN902_deeper/patch.yaml" 'DEPTH = 1' 'DEPTH = 2'
}

# make_proof FOLDER IMPORT EXPRESSION RIGHT: prints what it is, and is content where that is right
make_proof() {
  printf 'import sys\n%s\nprint("level: engine")\nprint(%s)\nsys.exit(0 if %s == %s else 1)\n' "$2" "$3" "$3" "$4" >"$1/proof.py"
}

# fill FILE ANCHOR REPLACEMENT: into the two literal blocks
fill() {
  python3 - "$@" <<'PY'
import sys
name, anchor, replacement = sys.argv[1:]
block = lambda text: "\n".join(" " * 10 + line for line in text.split("\n"))
text = open(name).read()
head = "|2" if anchor.startswith(" ") else "|"
text = text.replace("anchor: |\n@ANCHOR@", f"anchor: {head}\n" + block(anchor)).replace("replace: |\n@REPLACE@", f"replace: {head}\n" + block(replacement))
open(name, "w").write(text)
PY
}

ours='GENESIS_ENABLE_GN901_GREETING'
