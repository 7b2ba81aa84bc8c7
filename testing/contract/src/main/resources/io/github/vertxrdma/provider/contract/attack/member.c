/* Attacks of a peer that knows the secret: it proves the secret, then sends frames and operations in any order. */
#define _GNU_SOURCE
#include "attack.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

unsigned char key[32];
int is_member, is_group;
uint64_t regions[REGIONS];
int region_count;
/* Number of received files of regions. */
int opened_count;
const char *id;

static size_t put_big(unsigned char *at, size_t offset, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) {
    at[offset + i] = (unsigned char) (value >> 8 * (bytes - 1 - i));
  }
  return offset + bytes;
}

static size_t put_text(unsigned char *at, size_t offset, const void *text, size_t length) {
  return put(at, put_big(at, offset, length, 2), text, length);
}

/* Writes private data of a request, without a binding to an address. */
size_t member_request(struct link *link, unsigned char *at) {
  unsigned char digest[32];
  uint64_t random[4] = {next(), next(), next(), next()};
  sha256((const unsigned char *) id, strlen(id), digest);
  size_t n = put_big(link->request, 0, 0x56050400, 4);
  n = put(link->request, n, random, 8);
  n = put_big(link->request, n, 1, 8);
  n = put(link->request, n, digest, 8);
  put(link->request, n, random + 1, 16);
  return put(at, 0, link->request, sizeof link->request);
}

void member_accepted(struct link *link, const unsigned char *bytes, size_t length) {
  if (is_member && length >= sizeof link->accept && link->request[0]) {
    memcpy(link->accept, bytes, sizeof link->accept);
    link->state = ACCEPTED;
  }
}

/* Begins a record in this side's ring. Returns NULL if there is no room. */
static unsigned char *begin(struct link *link, uint32_t type, uint32_t length) {
  unsigned char *at = claim(link, length);
  if (at) {
    memset(at + 4, 0, length - 4);
    put(at, put(at, 4, &type, 4), &link->other, 4);
  }
  return at;
}

/* Sends a frame in a record. SHOWN, the length in the frame's header, may differ from the payload's length. */
static void frame_claiming(struct link *link, int type, int flags, uint64_t a, uint64_t b, const void *payload, uint32_t length,
  uint32_t shown) {
  unsigned char *at = begin(link, SEND, 16 + FRAME + length);
  if (!at) {
    return;
  }
  uint32_t sequence = below(64) ? link->sequence++ : number();
  uint16_t data = below(16) ? 0 : (uint16_t) number(), control = below(16) ? 0 : (uint16_t) number(), format = below(256) ? 1 : 2;
  unsigned char head[2] = {(unsigned char) type, (unsigned char) flags};
  size_t n = put(at, 16, head, 2);
  n = put(at, n, &data, 2);
  n = put(at, n, &control, 2);
  n = put(at, n, &format, 2);
  n = put(at, n, &sequence, 4);
  n = put(at, n, &shown, 4);
  n = put(at, n, &a, 8);
  n = put(at, n, &b, 8);
  if (length) {
    put(at, n, payload, length);
  }
  publish(link, at, 16 + FRAME + length, 16 + FRAME + length);
}

static void frame(struct link *link, int type, int flags, uint64_t a, uint64_t b, const void *payload, uint32_t length) {
  frame_claiming(link, type, flags, a, b, payload, length, below(64) ? length : number());
}

static void hello(struct link *link) {
  static const char *services[] = {"endpoint/echo", "endpoint/echo", "regions", "ping", "endpoint/none", ""};
  static const uint32_t offers[] = {16384, 16, 16, 64 << 20};
  unsigned char proven[128], proof[32], greeting[512];
  const char *service = services[below(6)];
  size_t n = put(proven, 0, "CONNECTOR", 10);
  n = put(proven, n, link->request, sizeof link->request);
  n = put(proven, n, link->accept, 34);
  n = put_big(proven, n, 0, 4);
  if (is_group) {
    n = put_big(proven, n, getuid(), 4);
    n = put_big(proven, n, link->acceptor_user, 4);
  }
  hmac(key, proven, n, proof);
  if (!below(16)) {
    proof[below(32)]++;
  }
  n = put_text(greeting, 0, proof, sizeof proof);
  n = put_text(greeting, n, id, strlen(id));
  n = put_big(greeting, n, 1, 8);
  n = put_text(greeting, n, "", 0);
  n = put_big(greeting, n, 0, 2);
  n = put_text(greeting, n, service, strlen(service));
  for (int i = 0; i < 4; i++) {
    n = put_big(greeting, n, below(16) ? offers[i] : number(), 4);
  }
  for (int i = 0; i < 3; i++) {
    n = put_text(greeting, n, "", 0);
  }
  frame(link, HELLO, 0, 0, 0, greeting, (uint32_t) n);
}

