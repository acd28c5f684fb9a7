/* One device of Debian's libomemo-c, for the tests: a process of its own, because that library is under another licence.
 * It is compiled by the tests and is no part of any product.
 *
 * Usage: libomemo 3|4      the version of the session: 3 legacy, 4 urn:xmpp:omemo:2
 *
 * Requests are lines of words, bytes are hexadecimal:
 *   bundle                          -> bundle IDENTITY SIGNED-ID SIGNED SIGNATURE ONE-TIME-ID ONE-TIME
 *   start IDENTITY SIGNED-ID …      -> ok
 *   encrypt PLAINTEXT               -> message IS-KEY-EXCHANGE BYTES
 *   decrypt IS-KEY-EXCHANGE BYTES   -> plain PLAINTEXT
 *   save, load                      -> ok: copies the session, restores the copy
 * A refusal is answered with: refused NUMBER
 */
#include <omemo/curve.h>
#include <omemo/key_helper.h>
#include <omemo/protocol.h>
#include <omemo/session_builder.h>
#include <omemo/session_cipher.h>
#include <omemo/session_pre_key.h>
#include <omemo/signal_protocol.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

typedef struct {
  uint8_t *bytes;
  size_t count;
} record;

static signal_context *context;
static signal_protocol_store_context *store;
static ratchet_identity_key_pair *identity;
static session_signed_pre_key *signed_key;
static record session, saved, signed_record, pre_keys[1 << 16];
static uint32_t version, next_pre_key = 1;
static const signal_protocol_address peer = {"peer", 4, 1};

static void set(record *place, const uint8_t *bytes, size_t count) {
  uint8_t *copy = malloc(count ? count : 1);
  memcpy(copy, bytes, count);
  free(place->bytes);
  place->bytes = copy;
  place->count = count;
}

static int load(signal_buffer **out, const record *place) {
  if (!place->bytes) return 0;
  *out = signal_buffer_create(place->bytes, place->count);
  return 1;
}

/* Operations of OpenSSL. */
static int random_bytes(uint8_t *data, size_t count, void *u) { return RAND_bytes(data, count) == 1 ? 0 : SG_ERR_UNKNOWN; }
static int hmac_init(void **c, const uint8_t *key, size_t count, void *u) {
  HMAC_CTX *h = HMAC_CTX_new();
  *c = h;
  return HMAC_Init_ex(h, key, count, EVP_sha256(), 0) == 1 ? 0 : SG_ERR_UNKNOWN;
}
static int hmac_update(void *c, const uint8_t *d, size_t n, void *u) { return HMAC_Update(c, d, n) == 1 ? 0 : SG_ERR_UNKNOWN; }
static int hmac_final(void *c, signal_buffer **out, void *u) {
  uint8_t code[32];
  unsigned count = 0;
  if (HMAC_Final(c, code, &count) != 1) return SG_ERR_UNKNOWN;
  *out = signal_buffer_create(code, count);
  return 0;
}
static void hmac_cleanup(void *c, void *u) { HMAC_CTX_free(c); }
static int sha_init(void **c, void *u) {
  EVP_MD_CTX *m = EVP_MD_CTX_new();
  *c = m;
  return EVP_DigestInit_ex(m, EVP_sha512(), 0) == 1 ? 0 : SG_ERR_UNKNOWN;
}
static int sha_update(void *c, const uint8_t *d, size_t n, void *u) { return EVP_DigestUpdate(c, d, n) == 1 ? 0 : SG_ERR_UNKNOWN; }
static int sha_final(void *c, signal_buffer **out, void *u) {
  uint8_t hash[64];
  unsigned count = 0;
  if (EVP_DigestFinal_ex(c, hash, &count) != 1) return SG_ERR_UNKNOWN;
  *out = signal_buffer_create(hash, count);
  return EVP_DigestInit_ex(c, EVP_sha512(), 0) == 1 ? 0 : SG_ERR_UNKNOWN;
}
static void sha_cleanup(void *c, void *u) { EVP_MD_CTX_free(c); }
static int run_cipher(signal_buffer **out, int mode, const uint8_t *key, size_t key_count, const uint8_t *iv,
                      const uint8_t *in, size_t count, int encrypts) {
  EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
  uint8_t *buffer = malloc(count + 32);
  int first = 0, last = 0;
  const EVP_CIPHER *cipher = mode == SG_CIPHER_AES_CBC_PKCS5 ? EVP_aes_256_cbc() : EVP_aes_256_ctr();
  int done = key_count == 32 && EVP_CipherInit_ex(c, cipher, 0, key, iv, encrypts) == 1 &&
             EVP_CipherUpdate(c, buffer, &first, in, count) == 1 && EVP_CipherFinal_ex(c, buffer + first, &last) == 1;
  if (done) *out = signal_buffer_create(buffer, first + last);
  free(buffer);
  EVP_CIPHER_CTX_free(c);
  return done ? 0 : SG_ERR_UNKNOWN;
}
static int encrypt_bytes(signal_buffer **out, int mode, const uint8_t *key, size_t kn, const uint8_t *iv, size_t in,
                         const uint8_t *text, size_t count, void *u) {
  return run_cipher(out, mode, key, kn, iv, text, count, 1);
}
static int decrypt_bytes(signal_buffer **out, int mode, const uint8_t *key, size_t kn, const uint8_t *iv, size_t in,
                         const uint8_t *text, size_t count, void *u) {
  return run_cipher(out, mode, key, kn, iv, text, count, 0);
}

