#!/bin/sh
# Makes what services and workers need to reach a PostgreSQL database, once, in secrets/ beside this
# file or in the folder named. All of it is secret.
#
#   sh deploy/postgres/secrets.sh HOST [FOLDER]
#
# serve/ is for the role tsumero, the owner of the tables; worker/ is for tsumero_worker, which may read
# and write rows; superuser/ is for the database of Compose. Each has username, password and uri, which is
# the file of --jobs-file. "kubectl create secret generic NAME --from-file=FOLDER" takes such a folder.
# PGSSLMODE goes into the addresses: require (the default), verify-full, or disable within one machine.
set -eu
host=${1:?the host of the database}
secrets=${2:-$(dirname "$0")/secrets}
if [ -e "$secrets" ]; then
	echo "$secrets is there already; new passwords would lock out who has the old ones" >&2
	exit 1
fi
make() { # folder, role, database
	mkdir -p "$secrets/$1"
	password=$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')
	printf %s "$2" >"$secrets/$1/username"
	printf %s "$password" >"$secrets/$1/password"
	printf %s "postgres://$2:$password@$host/${3:-tsumero}?sslmode=${PGSSLMODE:-require}" >"$secrets/$1/uri"
}
umask 077
mkdir "$secrets"
make serve tsumero
make worker tsumero_worker
make superuser postgres postgres
# For the users of containers, who are not those of this machine. Nobody else gets into the folder.
chmod -R go+rX "$secrets"/*
