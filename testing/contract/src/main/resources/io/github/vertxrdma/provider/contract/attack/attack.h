/* Formats of shared memory and of links, and functions that all attacks use. */
#ifndef ATTACK_H
#define ATTACK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/* Types of messages over a socket. */
enum { CONNECT = 1, ACCEPT, JOIN, ELSEWHERE, REJECT, WAKE, RING, OPEN, OPENED, NOT_OPENED, OTHER_USERS };
/* Types of records in a ring. */
enum { SEND = 1, WRITE_RECORD = 4, READ_RECORD, ADD_RECORD, SWAP_RECORD, BYE = 13, NEXT_RING, RECORD_TYPES = 18, LAST = 0x200 };
enum { PAGE = 4096, RECORDS = 16384, HEAD = 128, WRITER_WAITS = 384, MOST_FILES = 253, MESSAGE = 4096 };
/* Most regions that a member opens. */
enum { REGIONS = 16 };
/* Bytes of an ACCEPT before its private data. */
enum { ACCEPT_FIELDS = 64 };
/* Types of frames of a link. */
enum { HELLO = 1, WELCOME, DATA = 4, RTS, ATS, RKEY, END, CLOSE = 10, PING = 12, PONG, REGION = 32, REPLY, WRITE_NOTIFY = 42, FRAMES = 48 };
enum { FRAME = 32, LONGEST_PAYLOAD = 1024, SLAB_BYTES = 1 << 20 };

static const uint64_t MAGIC = 0x7672646d61730505ULL;

enum state { UNMET, ACCEPTED, JOINED, GREETED };

/* One connection of the attacker, and values that the other side sent. */
struct link {
  int fd;
  /* Numbers of the connection at this side and at the other one. */
  uint32_t number, other;
  /* Ring that the other side writes, and ring that it reads. */
  unsigned char *theirs, *own;
  size_t their_size;
  uint64_t head, tail;
  int own_fd;
  /* File of the next ring of the other side, or -1. */
  int next_fd;
  size_t next_size;
  /* State of a member's handshake; UNMET for others. */
  enum state state;
  unsigned char request[44], accept[50];
  uint32_t acceptor_user, sequence;
  int is_silent;
  /* A region that was opened: handle, slot, secret. */
  uint64_t handle, secret;
  uint32_t slot;
  unsigned char *region;
  size_t region_size;
};

/* attack.c */
extern uint64_t seed;
uint64_t next(void);
int below(int n);
uint32_t number(void);
uint32_t target(void);
void learn(const unsigned char queue[16], uint32_t connection);
void learn_all(const char *text);
const unsigned char *queue(void);
int sealed(size_t size, unsigned flags, int seals);
int has_lingering(void);
int descriptor(const struct link *links, int count);
void say(int fd, const void *bytes, size_t length, const int *files, int count);
int hear(int fd, unsigned char *bytes, int *files, int *count);
size_t put(unsigned char *at, size_t offset, const void *value, size_t length);
void wake(const struct link *link);
unsigned char *claim(struct link *link, uint32_t length);
void publish(struct link *link, unsigned char *at, uint32_t length, uint32_t shown);

/* play.c */
int follow(struct link *link);

/* member.c */
extern unsigned char key[32];
extern int is_member, is_group;
extern const char *id;
extern uint64_t regions[REGIONS];
extern int region_count, opened_count;
size_t member_request(struct link *link, unsigned char *at);
void member_accepted(struct link *link, const unsigned char *bytes, size_t length);
void member_opened(struct link *link, const unsigned char *bytes, size_t length, int file);
void member_asked(struct link *link, const unsigned char *bytes, size_t length);
void member_plays(struct link *link);

/* proof.c */
void sha256(const unsigned char *bytes, size_t length, unsigned char digest[32]);
void hmac(const unsigned char secret[32], const unsigned char *bytes, size_t length, unsigned char digest[32]);

/* folder.c */
void folder_is(const char *socket);
void folder_plays(void);
void folder_leaves(void);

/* relay.c */
int relay(const char *folder, const char *from, const char *to);

/* flood.c */
int flood(int count, const char *socket);

/* stuck.c */
int stuck(const char *folder, const char *socket);

#endif
