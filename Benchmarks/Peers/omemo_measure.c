/* Encrypts and decrypts with Debian's libomemo-c, for Scripts/benchmark encryption: the judge of the tests with both sides in
 * one process. A session is read from its stored form before each operation and stored after it.
 *
 * Usage: omemo_measure 3|4 DEVICES MESSAGES
 */
#define main judge_main
#include "../../Tests/OMEMOTests/Judge/libomemo.c"
#undef main
#include <openssl/kdf.h>
#include <time.h>

enum { PLAINTEXT = 600 };

typedef struct {
  ratchet_identity_key_pair *identity;
  session_signed_pre_key *signed_key;
  record session, signed_record;
} party;

static party *active;

static void become(party *next) {
  if (active) active->session = session;
  active = next;
  identity = next->identity;
  signed_key = next->signed_key;
  session = next->session;
  signed_record = next->signed_record;
}

static void fail(const char *what, int result) {
  fprintf(stderr, "%s: %d\n", what, result);
  exit(1);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static session_cipher *cipher(void) {
  session_cipher *c = 0;
  session_cipher_create(&c, store, &peer, context);
  session_cipher_set_version(c, version);
  return c;
}

static ciphertext_message *encrypt_key(const uint8_t *key, size_t count) {
  session_cipher *c = cipher();
  ciphertext_message *message = 0;
  int result = session_cipher_encrypt(c, key, count, &message);
  if (result) fail("encrypt", result);
  session_cipher_free(c);
  return message;
}

static record bytes_of(ciphertext_message *message) {
  record r = {0, 0};
  signal_buffer *b = ciphertext_message_get_serialized(message);
  set(&r, signal_buffer_data(b), signal_buffer_len(b));
  return r;
}

static signal_buffer *decrypt_key(record r) {
  session_cipher *c = cipher();
  signal_message *message = 0;
  signal_buffer *plain = 0;
  int result = version == 4 ? signal_message_deserialize_omemo(&message, r.bytes, r.count, context)
                            : signal_message_deserialize(&message, r.bytes, r.count, context);
  if (!result) result = session_cipher_decrypt_signal_message(c, message, 0, &plain);
  if (result) fail("decrypt", result);
  SIGNAL_UNREF(message);
  session_cipher_free(c);
  return plain;
}

/* The payload: AES-256-CBC with HMAC-SHA-256, or AES-128-GCM. */
typedef struct {
  uint8_t key[48], nonce[12], bytes[PLAINTEXT + 32];
  int key_count, count;
} payload;

static void derive(const uint8_t *key, uint8_t *out) {
  static const uint8_t salt[32];
  size_t count = 80;
  EVP_PKEY_CTX *c = EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, 0);
  if (EVP_PKEY_derive_init(c) != 1 || EVP_PKEY_CTX_set_hkdf_md(c, EVP_sha256()) != 1 ||
      EVP_PKEY_CTX_set1_hkdf_salt(c, salt, 32) != 1 || EVP_PKEY_CTX_set1_hkdf_key(c, key, 32) != 1 ||
      EVP_PKEY_CTX_add1_hkdf_info(c, (const uint8_t *)"OMEMO Payload", 13) != 1 || EVP_PKEY_derive(c, out, &count) != 1)
    fail("HKDF", 0);
  EVP_PKEY_CTX_free(c);
}

static void run(payload *p, const uint8_t *in, int count, uint8_t *out, int *out_count, int encrypts) {
  EVP_CIPHER_CTX *c = EVP_CIPHER_CTX_new();
  uint8_t keys[80], code[32];
  int first = 0, last = 0;
  if (version == 4) {
    derive(p->key, keys);
    if (!encrypts) {
      HMAC(EVP_sha256(), keys + 32, 32, in, count, code, 0);
      if (CRYPTO_memcmp(code, p->key + 32, 16)) fail("code", 0);
    }
    EVP_CipherInit_ex(c, EVP_aes_256_cbc(), 0, keys, keys + 64, encrypts);
  } else {
    EVP_CipherInit_ex(c, EVP_aes_128_gcm(), 0, p->key, p->nonce, encrypts);
    if (!encrypts) EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_GCM_SET_TAG, 16, p->key + 16);
  }
  EVP_CipherUpdate(c, out, &first, in, count);
  if (EVP_CipherFinal_ex(c, out + first, &last) != 1) fail("payload", 0);
  *out_count = first + last;
  if (encrypts && version == 4) {
    HMAC(EVP_sha256(), keys + 32, 32, out, *out_count, code, 0);
    memcpy(p->key + 32, code, 16);
  } else if (encrypts) {
    EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_GCM_GET_TAG, 16, p->key + 16);
  }
  EVP_CIPHER_CTX_free(c);
}

static void seal(payload *p, const uint8_t *plain) {
  p->key_count = version == 4 ? 48 : 32;
  RAND_bytes(p->key, version == 4 ? 32 : 16);
  RAND_bytes(p->nonce, 12);
  run(p, plain, PLAINTEXT, p->bytes, &p->count, 1);
}

