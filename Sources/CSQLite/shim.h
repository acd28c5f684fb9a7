#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast of a number to a function pointer, which Swift cannot write: SQLite copies the bytes.
static inline int sqlite3_bind_text_copied(sqlite3_stmt *statement, int index, const char *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_text64(statement, index, bytes, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}
// Swift cannot call functions with variable arguments. Refused, and as well left undone, where SQLite was used before.
static inline int sqlite3_config_without_statistics(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
static inline int sqlite3_bind_blob_copied(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}
