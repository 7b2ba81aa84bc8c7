/*
 * What the twins in C have in common: the kinds of messages, the clock, the samples, the loop of either end, and the line that ./rdma perf
 * reads. A program that includes it has the functions that are declared here, over its library.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A stream's server answers every sixteenth message, within the receives that are posted. */
enum { RECEIVES = 64, ACK_EVERY = 16, SAMPLES = 1 << 22, REGION = 1 << 20 };
enum kind { DATA, HELLO, END };

static size_t size;
/* The receive that the last poll took; -1 for none. */
static int received = -1;

/* Takes one completion at most; a receive is left in `received`. */
static void poll_once(void);
/* Sends a message of so many bytes; waits for room in the send queue. */
static void send_message(enum kind kind, size_t length);
/* Waits for a message and posts its receive again. Returns its kind. */
static enum kind take(void);
/* Carries out a read, a write or an atomic, and waits for its completion. */
static void transfer(const char *mode);
/* Tells whether a stream has to wait for completions of its own. */
static int is_full(void);

static long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000L + t.tv_nsec;
}

static int is_stream(const char *mode) { return !strcmp(mode, "rate") || !strcmp(mode, "bandwidth"); }

static int is_echo(const char *mode) { return !strcmp(mode, "latency"); }

static int compare(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;
  return x < y ? -1 : x > y;
}

/* Answers a client until it ends. */
static void answer(const char *mode) {
  int echo = is_echo(mode), stream = is_stream(mode);
  long count = 0;
  for (enum kind kind; (kind = take()) != END;) {
    if (kind == HELLO) send_message(HELLO, 1);
    else if (echo) send_message(DATA, size);
    else if (stream && ++count % ACK_EVERY == 0) send_message(DATA, 1);
  }
  send_message(END, 1);
}

/* Does the work for that time and prints the result: "result P50_US P99_US MESSAGES_PER_S". */
static void measure(const char *mode, long millis) {
  static uint32_t samples[SAMPLES];
  int echo = is_echo(mode), stream = is_stream(mode);
  long count = 0, kept = 0, acknowledged = 0, begin = now(), end = begin + millis * 1000000L, last = begin;
  while (last < end) {
    if (echo) {
      send_message(DATA, size);
      take();
    } else if (stream) {
      send_message(DATA, size);
      while (received >= 0 || count + 1 - acknowledged >= RECEIVES - ACK_EVERY || is_full()) {
        if (received >= 0) {
          take();
          acknowledged += ACK_EVERY;
        } else {
          poll_once();
        }
      }
    } else {
      transfer(mode);
    }
    count++;
    if (!stream || count % ACK_EVERY == 0) {
      long t = now();
      if (!stream && kept < SAMPLES) samples[kept++] = (uint32_t) (t - last);
      last = t;
    }
  }
  send_message(END, 1);
  while (take() != END) ;
  end = now();
  qsort(samples, (size_t) kept, sizeof samples[0], compare);
  printf("result %.3f %.3f %.1f\n", kept ? samples[kept / 2] / 1e3 : -1.0, kept ? samples[kept * 99 / 100] / 1e3 : -1.0,
    count * 1e9 / (double) (end - begin));
  fflush(stdout);
}
