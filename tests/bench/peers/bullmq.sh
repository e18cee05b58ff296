#!/bin/bash
# bullmq.sh N STAMP OUT INSTANTS: BullMQ with N job schedulers that are due each 30 s, sixteen at a time, on a Redis of its
# own that writes nothing to disk. Ends with 77 where it is not installed, and says so.
set -euo pipefail
count=$1 stamp=$2 out=$3 instants=$4
here=$(cd "$(dirname "$0")" && pwd)
missing='there is no BullMQ: apt-get install redis-server nodejs npm, and npm install -g bullmq ioredis'
if ! command -v node npm redis-server > /dev/null; then echo "$missing"; exit 77; fi
NODE_PATH=$(npm root -g)${NODE_PATH:+:$NODE_PATH}
export NODE_PATH
node -e 'require.resolve("bullmq"), require.resolve("ioredis")' 2> /dev/null || { echo "$missing"; exit 77; }

folder=$(mktemp -d)
redis-server --port 0 --unixsocket "$folder/redis" --save '' --appendonly no > /dev/null &
redis=$!
trap 'kill "$redis"; rm -rf "$folder"' EXIT
until [ -S "$folder/redis" ]; do kill -0 "$redis"; sleep 0.05; done
node "$here/bullmq.cjs" "$count" "$stamp" "$out" $((instants * 30 + 15)) "$folder/redis"