/* Stores in memory. */
static int load_session(signal_buffer **out, signal_buffer **user, const signal_protocol_address *a, void *u) { return load(out, &session); }
static int sub_devices(signal_int_list **out, const char *name, size_t n, void *u) { return 0; }
static int store_session(const signal_protocol_address *a, uint8_t *r, size_t n, uint8_t *ur, size_t un, void *u) {
  set(&session, r, n);
  return 0;
}
static int contains_session(const signal_protocol_address *a, void *u) { return session.bytes != 0; }
static int delete_session(const signal_protocol_address *a, void *u) { return 0; }
static int delete_all(const char *name, size_t n, void *u) { return 0; }
static void nothing(void *u) {}
static int load_pre_key(signal_buffer **out, uint32_t id, void *u) {
  return load(out, &pre_keys[id & 0xffff]) ? SG_SUCCESS : SG_ERR_INVALID_KEY_ID;
}
static int store_pre_key(uint32_t id, uint8_t *r, size_t n, void *u) {
  set(&pre_keys[id & 0xffff], r, n);
  return 0;
}
static int contains_pre_key(uint32_t id, void *u) { return pre_keys[id & 0xffff].bytes != 0; }
static int remove_pre_key(uint32_t id, void *u) {
  free(pre_keys[id & 0xffff].bytes);
  pre_keys[id & 0xffff].bytes = 0;
  return 0;
}
static int load_signed(signal_buffer **out, uint32_t id, void *u) {
  return id == 5 && load(out, &signed_record) ? SG_SUCCESS : SG_ERR_INVALID_KEY_ID;
}
static int store_signed(uint32_t id, uint8_t *r, size_t n, void *u) { return 0; }
static int contains_signed(uint32_t id, void *u) { return id == 5; }
static int remove_signed(uint32_t id, void *u) { return 0; }
static int own_identity(signal_buffer **public_data, signal_buffer **private_data, void *u) {
  ec_public_key_serialize(public_data, ratchet_identity_key_pair_get_public(identity));
  return ec_private_key_serialize(private_data, ratchet_identity_key_pair_get_private(identity));
}
static int registration(void *u, uint32_t *id) {
  *id = 4711;
  return 0;
}
static int save_identity(const signal_protocol_address *a, uint8_t *k, size_t n, void *u) { return 0; }
static int is_trusted(const signal_protocol_address *a, uint8_t *k, size_t n, void *u) { return 1; }

