/* State that tests read, and faults that they set. Tests call functions that begin with standin_ in the provider's process. */
#include "fi.h"
#include <stdio.h>

#define EXPORT __attribute__((visibility("default")))

int regions_open, maps, endpoints_without_events, frames_kept;
static int internal_due;
/* One of this many requests fails on average; 0 for none. */
static int every;
static struct random_data random_state;
static char random_room[64];

/* Reports an error of the provider's own operation like efa_base_ep_write_eq_error in efa_base_ep.c: the entry names no endpoint. */
void internal_error(struct endpoint *endpoint, int err) {
  struct events *events = endpoint->events;
  if (!events) {
    if (!personality.aborts) {
      return;
    }
    fprintf(stderr, "stand-in %s: an operation of the provider failed with errno %d and no event queue is bound. Your application will now abort().\n",
      personality.name, err);
    abort();
  }
  struct event *event = calloc(1, sizeof *event);
  event->entry.err = err;
  event->entry.prov_errno = -err;
  *events->last = event;
  events->last = &event->next;
}

int fault_internal(void) {
  int due = internal_due > 0;
  internal_due -= due;
  return due;
}

/*
 * Returns the error with which the next request fails: its peer has ended, refuses the access or posts no receive in time, or another one.
 * 0 for success.
 */
int fault_due(void) {
  const int errors[] = {personality.dead, personality.refused, FI_ENORX, FI_EIO};
  int number;
  if (!every) {
    return 0;
  }
  random_r(&random_state, &number);
  return number % every ? 0 : errors[number / every % 4];
}

bool cache_is_on(void) {
  const char *monitor = getenv("FI_MR_CACHE_MONITOR");
  return !monitor || strcmp(monitor, "disabled");
}

/* True while the network keeps frames of links that are older than the last command; number of commands. */
static int keeping, commands;

bool network_keeps(const struct link *link) { return keeping && link->born < commands; }

bool network_delivers(void) { return !keeping; }

int network_commands(void) { return commands; }

/* Returns whether an environment variable such as FI_CXI_OPTIMIZED_MRS is on. */
bool is_on(const char *variable, bool otherwise) {
  const char *value = getenv(variable);
  return value ? *value != '0' : otherwise;
}

/* Fails an operation that the provider itself started, at the next endpoint that makes progress. */
EXPORT int standin_fail_internal(void) {
  pthread_mutex_lock(&lock);
  internal_due++;
  pthread_mutex_unlock(&lock);
  return 0;
}

/* Makes requests fail at random. */
EXPORT int standin_fail_at_random(int seed, int one_of) {
  pthread_mutex_lock(&lock);
  memset(&random_state, 0, sizeof random_state);
  initstate_r((unsigned)seed, random_room, sizeof random_room, &random_state);
  every = one_of;
  pthread_mutex_unlock(&lock);
  return 0;
}

/* Keeps messages and requests of the present links, or delivers them to the endpoints that have their addresses now. */
EXPORT int standin_keep(int on) {
  pthread_mutex_lock(&lock);
  keeping = on;
  commands++;
  pthread_mutex_unlock(&lock);
  return 0;
}

/* Returns the number of kept frames. */
EXPORT int standin_kept(void) { return frames_kept; }

/* Returns the number of registered regions. */
EXPORT int standin_regions(void) { return regions_open; }

/* Returns the number of kernel registrations for single operations. */
EXPORT int standin_maps(void) { return maps; }

/* Returns the number of open endpoints without an event queue. */
EXPORT int standin_without_events(void) { return endpoints_without_events; }

static int getinfo(uint32_t version, const char *node, const char *service, uint64_t flags, const struct fi_info *hints,
  struct fi_info **info) {
  return info_get(version, node, service, flags, hints, info);
}

static void cleanup(void) {}

static struct fi_provider provider = {
  .version = FI_VERSION(200, 0),
  .fi_version = FI_VERSION(FI_MAJOR_VERSION, FI_MINOR_VERSION),
  .getinfo = getinfo,
  .fabric = fabric_open,
  .cleanup = cleanup,
};

/* Entry point by which libfabric loads the provider; fi_provider(7). */
EXPORT struct fi_provider *fi_prov_ini(void) {
  provider.name = personality.name;
  return &provider;
}
