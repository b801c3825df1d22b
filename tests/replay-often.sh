#!/usr/bin/env bash
# Replays one recording of the shop again and again, every time with a clock that runs, a caret that blinks and
# transitions, and with another latency of the simulator: every one must pass.
#
# usage: tests/replay-often.sh [TIMES] [BINARY] [RECORDING] [CLOCK]
set -euo pipefail
cd "$(dirname "$0")/.."
times="${1:-50}" binary="${2:-target/release/simdrive}" recording="${3:-shop-sign-in}" clock="${4:-real}"
# the secrets that the recordings name
export SHOP_PASSWORD=correct-horse SHOP_WRONG=not-the-password
passed=0 failed=0
for ((i = 1; i <= times; i++)); do
    device="sim:shop?clock=$clock&latency_ms=0..800&seed=$i"
    if said=$("$binary" replay "recordings/$recording" --device "$device" 2>&1); then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'time %d, %s:\n%s\n' "$i" "$device" "$said"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
