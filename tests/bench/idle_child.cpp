// A child that does nothing, linked statically: what a launch costs without a dynamic linker.
int main() { return 0; }
