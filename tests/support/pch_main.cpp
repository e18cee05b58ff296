// Nothing: its precompiled header is what counts (cmake/ballot_test.cmake).
int main() { return 0; }
