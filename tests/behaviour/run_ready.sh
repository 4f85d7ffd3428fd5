#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A server that answers /health: the live line comes then, once, and `status` knows the engine.
. "$(dirname "$0")/lib.sh"
make_tree tree 1.0; make_pack pack; export SNDR_PACK=$PWD/pack PYTHONPATH=$PWD/tree
mkdir -p tree/vllm/entrypoints/openai; touch tree/vllm/entrypoints/__init__.py tree/vllm/entrypoints/openai/__init__.py
cat >tree/vllm/entrypoints/openai/api_server.py <<'PY'
import http.server, sys, threading, time
from vllm import hello
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if time.time() > ready else 503)
        self.end_headers()
    def log_message(self, *a): pass
ready = time.time() + 1
port = int(sys.argv[sys.argv.index("--port") + 1])
server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
threading.Timer(5, server.shutdown).start()
server.serve_forever()
print("server ends")
PY
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
GENESIS_ENABLE_GN901_GREETING=1 "$sndr" run --no-defaults --vllm tree -- \
  python3 -m vllm.entrypoints.openai.api_server --model m --port "$port" >server.out 2>server.err &
pid=$!
for _ in $(seq 40); do grep -q 'live:' server.err && break; sleep 0.1; done
has server.err '[Genesis] live: 1 of 1 in 1 process'
hasnt server.out 'server ends'
run 0 "$sndr" status --json
is "$(json out 'd["runs"][0]["pid"]')" "$pid"
is "$(json out 'd["runs"][0]["live"]')" "['GN901']"
is "$(json out '"--additional-config" in d["runs"][0]["command"]')" True
run 0 "$sndr" status; has out GN901
run 0 "$sndr" overlay gc --keep 0; has out '0 of'
wait "$pid"; is $? 0
is "$(grep -c 'live:' server.err)" 1
run 0 "$sndr" status; has out 'nothing runs'
run 0 "$sndr" overlay gc --keep 0; has out '1 of'