/* Words. */
static void print_hex(const uint8_t *bytes, size_t count) {
  putchar(' ');
  if (!count) putchar('-');
  for (size_t i = 0; i < count; i++) printf("%02x", bytes[i]);
}
static void print_buffer(signal_buffer *b) {
  print_hex(signal_buffer_data(b), signal_buffer_len(b));
  signal_buffer_free(b);
}
static record word(void) {
  char *text = strtok(0, " \n");
  record r = {0, 0};
  if (!text) exit(2);
  r.bytes = malloc(strlen(text) / 2 + 1);
  if (*text == '-') return r;
  for (; text[0] && text[1]; text += 2) {
    unsigned byte = 0;
    sscanf(text, "%2x", &byte);
    r.bytes[r.count++] = byte;
  }
  return r;
}
static uint32_t number(void) {
  char *text = strtok(0, " \n");
  if (!text) exit(2);
  return strtoul(text, 0, 10);
}
static void print_key(const ec_public_key *key) {
  signal_buffer *b = 0;
  if (version == 4) b = ec_public_key_get_mont(key);
  else ec_public_key_serialize(&b, key);
  print_buffer(b);
}
static ec_public_key *read_key(void) {
  record r = word();
  ec_public_key *key = 0;
  if (version == 4) curve_decode_point_mont(&key, r.bytes, r.count, context);
  else curve_decode_point(&key, r.bytes, r.count, context);
  free(r.bytes);
  return key;
}

static void bundle(void) {
  signal_protocol_key_helper_pre_key_list_node *list = 0;
  uint32_t id = next_pre_key++;
  signal_protocol_key_helper_generate_pre_keys(&list, id, 1, context);
  session_pre_key *pre_key = signal_protocol_key_helper_key_list_element(list);
  signal_buffer *serialized = 0;
  session_pre_key_serialize(&serialized, pre_key);
  store_pre_key(session_pre_key_get_id(pre_key), signal_buffer_data(serialized), signal_buffer_len(serialized), 0);
  signal_buffer_free(serialized);
  printf("bundle");
  ec_public_key *own = ratchet_identity_key_pair_get_public(identity);
  if (version == 4) print_buffer(ec_public_key_get_ed(own));
  else print_key(own);
  printf(" 5");
  print_key(ec_key_pair_get_public(session_signed_pre_key_get_key_pair(signed_key)));
  if (version == 4)
    print_hex(session_signed_pre_key_get_signature_omemo(signed_key), session_signed_pre_key_get_signature_omemo_len(signed_key));
  else print_hex(session_signed_pre_key_get_signature(signed_key), session_signed_pre_key_get_signature_len(signed_key));
  printf(" %u", session_pre_key_get_id(pre_key));
  print_key(ec_key_pair_get_public(session_pre_key_get_key_pair(pre_key)));
  printf("\n");
  signal_protocol_key_helper_key_list_free(list);
}

static int start(void) {
  record r = word();
  ec_public_key *own = 0;
  if (version == 4) curve_decode_point_ed(&own, r.bytes, r.count, context);
  else curve_decode_point(&own, r.bytes, r.count, context);
  uint32_t signed_id = number();
  ec_public_key *signed_public = read_key();
  record signature = word();
  uint32_t id = number();
  ec_public_key *pre_key = read_key();
  session_pre_key_bundle *b = 0;
  int result = session_pre_key_bundle_create(&b, 1, 1, id, pre_key, signed_id, signed_public, signature.bytes, signature.count, own);
  if (result) return result;
  session_builder *builder = 0;
  session_builder_create(&builder, store, &peer, context);
  session_builder_set_version(builder, version);
  result = session_builder_process_pre_key_bundle(builder, b);
  session_builder_free(builder);
  return result;
}

static int encrypt_message(session_cipher *cipher) {
  record text = word();
  ciphertext_message *message = 0;
  int result = session_cipher_encrypt(cipher, text.bytes, text.count, &message);
  free(text.bytes);
  if (result) return result;
  signal_buffer *bytes = ciphertext_message_get_serialized(message);
  printf("message %d", ciphertext_message_get_type(message) == CIPHERTEXT_PREKEY_TYPE);
  print_hex(signal_buffer_data(bytes), signal_buffer_len(bytes));
  printf("\n");
  SIGNAL_UNREF(message);
  return 0;
}

