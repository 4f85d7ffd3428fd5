#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Unpacks one vLLM release's Python files into a folder, without fetching the binaries beside them.

A vLLM wheel is 250 to 340 MB, of which the Python text is about 7 MB compressed. Where the index answers
range requests, only the wheel's directory and the runs of bytes that hold `*.py` and the dist-info are
fetched; elsewhere the whole wheel is. Each file's sha256 is compared with the wheel's own RECORD before the
folder appears under its final name.

Where the wheel lies is pip's to say (`pip install --dry-run --report`), so that a mirror, a proxy or an
offline index set up for pip serves us too.

  fetch_vllm.py VERSION DEST      DEST/vllm/... and DEST/vllm-VERSION.dist-info/...
"""
import base64
import csv
import hashlib
import io
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request
import zipfile
import zlib

GAP = 256 * 1024  # two wanted runs closer than this are fetched as one: a request costs more than the bytes


def say(text):
    print(text, file=sys.stderr, flush=True)


def locate_wheel(name, version):
    """The address of the wheel that pip would install here, and its sha256 (may be None)."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--no-deps", "--ignore-installed",
               "--only-binary=:all:", "--report", "-", f"{name}=={version}"]
    environment = dict(os.environ, PIP_BREAK_SYSTEM_PACKAGES="1", PIP_DISABLE_PIP_VERSION_CHECK="1",
                       PIP_ROOT_USER_ACTION="ignore")
    done = subprocess.run(command + ["--use-feature=fast-deps"], env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"fetch_vllm: pip finds no wheel of {name}=={version}\n{done.stderr.strip()}")
    info = json.loads(done.stdout)["install"][0]["download_info"]
    return info["url"], info.get("archive_info", {}).get("hashes", {}).get("sha256")


class Remote:
    """Reads byte ranges of a file behind http(s) or file://; raises Unranged where the server can't."""

    class Unranged(Exception):
        pass

    def __init__(self, url):
        self.url = url
        self.bytes = 0
        self.requests = 0

    def range(self, first, last):
        return self._get(f"bytes={first}-{last}")[0]

    def tail(self, count):
        data, header = self._get(f"bytes=-{count}")
        return data, int(header.rsplit("/", 1)[1])

    def _get(self, ranges):
        for attempt in range(4):
            try:
                request = urllib.request.Request(self.url, headers={"Range": ranges})
                with urllib.request.urlopen(request, timeout=60) as answer:
                    if answer.status != 206:
                        raise Remote.Unranged
                    data = answer.read()
                    self.bytes += len(data)
                    self.requests += 1
                    return data, answer.headers["Content-Range"]
            except OSError as error:
                if attempt == 3:
                    raise Remote.Unranged from error
                time.sleep(2 ** attempt)


class Tail(io.RawIOBase):
    """The last bytes of a file, seekable as if the whole file were there: enough for zipfile's directory."""

    def __init__(self, data, size):
        self.data, self.size, self.at = data, size, 0

    def seekable(self):
        return True

    def readable(self):
        return True

    def seek(self, offset, whence=0):
        self.at = (0, self.at, self.size)[whence] + offset
        return self.at

    def tell(self):
        return self.at

    def readinto(self, buffer):
        start = self.at - (self.size - len(self.data))
        if start < 0:
            raise ValueError("the wheel's directory is larger than the part that was fetched")
        piece = self.data[start:start + len(buffer)]
        buffer[:len(piece)] = piece
        self.at += len(piece)
        return len(piece)


def wanted(name):
    return (name.endswith(".py") and name.startswith("vllm/")) or ".dist-info/" in name


def ranged_members(url):
    remote = Remote(url)
    data, size = remote.tail(2 * 1024 * 1024)
    members = [m for m in zipfile.ZipFile(Tail(data, size)).infolist() if wanted(m.filename)]
    members.sort(key=lambda m: m.header_offset)
    runs = []
    for member in members:
        # local header: 30 bytes, the name, an extra field whose length the directory doesn't give
        end = member.header_offset + 30 + len(member.filename) + 1024 + member.compress_size
        if runs and member.header_offset - runs[-1][1] < GAP:
            runs[-1][1] = max(runs[-1][1], end)
            runs[-1][2].append(member)
        else:
            runs.append([member.header_offset, end, [member]])
    for count, (first, last, inside) in enumerate(runs, 1):
        block = remote.range(first, min(last, size) - 1)
        say(f"  {count}/{len(runs)} runs, {remote.bytes / 1e6:.1f} MB")
        for member in inside:
            at = member.header_offset - first
            name_length, extra_length = struct.unpack("<HH", block[at + 26:at + 30])
            start = at + 30 + name_length + extra_length
            packed = block[start:start + member.compress_size]
            text = packed if member.compress_type == 0 else zlib.decompress(packed, -15)
            yield member.filename, text


def whole_members(url):
    say("  the index gives no byte ranges: fetching the whole wheel")
    with tempfile.TemporaryFile() as file:
        with urllib.request.urlopen(url, timeout=180) as answer:
            shutil.copyfileobj(answer, file, 1 << 20)
        with zipfile.ZipFile(file) as wheel:
            for member in wheel.infolist():
                if wanted(member.filename):
                    yield member.filename, wheel.read(member)


def unpack(members, root):
    count = 0
    for name, text in members:
        path = root / name
        if root.resolve() not in path.resolve().parents:
            sys.exit(f"fetch_vllm: the wheel names a file outside itself: {name}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)
        count += 1
    return count


def check(root):
    """Every unpacked file against the wheel's RECORD."""
    record = next(root.glob("*.dist-info/RECORD"))
    bad = []
    for name, digest, *_ in csv.reader(record.read_text().splitlines()):
        path = root / name
        if digest and path.exists():
            kind, value = digest.split("=", 1)
            actual = base64.urlsafe_b64encode(hashlib.new(kind, path.read_bytes()).digest()).rstrip(b"=").decode()
            if actual != value:
                bad.append(name)
    if bad:
        sys.exit(f"fetch_vllm: {len(bad)} files differ from the wheel's RECORD, {bad[0]} first: fetch again")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    version, destination = sys.argv[1], pathlib.Path(sys.argv[2])
    if (destination / "vllm" / "__init__.py").exists():
        return
    say(f"fetching the Python files of vllm {version}")
    url, _ = locate_wheel("vllm", version)
    destination.parent.mkdir(parents=True, exist_ok=True)
    staged = pathlib.Path(tempfile.mkdtemp(prefix=".fetch-", dir=destination.parent))
    try:
        try:
            count = unpack(ranged_members(url), staged)
        except Remote.Unranged:
            count = unpack(whole_members(url), staged)
        check(staged)
        staged.chmod(0o755)
        try:
            staged.rename(destination)
        except OSError:  # another run was first
            if not (destination / "vllm" / "__init__.py").exists():
                raise
        say(f"vllm {version}: {count} files in {destination}")
    finally:
        shutil.rmtree(staged, ignore_errors=True)


if __name__ == "__main__":
    main()
