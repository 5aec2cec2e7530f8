#!/bin/sh
# gopls for notebooks. A kernel starts one as a server and cannot stop it when it is itself killed: a server that nobody
# is connected to ends by itself.
case ${1:-} in
-listen*) set -- -listen.timeout=2m "$@" ;;
esac
exec "${0%/*}/../gopls/gopls" "$@"
