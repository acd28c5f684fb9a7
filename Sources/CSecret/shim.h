#include <libsecret/secret.h>

/* The schemas of passwords, tokens and identity keys: one attribute each, the account. Schemas and not a second attribute, because
   a question about the account alone would find both. Swift cannot write the array of 32 attributes. */
static inline const SecretSchema *hongyan_password_schema(void) {
    static const SecretSchema schema = {
        "chat.hongyan.Account", SECRET_SCHEMA_NONE, {{"account", SECRET_SCHEMA_ATTRIBUTE_STRING}, {NULL, 0}},
        0, NULL, NULL, NULL, NULL, NULL, NULL, NULL};
    return &schema;
}

static inline const SecretSchema *hongyan_token_schema(void) {
    static const SecretSchema schema = {
        "chat.hongyan.Token", SECRET_SCHEMA_NONE, {{"account", SECRET_SCHEMA_ATTRIBUTE_STRING}, {NULL, 0}},
        0, NULL, NULL, NULL, NULL, NULL, NULL, NULL};
    return &schema;
}

static inline const SecretSchema *hongyan_identity_schema(void) {
    static const SecretSchema schema = {
        "chat.hongyan.IdentityKey", SECRET_SCHEMA_NONE, {{"account", SECRET_SCHEMA_ATTRIBUTE_STRING}, {NULL, 0}},
        0, NULL, NULL, NULL, NULL, NULL, NULL, NULL};
    return &schema;
}
