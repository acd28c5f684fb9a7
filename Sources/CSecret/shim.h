#include <libsecret/secret.h>

/* The schema of the passwords: one attribute, the account. Swift cannot write the array of 32 attributes. */
static inline const SecretSchema *hongyan_secret_schema(void) {
    static const SecretSchema schema = {
        "chat.hongyan.Account", SECRET_SCHEMA_NONE, {{"account", SECRET_SCHEMA_ATTRIBUTE_STRING}, {NULL, 0}},
        0, NULL, NULL, NULL, NULL, NULL, NULL, NULL};
    return &schema;
}
