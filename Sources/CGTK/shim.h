#include <adwaita.h>
#include <glib-unix.h>
#include <malloc.h>

// What CoreFoundation on Linux calls to serve libdispatch's main queue from a main loop of its own. No header declares it.
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *);

// The value of a property for screen readers, or NULL; the function of GTK takes a variable number of arguments.
static inline char *accessible_property(GtkAccessible *object, GtkAccessibleProperty property) {
    if (!gtk_test_accessible_has_property(object, property)) return NULL;
    return gtk_test_accessible_check_property(object, property, "");
}
