#!/bin/sh
# Makes the key pairs of the roles that connect to NATS, once, in keys/ beside this file or in the
# folder named: serve.nk, worker.nk and system.nk, which are secret, and nkeys.env with their public
# halves, which nats.conf takes from the environment. Needs Go.
set -eu
here=$(dirname "$0")
keys=${1:-$here/keys}
mkdir -p "$keys"
chmod 700 "$keys"
if [ -e "$keys/nkeys.env" ]; then
	echo "$keys has keys already; without them nobody can connect any more" >&2
	exit 1
fi
for role in serve worker system; do
	# The first line is the seed, the second the public key.
	go -C "$here/../container" run github.com/nats-io/nkeys/nk -gen user -pubout >"$keys/$role.nk"
	# For the user of a container, which is not the one of this machine. Nobody else gets into keys/.
	chmod 644 "$keys/$role.nk"
done
cat >"$keys/nkeys.env" <<-EOF
	NKEY_SERVE=$(sed -n 2p "$keys/serve.nk")
	NKEY_WORKER=$(sed -n 2p "$keys/worker.nk")
	NKEY_SYSTEM=$(sed -n 2p "$keys/system.nk")
EOF
