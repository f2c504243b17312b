// Takes a kilobyte of the static TLS that a running program keeps for libraries loaded late (glibc
// has about 1.6 KB).
__thread char taken[1024] __attribute__((tls_model("initial-exec"), visibility("default")));

char *tls_taker_bytes(void) { return taken; }