/* Learns handle, slot and secret from the description of an opened region. */
static void described(struct link *link, const unsigned char *at, size_t length) {
  uint16_t name, authority = 0, token;
  uint32_t slot;
  if (length < 27) {
    return;
  }
  memcpy(&name, at + 21, 2);
  memcpy(&authority, at + 23 + name, name + 25u <= length ? 2 : 0);
  size_t begin = 25u + name + authority;
  if (name + 25u > length || begin + 2 + 32 > length) {
    return;
  }
  memcpy(&token, at + begin, 2);
  memcpy(&link->handle, at, 8);
  if (token >= 32) {
    memcpy(&slot, at + begin + 18, 4);
    memcpy(&link->secret, at + begin + 26, 8);
    link->slot = ntohl(slot);
    link->secret = __builtin_bswap64(link->secret);
  }
}

static void arrived(struct link *link, const unsigned char *at, size_t length) {
  uint64_t b;
  memcpy(&b, at + 24, 8);
  switch (at[0]) {
    case WELCOME: link->state = at[1] & 1 ? link->state : GREETED; break;
    case RTS: frame(link, ATS, 0, 0, 0, &b, 8); break;
    case PING:
      if (!link->is_silent) {
        frame(link, PONG, 0, 0, 0, NULL, 0);
      }
      break;
    case REPLY:
      if (at[1] == 0 && length > FRAME + 27) {
        described(link, at + FRAME, length - FRAME);
      }
      break;
    default: break;
  }
}

/* Reads records of the other side's ring. */
static void read_ring(struct link *link) {
  for (int i = 0; i < 64 && link->theirs; i++) {
    uint32_t mask = (uint32_t) (link->their_size - PAGE - 1), begin = (uint32_t) link->head & mask, type;
    unsigned char *at = link->theirs + PAGE + begin;
    uint32_t length = __atomic_load_n((uint32_t *) at, __ATOMIC_ACQUIRE);
    if (length == 0) {
      break;
    }
    if (length == 0xffffffff) {
      link->head += mask + 1 - begin;
      continue;
    }
    if (length < 16 || length > mask + 1 - begin) {
      return;
    }
    memcpy(&type, at + 4, 4);
    if ((type & 0xff) == NEXT_RING) {
      if (!follow(link)) {
        break;
      }
      continue;
    }
    if ((type & 0xff) == SEND && length >= 16 + FRAME) {
      arrived(link, at + 16, length - 16);
    }
    link->head += (length + 7) & ~7u;
  }
  if (link->theirs) {
    __atomic_store_n((uint64_t *) (link->theirs + HEAD), link->head, __ATOMIC_RELEASE);
  }
}

/* Answers a victim that requests the file of a region which the attacker announced. */
void member_asked(struct link *link, const unsigned char *bytes, size_t length) {
  unsigned char out[64];
  uint32_t type = OPENED, rights = below(2) ? 7 : number();
  uint64_t size = below(4) ? SLAB_BYTES : below(2) ? number() : 1ULL << (12 + below(51)), offset = below(4) ? 0 : number();
  uint64_t mark_at = below(2) ? 0 : SLAB_BYTES - 8, mark = 0, file_size = below(2) ? SLAB_BYTES + PAGE : size;
  if (length < 16) {
    return;
  }
  int file = below(8) ? sealed(file_size, 0, F_SEAL_SHRINK | F_SEAL_GROW) : descriptor(link, 1);
  size_t n = put(out, 0, &type, 4);
  n = put(out, n, bytes + 4, 12);
  n = put(out, n, &offset, 8);
  n = put(out, n, &size, 8);
  n = put(out, n, &rights, 4);
  n = put(out, n, &mark_at, 8);
  n = put(out, n, &mark, 8);
  n = put(out, n, &file_size, 8);
  say(link->fd, out, n, &file, file >= 0);
  close(file);
}

/* Maps the file of a region that a victim shares. */
void member_opened(struct link *link, const unsigned char *bytes, size_t length, int file) {
  uint64_t size, shared;
  struct stat is;
  if (length < 60 || link->region || fstat(file, &is)) {
    return;
  }
  opened_count++;
  memcpy(&shared, bytes + 24, 8);
  memcpy(&size, bytes + 52, 8);
  if ((uint64_t) is.st_size > shared + 2 * PAGE) {
    printf("took over %llu bytes beside a region\n", (unsigned long long) is.st_size - shared);
  }
  void *region = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (region != MAP_FAILED) {
    link->region = region;
    link->region_size = size;
  }
}

