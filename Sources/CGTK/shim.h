#include <adwaita.h>
#include <glib-unix.h>

// What CoreFoundation on Linux calls to serve libdispatch's main queue from a main loop of its own. No header declares it.
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *);