static void open_payload(payload *p, signal_buffer *key) {
  uint8_t out[PLAINTEXT + 32];
  int count = 0;
  memcpy(p->key, signal_buffer_data(key), signal_buffer_len(key));
  run(p, p->bytes, p->count, out, &count, 0);
  if (count != PLAINTEXT) fail("length", count);
  signal_buffer_free(key);
}

static void connect_parties(party *own, party *other) {
  become(other);
  signal_protocol_key_helper_pre_key_list_node *list = 0;
  uint32_t id = next_pre_key++;
  signal_protocol_key_helper_generate_pre_keys(&list, id, 1, context);
  session_pre_key *pre_key = signal_protocol_key_helper_key_list_element(list);
  signal_buffer *serialized = 0;
  session_pre_key_serialize(&serialized, pre_key);
  store_pre_key(id, signal_buffer_data(serialized), signal_buffer_len(serialized), 0);
  session_signed_pre_key *s = other->signed_key;
  const uint8_t *signature = version == 4 ? session_signed_pre_key_get_signature_omemo(s) : session_signed_pre_key_get_signature(s);
  size_t count = version == 4 ? session_signed_pre_key_get_signature_omemo_len(s) : session_signed_pre_key_get_signature_len(s);
  session_pre_key_bundle *b = 0;
  int result = session_pre_key_bundle_create(
      &b, 1, 1, id, ec_key_pair_get_public(session_pre_key_get_key_pair(pre_key)), 5,
      ec_key_pair_get_public(session_signed_pre_key_get_key_pair(s)), signature, count,
      ratchet_identity_key_pair_get_public(other->identity));
  if (result) fail("bundle", result);
  become(own);
  session_builder *builder = 0;
  session_builder_create(&builder, store, &peer, context);
  session_builder_set_version(builder, version);
  if ((result = session_builder_process_pre_key_bundle(builder, b))) fail("session", result);
  record first = bytes_of(encrypt_key((const uint8_t *)"x", 1));
  become(other);
  session_cipher *c = cipher();
  pre_key_signal_message *message = 0;
  signal_buffer *plain = 0;
  result = version == 4 ? pre_key_signal_message_deserialize_omemo(&message, first.bytes, first.count, 1, context)
                        : pre_key_signal_message_deserialize(&message, first.bytes, first.count, context);
  if (!result) result = session_cipher_decrypt_pre_key_signal_message(c, message, 0, &plain);
  if (result) fail("key exchange", result);
  record answer = bytes_of(encrypt_key((const uint8_t *)"y", 1));
  become(own);
  decrypt_key(answer);
}

int main(int count, char **arguments) {
  set_up(count, arguments);
  int devices = atoi(arguments[2]), messages = atoi(arguments[3]);
  party *own = calloc(devices, sizeof *own), *others = calloc(devices, sizeof *others);
  for (int i = 0; i < devices; i++) {
    make_identity();
    others[i] = (party){identity, signed_key, {0, 0}, signed_record};
    signed_record = (record){0, 0};
  }
  make_identity();
  for (int i = 0; i < devices; i++) {
    own[i] = (party){identity, signed_key, {0, 0}, signed_record};
    if (i) own[i] = (party){own[0].identity, own[0].signed_key, {0, 0}, own[0].signed_record};
    connect_parties(&own[i], &others[i]);
    identity = own[0].identity;
  }

  uint8_t plain[PLAINTEXT];
  memset(plain, 'a', sizeof plain);
  payload *payloads = calloc(messages, sizeof *payloads);
  record *keys = calloc(messages, sizeof *keys);
  double start = now();
  for (int m = 0; m < messages; m++) {
    seal(&payloads[m], plain);
    for (int i = 0; i < devices; i++) {
      become(&own[i]);
      ciphertext_message *message = encrypt_key(payloads[m].key, payloads[m].key_count);
      if (i == 0) keys[m] = bytes_of(message);
      SIGNAL_UNREF(message);
    }
  }
  double encrypt = (now() - start) / messages;

  become(&others[0]);
  start = now();
  for (int m = 0; m < messages; m++) open_payload(&payloads[m], decrypt_key(keys[m]));
  double decrypt = (now() - start) / messages;

  double reply = 0;
  for (int m = 0; m < messages; m++) {
    party *sender = m & 1 ? &own[0] : &others[0], *receiver = m & 1 ? &others[0] : &own[0];
    become(sender);
    seal(&payloads[m], plain);
    record key = bytes_of(encrypt_key(payloads[m].key, payloads[m].key_count));
    become(receiver);
    start = now();
    open_payload(&payloads[m], decrypt_key(key));
    reply += now() - start;
  }
  printf("encrypt=%.3f decrypt=%.3f reply=%.3f\n", encrypt, decrypt, reply / messages);
  return 0;
}
