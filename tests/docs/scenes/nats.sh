# packaging/try.sh nats.
store=nats
. "${BASH_SOURCE[0]%/*}/fleet.sh"