static int decrypt_message(session_cipher *cipher) {
  int is_exchange = number();
  record r = word();
  signal_buffer *plain = 0;
  int result;
  if (is_exchange) {
    pre_key_signal_message *message = 0;
    result = version == 4 ? pre_key_signal_message_deserialize_omemo(&message, r.bytes, r.count, 1, context)
                          : pre_key_signal_message_deserialize(&message, r.bytes, r.count, context);
    if (!result) result = session_cipher_decrypt_pre_key_signal_message(cipher, message, 0, &plain);
    if (message) SIGNAL_UNREF(message);
  } else {
    signal_message *message = 0;
    result = version == 4 ? signal_message_deserialize_omemo(&message, r.bytes, r.count, context)
                          : signal_message_deserialize(&message, r.bytes, r.count, context);
    if (!result) result = session_cipher_decrypt_signal_message(cipher, message, 0, &plain);
    if (message) SIGNAL_UNREF(message);
  }
  free(r.bytes);
  if (result) return result;
  printf("plain");
  print_buffer(plain);
  printf("\n");
  return 0;
}

/* A new identity with a signed key. */
static void make_identity(void) {
  signal_protocol_key_helper_generate_identity_key_pair(&identity, context);
  signal_protocol_key_helper_generate_signed_pre_key(&signed_key, identity, 5, 1000, context);
  signal_buffer *serialized = 0;
  session_signed_pre_key_serialize(&serialized, signed_key);
  set(&signed_record, signal_buffer_data(serialized), signal_buffer_len(serialized));
  signal_buffer_free(serialized);
}

static void set_up(int count, char **arguments) {
  version = count > 1 ? atoi(arguments[1]) : 4;
  signal_context_create(&context, 0);
  signal_crypto_provider operations = {random_bytes, hmac_init,  hmac_update, hmac_final,    hmac_cleanup,  sha_init,
                                       sha_update,   sha_final, sha_cleanup, encrypt_bytes, decrypt_bytes, 0};
  signal_context_set_crypto_provider(context, &operations);
  signal_protocol_store_context_create(&store, context);
  signal_protocol_session_store sessions = {load_session, sub_devices, store_session, contains_session, delete_session, delete_all, nothing, 0};
  signal_protocol_store_context_set_session_store(store, &sessions);
  signal_protocol_pre_key_store one_time = {load_pre_key, store_pre_key, contains_pre_key, remove_pre_key, nothing, 0};
  signal_protocol_store_context_set_pre_key_store(store, &one_time);
  signal_protocol_signed_pre_key_store signed_store = {load_signed, store_signed, contains_signed, remove_signed, nothing, 0};
  signal_protocol_store_context_set_signed_pre_key_store(store, &signed_store);
  signal_protocol_identity_key_store identities = {own_identity, registration, save_identity, is_trusted, nothing, 0};
  signal_protocol_store_context_set_identity_key_store(store, &identities);
  make_identity();
}

int main(int count, char **arguments) {
  set_up(count, arguments);
  static char line[1 << 20];
  setvbuf(stdout, 0, _IOLBF, 0);
  while (fgets(line, sizeof line, stdin)) {
    char *verb = strtok(line, " \n");
    if (!verb) continue;
    int result = 0;
    session_cipher *cipher = 0;
    session_cipher_create(&cipher, store, &peer, context);
    session_cipher_set_version(cipher, version);
    if (!strcmp(verb, "bundle")) bundle();
    else if (!strcmp(verb, "encrypt")) result = encrypt_message(cipher);
    else if (!strcmp(verb, "decrypt")) result = decrypt_message(cipher);
    else {
      if (!strcmp(verb, "start")) result = start();
      else if (!strcmp(verb, "save")) set(&saved, session.bytes, session.count);
      else if (!strcmp(verb, "load")) set(&session, saved.bytes, saved.count);
      if (!result) printf("ok\n");
    }
    if (result) printf("refused %d\n", result);
    session_cipher_free(cipher);
  }
  return 0;
}
