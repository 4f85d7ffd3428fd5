#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes dist/sndr-VERSION-py3-none-manylinux_2_N_ARCH.whl around a built binary.

  build_wheel.py [build/release/sndr] [dist]

N is the highest glibc symbol that the binary binds, as it says itself (`sndr --version --json`).
"""
import base64
import hashlib
import json
import pathlib
import platform
import subprocess
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent
TIME = (2026, 1, 1, 0, 0, 0)  # fixed, so that the same binary gives the same wheel


def main():
    binary = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/release/sndr")
    out = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "dist")
    about = json.loads(subprocess.run([binary, "--version", "--json"], check=True, capture_output=True, text=True).stdout)
    version, glibc = about["version"], about["glibc"]
    tag = f"py3-none-manylinux_{glibc.replace('.', '_')}_{platform.machine()}"
    info = f"sndr-{version}.dist-info"
    files = {}
    for path in sorted((ROOT / "wheel").rglob("*.py")):
        files[path.relative_to(ROOT / "wheel").as_posix()] = (path.read_bytes(), 0o644)
    files[f"sndr-{version}.data/scripts/sndr"] = (binary.read_bytes(), 0o755)
    files[f"sndr-{version}.data/scripts/genesis"] = (b'#!/bin/sh\nexec "$(dirname "$0")/sndr" "$@"\n', 0o755)
    files[f"{info}/licenses/LICENSE"] = ((ROOT.parent / "LICENSE").read_bytes(), 0o644)
    files[f"{info}/licenses/NOTICE"] = ((ROOT.parent / "NOTICE").read_bytes(), 0o644)
    files[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: genesis\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(), 0o644)
    files[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.4\nName: sndr\nVersion: {version}\nSummary: A tuning pack for stock vLLM\n"
        "License-Expression: Apache-2.0\nLicense-File: LICENSE\nLicense-File: NOTICE\nRequires-Python: >=3.9\n".encode(), 0o644)
    out.mkdir(parents=True, exist_ok=True)
    wheel = out / f"sndr-{version}-{tag}.whl"
    record = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, (data, mode) in files.items():
            entry = zipfile.ZipInfo(name, TIME)
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(data)}")
        record.append(f"{info}/RECORD,,")
        archive.writestr(zipfile.ZipInfo(f"{info}/RECORD", TIME), "\n".join(record) + "\n")
    print(wheel)


if __name__ == "__main__":
    main()
