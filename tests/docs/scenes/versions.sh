# What is installed: one plugin of the build's.
begin() {
  settings host-1
  mkdir plugins
  cp "${ballot_program%/*}/../plugins/local.so" plugins/
}
