# packaging/try.sh consul, with the Consul that tests run.
needs command -v jq
[ ! -x /opt/ballot-test/consul ] || export CONSUL=/opt/ballot-test/consul
store=consul
. "${BASH_SOURCE[0]%/*}/fleet.sh"
