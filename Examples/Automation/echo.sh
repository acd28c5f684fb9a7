#!/bin/bash
# Answers each message with its text, exactly once, however often this script is killed.
#
# The cursor of an event is the identifier of its answer: an answer that is sent twice is one message.
# Usage: echo.sh STATE-FILE [OPTION OF hongyan serve…]; needs jq.
set -euo pipefail
state=$1
shift
coproc SERVE { exec hongyan serve "$@"; }

# call METHOD PARAMETERS: prints the result; a failure ends the script.
call() {
  local line
  jq -cn --arg method "$1" --argjson params "$2" \
    '{jsonrpc: "2.0", id: 1, $method, $params}' >&"${SERVE[1]}"
  # Notifications, which have no id, may come before the answer.
  while read -r -u "${SERVE[0]}" line && [ "$(jq .id <<<"$line")" != 1 ]; do :; done
  jq -ce 'if .error then error(.error.message) else .result end' <<<"$line"
}

while true; do
  after=$(cat "$state" 2>/dev/null || true)
  page=$(call events.read "$(jq -cn --arg after "$after" \
    '{reader: "echo", wait: 60} + if $after == "" then {} else {$after} end')")
  while read -r answer; do
    call message.send "$answer" >/dev/null
  done < <(jq -c '.events[] | select(.event.type == "message" and (.event.message.mine or .event.old | not))
    | {id: .cursor, to: .event.message.with, text: .event.message.body, queue: true}' <<<"$page")
  jq -r .cursor <<<"$page" >"$state.new"
  mv "$state.new" "$state"
done
