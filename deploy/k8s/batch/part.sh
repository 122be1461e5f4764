#!/bin/sh
# Solves one part of a collection: in/part-00042 to out/part-00042.json.gz, for index 42. A part that
# is there under its final name is finished, and done by whoever was first; so this may be run again
# at any time, also twice at once.
#
#   JOB_COMPLETION_INDEX=42 DATA=/data sh part.sh [flags of tsumero solve]
set -eu
part=part-$(printf %05d "$JOB_COMPLETION_INDEX")
final=$DATA/out/$part.json.gz
if [ -e "$final" ]; then
	exit 0
fi
mkdir -p "$DATA/out"
# A name of its own: after a lost node, two may be at the same part.
temporary=$(mktemp "$DATA/out/.$part.XXXXXX")
trap 'rm -f "$temporary"' EXIT

# The exit code of the first command of the pipe, for lack of pipefail; that of gzip is the pipe's.
code=$({ { tsumero solve "$@" --output json --file "$DATA/in/$part" || echo $? >&3; } | gzip >"$temporary"; } 3>&1)
# 1 to 3 say what the answers were, not that one is missing.
case ${code:-0} in
[0-3]) ;;
*) exit "$code" ;;
esac
chmod 644 "$temporary"
sync "$temporary"
mv "$temporary" "$final"
