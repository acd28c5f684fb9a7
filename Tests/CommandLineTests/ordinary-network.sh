#!/bin/bash
# ordinary-network.sh SCRIPTS HONGYAN FOLDER
#
# Runs `hongyan` in a network of its own, where the name server knows nothing of the server but its address, and the server has the
# usual ports. The output is that of `hongyan`.
set -euo pipefail
scripts=$1 hongyan=$2 folder=$3 step=${4:-begin}

case $step in
  begin)
    exec unshare --user --map-root-user --net --mount --pid --fork --kill-child --mount-proc \
      bash "$0" "$scripts" "$hongyan" "$folder" network
    ;;
  network)
    ip link set lo up
    # Programs with only a loopback address make no DNS queries, and without a default route they assume to be offline.
    ip address add 192.0.2.1/32 dev lo
    ip route add default dev lo
    printf 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n' >"$folder/resolv.conf"
    printf '127.0.0.1 localhost\n' >"$folder/hosts"
    mount --bind "$folder/resolv.conf" /etc/resolv.conf
    mount --bind "$folder/hosts" /etc/hosts
    dnsmasq --no-daemon --conf-file=/dev/null --port=53 --listen-address=127.0.0.1 --bind-interfaces --no-resolv --no-hosts \
      --pid-file= --address=/hongyan.test/127.0.0.1 >"$folder/dns.log" 2>&1 &
    # Prosody refuses to run as root, even as root of a namespace.
    exec unshare --user --map-user=1000 --map-group=1000 bash "$0" "$scripts" "$hongyan" "$folder" server
    ;;
  server)
    export XDG_STATE_HOME=$folder/state
    mkdir -p "$XDG_STATE_HOME/hongyan/server"
    echo 5222 5223 5281 >"$XDG_STATE_HOME/hongyan/server/ports"
    "$scripts/private-server" >"$folder/server.log" 2>&1 &
    until grep -q '^ready' "$folder/server.log"; do
      kill -0 $! || { cat "$folder/server.log" >&2; exit 1; }
      sleep 0.1
    done
    printf 'rose of Verona\n' >"$folder/password"
    "$hongyan" register juliet@hongyan.test --ca "$XDG_STATE_HOME/hongyan/server/ca.crt" --password-file "$folder/password"
    "$hongyan" connection
    "$hongyan" accounts --json
    ;;
esac
