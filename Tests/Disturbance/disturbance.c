// Runs the tasks of a Swift program in a different order: most start immediately as usual, some after a short delay, a few after a
// long one. No code may depend on which of two tasks is first; on an idle machine such code fails once in many runs, with this
// library within a few.
//
//     clang -shared -fPIC -o disturbance.so disturbance.c
//     LD_PRELOAD=$PWD/disturbance.so program
//
// The hook is that of Swift's concurrency runtime (Concurrency.h: swift_task_enqueueGlobal_hook). Tasks of the main actor and of
// custom executors are not affected. A program without that runtime is not changed.
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define SWIFT __attribute__((swiftcall))
typedef SWIFT void (*Enqueue)(void *job);
extern SWIFT void (*swift_task_enqueueGlobal_hook)(void *job, Enqueue original) __attribute__((weak));
extern SWIFT void swift_task_enqueueGlobalWithDelay(uint64_t nanoseconds, void *job) __attribute__((weak));

// One job in so many is delayed; HONGYAN_DISTURBANCE="20 200" sets both.
static uint64_t shortlyDelayed = 20, longDelayed = 200;
static const uint64_t shortest = 4, longest = 150;  // milliseconds

static uint64_t random_number(void) {
  static __thread uint64_t state;
  if (state == 0) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    state = ((uint64_t)now.tv_nsec << 32) ^ (uint64_t)(uintptr_t)&state ^ 1;
  }
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state >> 8;
}

static SWIFT void enqueue(void *job, Enqueue original) {
  if (random_number() % longDelayed == 0) {
    swift_task_enqueueGlobalWithDelay(random_number() % (longest * 1000000), job);
  } else if (random_number() % shortlyDelayed == 0) {
    swift_task_enqueueGlobalWithDelay(random_number() % (shortest * 1000000), job);
  } else {
    original(job);
  }
}

__attribute__((constructor)) static void begin(void) {
  if (!&swift_task_enqueueGlobal_hook || !&swift_task_enqueueGlobalWithDelay) return;
  const char *wanted = getenv("HONGYAN_DISTURBANCE");
  if (wanted) {
    char *rest;
    uint64_t first = strtoull(wanted, &rest, 10), second = strtoull(rest, NULL, 10);
    if (first > 0 && second > 0) shortlyDelayed = first, longDelayed = second;
  }
  swift_task_enqueueGlobal_hook = enqueue;
}
