#include <openssl/ssl.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <openssl/bn.h>

/* Starts the library without its cleanup at the end of the process, which would free what the threads of connections and computations
   still use. Only the first start decides, so this comes before anything else. */
static inline void openssl_start(void) { OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL); }
