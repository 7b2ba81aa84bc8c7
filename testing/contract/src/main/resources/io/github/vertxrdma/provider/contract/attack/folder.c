/* Random moves in the folder of the sockets, where a member of the group may create files. */
#define _GNU_SOURCE
#include "attack.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { LENGTH = 256, SHORT = 128, MADE = 32 };

static char folder[SHORT], listener[SHORT];
static char made[MADE][LENGTH];
static int made_count, is_foreign;

/* Sets the folder to that of a listener's socket. */
void folder_is(const char *socket) {
  struct stat is;
  snprintf(listener, sizeof listener, "%s", socket);
  snprintf(folder, sizeof folder, "%.*s", (int) (strrchr(socket, '/') - socket), socket);
  is_group = !stat(folder, &is) && (is.st_mode & S_ISGID) != 0;
  /* Whether the socket belongs to another user: a process of the same user may remove everything. */
  is_foreign = getuid() && !stat(socket, &is) && is.st_uid != getuid();
}

static char *name(void) {
  static const char *some[] = {"/.lock", "/1-2-3", "/vertx", "/.hidden", "/0-0-1", "/-"};
  char *path = made[made_count];
  if (below(4)) {
    snprintf(path, LENGTH, "%s/%x-%lx-%x", folder, (unsigned) next() % 99999, (unsigned long) next(), (unsigned) below(9) + 1);
  } else {
    snprintf(path, LENGTH, "%s%s", folder, some[below(6)]);
  }
  return path;
}

static int make(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int fd;
  switch (below(5)) {
    case 0: return mkfifo(path, 0666);
    case 1: return symlink(below(2) ? "/etc/passwd" : listener, path);
    case 2: return mkdir(path, 0777);
    case 3:
      if (strlen(path) >= sizeof address.sun_path) {
        return -1;
      }
      strcpy(address.sun_path, path);
      fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
      /* The socket stays open, so that others may connect and get no answer. */
      return bind(fd, (struct sockaddr *) &address, sizeof address) || (below(2) && listen(fd, 1));
    default:
      fd = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
      return fd < 0 ? -1 : close(fd);
  }
}

/* Tries operations that only the owner of the socket may do. */
static void take_over(void) {
  char other[LENGTH];
  snprintf(other, sizeof other, "%s/taken-%x", folder, (unsigned) next());
  if (rename(listener, other) == 0 || unlink(listener) == 0 || chmod(listener, 0) == 0 || chmod(folder, 0777) == 0
    || renameat2(AT_FDCWD, listener, AT_FDCWD, folder, RENAME_EXCHANGE) == 0) {
    printf("took over %s\n", listener);
  }
}

static void lock(void) {
  char path[LENGTH + 8];
  snprintf(path, sizeof path, "%s/.lock", folder);
  int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (fd >= 0 && (below(2) ? flock(fd, LOCK_EX | LOCK_NB) : lockf(fd, F_TLOCK, 0))) {
    close(fd);
  }
}

void folder_plays(void) {
  if (below(3) == 0 && is_foreign) {
    take_over();
  } else if (below(4) == 0) {
    lock();
  } else if (made_count < MADE) {
    char *path = name();
    /* A process of the nodes' user must not create .lock, which is the nodes' lock. */
    if ((is_foreign || !strstr(path, ".lock")) && make(path) == 0) {
      made_count++;
    }
  }
}

/* Removes most of the created files. */
void folder_leaves(void) {
  for (int i = 0; i < made_count; i++) {
    if (below(8)) {
      if (unlink(made[i]) && rmdir(made[i])) {
        /* The file stays. */
      }
    }
  }
}