static uint64_t offset(void) {
  return below(4) ? (uint64_t) below(4096) & ~7ULL : below(2) ? number() : next();
}

/* Sends an operation on a region, which the owner executes. */
static void operation(struct link *link) {
  uint32_t type = WRITE_RECORD + (uint32_t) below(4), slot = below(4) ? link->slot : (uint32_t) below(32);
  unsigned char *at = begin(link, type | (type == WRITE_RECORD ? LAST : 0), 64);
  if (!at) {
    return;
  }
  uint64_t words[5] = {below(8) ? link->secret : next(), offset(), next(), below(2) ? 8 : number(), next()};
  put(at, 16, &slot, 4);
  put(at, 24, words, sizeof words);
  publish(link, at, 64, 64);
}

static void announce(struct link *link) {
  unsigned char payload[24] = {0};
  uint64_t slab = 1 + (uint64_t) below(4), bytes = below(8) ? SLAB_BYTES : below(2) ? 0 : 1ULL << (12 + below(50));
  uint32_t in_file = htonl(1), slot = number();
  uint32_t size = below(4) ? 100000 : number(), at = below(4) ? 0 : number(), piece = below(4) ? size : number();
  put(payload, 8, &slot, 4);
  put(payload, 12, &in_file, 4);
  put(payload, 16, &slab, 8);
  frame(link, RKEY, 0, slab, bytes, payload, sizeof payload);
  if (below(4)) {
    frame_claiming(link, RTS, 0, (uint64_t) size << 32 | at, slab << 48 | (uint64_t) (below(4) ? 0 : number()), NULL, 0, piece);
  }
}

static void any_frame(struct link *link) {
  unsigned char payload[LONGEST_PAYLOAD];
  for (size_t i = 0; i < sizeof payload; i += 8) {
    uint64_t value = below(2) ? number() : next();
    memcpy(payload + i, &value, 8);
  }
  int type = below(FRAMES), length = below(4) ? 8 * below(5) : below(LONGEST_PAYLOAD);
  frame(link, type, below(2) ? 0 : below(256), below(2) ? number() : next(), below(2) ? link->handle : next(), payload, (uint32_t) length);
}

/* Makes one move on a connection that the other side has accepted. */
void member_plays(struct link *link) {
  unsigned char payload[LONGEST_PAYLOAD];
  uint64_t words[3] = {offset(), below(2) ? 8 : number(), next()};
  if (link->sequence == 0) {
    hello(link);
    wake(link);
    return;
  }
  read_ring(link);
  int kind = below(17);
  if (!link->region && below(2)) {
    /* Opens a region, which takes several moves. */
    kind = link->secret ? 10 : 4;
  }
  switch (kind) {
    case 0: case 1: any_frame(link); break;
    case 2: case 3:
      memset(payload, below(256), sizeof payload);
      for (int i = below(24); i >= 0; i--) {
        frame(link, DATA, 0, 0, 0, payload, (uint32_t) below(LONGEST_PAYLOAD));
      }
      break;
    case 4: case 5:
      memset(words, 0, 8);
      frame(link, REGION, 0, next(), regions[below(region_count)], words, 8);
      break;
    case 6:
      frame(link, 35 + below(3), below(3), next(), link->handle, words, sizeof words);
      break;
    case 7:
      put(payload, 0, words, 16);
      frame(link, WRITE_NOTIFY, below(4), next(), link->handle, payload, 16 + (uint32_t) below(500));
      break;
    case 8: operation(link); break;
    case 9: announce(link); break;
    case 10: case 11: case 12:
      if (link->secret) {
        uint32_t type = OPEN;
        size_t n = put(payload, 0, &type, 4);
        n = put(payload, n, &link->slot, 4);
        n = put(payload, n, &link->secret, 8);
        say(link->fd, payload, n, NULL, 0);
      }
      break;
    case 13:
      for (int i = 0; link->region && i < 64; i++) {
        link->region[next() % link->region_size] = (unsigned char) next();
      }
      break;
    case 14: frame(link, END + below(4), 0, 0, 0, NULL, 0); break;
    default: link->is_silent = !below(8);
  }
  if (below(4)) {
    wake(link);
  }
}
