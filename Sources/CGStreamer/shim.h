#include <gst/gst.h>
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/audio/audio.h>
#include <gst/pbutils/pbutils.h>
#include <sys/syscall.h>
#include <unistd.h>

// G_TYPE_STRING is a macro with a cast in it, which Swift does not import.
static inline GType hongyan_gtype_string(void) { return G_TYPE_STRING; }
// memfd_create() is declared for _GNU_SOURCE only; 1 is MFD_CLOEXEC.
static inline int hongyan_memory_file(const char *name) { return (int) syscall(SYS_memfd_create, name, 1u); }
