/*
 * Code that both C twins share: kinds of messages, clock, samples, the loops of client and server, and the line that ./rdma perf reads. A
 * program that includes it implements the declared functions with its library.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A stream's server answers after a fourth of the posted receives; large messages shall stay in a processor's cache. */
enum { RECEIVES = 64, LARGE = 1 << 16, RECEIVES_OF_LARGE = 8, SAMPLES = 1 << 22, REGION = 1 << 20 };
enum kind { DATA, HELLO, END };

static size_t size;
static int receives = RECEIVES;
/* Index of the receive that the last poll completed; -1 for none. */
static int received = -1;
/* Whether received messages are added up. */
static int summing;

/* Polls at most one completion; sets `received` for a receive. */
static void poll_once(void);
/* Sends LENGTH bytes of the buffer for the next message; waits for room in the send queue. */
static void send_message(enum kind kind, size_t length);
/* Returns the buffer for the next message; waits until it is free. */
static char *next_message(void);
/* Waits for a message, posts its receive again, and returns its kind. */
static enum kind take(void);
/* Executes a read, write or atomic, and waits for its completion. */
static void transfer(const char *mode);
/* Returns whether a stream has to wait for completions of its own. */
static int is_full(void);

static long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000L + t.tv_nsec;
}

/* Returns the processor time of this process in µs. */
static double processor(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

/* Returns whether senders fill messages and receivers add them up. */
static int is_touch(const char *mode) { return !strcmp(mode, "touch"); }

static int is_stream(const char *mode) { return !strcmp(mode, "rate") || is_touch(mode); }

static int is_echo(const char *mode) { return !strcmp(mode, "latency"); }

static int compare(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;
  return x < y ? -1 : x > y;
}

/* Fills a message except for its first word, which has its kind. */
static void fill(char *message, long number) { memset(message + 8, 1 + (int) (number % 100), size - 8); }

/* Adds up the words of a message, which are equal except for the first. */
static void add_up(const char *message) {
  const uint64_t *words = (const uint64_t *) message;
  size_t n = size / 8, i = 1;
  uint64_t a = 0, b = 0, c = 0, d = 0;
  for (; i + 4 <= n; i += 4) {
    a += words[i];
    b += words[i + 1];
    c += words[i + 2];
    d += words[i + 3];
  }
  for (; i < n; i++) a += words[i];
  if (a + b + c + d != (n - 1) * words[n - 1]) {
    fprintf(stderr, "a message has other bytes than were sent\n");
    exit(1);
  }
}

/* Returns a percentile in µs of sorted samples; -1 if there are none. */
static double percentile(const uint32_t *samples, long kept, long percent) { return kept ? samples[kept * percent / 100] / 1e3 : -1.0; }

/* Answers a client until it ends, and prints the processor time in µs: "used US". */
static void answer(const char *mode) {
  int echo = is_echo(mode), stream = is_stream(mode), ack_every = receives / 4;
  long count = 0;
  double begin = processor();
  summing = is_touch(mode);
  for (enum kind kind; (kind = take()) != END;) {
    if (kind == HELLO) send_message(HELLO, 1);
    else if (echo) send_message(DATA, size);
    else if (stream && ++count % ack_every == 0) send_message(DATA, 1);
  }
  send_message(END, 1);
  printf("used %.0f\n", processor() - begin);
  fflush(stdout);
}

/* Runs the workload for MILLIS and prints the result: "result P50_US P90_US P99_US MESSAGES_PER_S USED_US". */
static void measure(const char *mode, long millis) {
  static uint32_t samples[SAMPLES];
  int echo = is_echo(mode), stream = is_stream(mode), touch = is_touch(mode), ack_every = receives / 4;
  double used = processor();
  long count = 0, kept = 0, acknowledged = 0, begin = now(), end = begin + millis * 1000000L, last = begin;
  while (last < end) {
    if (echo) {
      send_message(DATA, size);
      take();
    } else if (stream) {
      if (touch) fill(next_message(), count);
      send_message(DATA, size);
      while (received >= 0 || count + 1 - acknowledged >= receives - ack_every || is_full()) {
        if (received >= 0) {
          take();
          acknowledged += ack_every;
        } else {
          poll_once();
        }
      }
    } else {
      transfer(mode);
    }
    count++;
    if (!stream || count % ack_every == 0) {
      long t = now();
      if (!stream && kept < SAMPLES) samples[kept++] = (uint32_t) (t - last);
      last = t;
    }
  }
  send_message(END, 1);
  while (take() != END) ;
  end = now();
  qsort(samples, (size_t) kept, sizeof samples[0], compare);
  printf("result %.3f %.3f %.3f %.1f %.0f\n", percentile(samples, kept, 50), percentile(samples, kept, 90), percentile(samples, kept, 99),
    count * 1e9 / (double) (end - begin), processor() - used);
  fflush(stdout);
}
