package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Downcall;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import io.github.vertxrdma.provider.ffi.Memory;
import io.github.vertxrdma.provider.ffi.SocketCalls;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;

/** System calls for shared files and for sockets that transfer descriptors. */
final class SystemCalls {
  static final int PROT_READ = 1;
  static final int PROT_WRITE = 2;
  static final int SEAL_SEAL = 1;
  static final int SEAL_SHRINK = 2;
  static final int SEAL_GROW = 4;
  static final int SEAL_FUTURE_WRITE = 16;

  static final int LOCK_SHARED = 1;
  static final int LOCK_EXCLUSIVE = 2;
  static final int UNLOCK = 8;
  private static final int LOCK_NB = 4;

  private static final int AF_UNIX = 1;
  private static final int SOCK_SEQPACKET = 5;
  private static final int MFD_CLOEXEC_ALLOW_SEALING = 3;
  private static final int F_ADD_SEALS = 1033;
  private static final int F_GET_SEALS = 1034;
  private static final int MAP_SHARED = 1;
  private static final int MAP_PRIVATE = 2;
  private static final int MREMAP_MAYMOVE_FIXED = 3;
  private static final int FALLOC_FL_KEEP_SIZE_PUNCH_HOLE = 3;
  private static final int O_RDWR_CLOEXEC = 0x80002;
  private static final int O_NOFOLLOW = System.getProperty("os.arch").equals("aarch64") ? 0x8000 : 0x20000;
  private static final int O_PATH_CLOEXEC = 0x280000;
  private static final int O_RDONLY_NONBLOCK_CLOEXEC = 0x80800;
  private static final int SEEK_END = 2;
  private static final int SO_PEERCRED = 17;
  private static final int SO_PEERGROUPS = 59;
  /** Option since Linux 6.16: whether peers may send descriptors to the socket. Accepted sockets have the value of their listener. */
  private static final int SO_PASSRIGHTS = 83;
  private static final int SHUT_RDWR = 2;
  private static final int MOST_GROUPS = 65_536;
  /** File system type of memfd_create(2) files without huge pages; statfs(2). */
  private static final long TMPFS_MAGIC = 0x0102_1994;
  /** sizeof(struct statfs) on both architectures. */
  private static final int STATFS = 120;
  private static final long SLICE = 2 << 20;

  private static final System.Logger LOG = System.getLogger(SystemCalls.class.getName());
  private static final LongAdder FAILED_UNMAPS = new LongAdder();

  /** Name of a function that the C library lacks, or null. The initializers below assign it. */
  private static String missing;

  private static final long MEMFD_CREATE = find("memfd_create");
  private static final long FTRUNCATE = find("ftruncate");
  private static final long POSIX_FALLOCATE = find("posix_fallocate");
  private static final long FCNTL = find("fcntl");
  private static final long MMAP = find("mmap");
  private static final long MUNMAP = find("munmap");
  private static final long MREMAP = find("mremap");
  private static final long FALLOCATE = find("fallocate");
  private static final long OPEN = find("open");
  private static final long FLOCK = find("flock");
  private static final long LSEEK = find("lseek");
  private static final long SENDMSG = find("sendmsg");
  private static final long RECVMMSG = find("recvmmsg");
  private static final long FSTATFS = find("fstatfs");
  private static final long GETUID = find("getuid");

  private SystemCalls() {
  }

  private static long find(String name) {
    long address = Downcall.libc(name);
    if (address == 0) {
      missing = name;
    }
    return address;
  }

  static long userId() {
    if (missing != null) {
      throw new ProviderException(Reason.TOO_OLD, "shm: the C library has no " + missing + ": glibc 2.27 or musl is needed");
    }
    return Integer.toUnsignedLong(Calls.number(GETUID));
  }

  static int memoryFile() {
    long name = Memory.allocateString("vertx-rdma");
    try {
      return FileDescriptor.check(Calls.number(MEMFD_CREATE, name, MFD_CLOEXEC_ALLOW_SEALING), "shm: memfd_create");
    } finally {
      Memory.free(name);
    }
  }

  /**
   * Sets the size of a file and allocates all its memory. A signal, such as a profiler's, undoes a call (EINTR), so each call allocates
   * little.
   *
   * @return errno, 0 on success
   */
  static int allocate(int fd, long bytes) {
    if (Calls.number(FTRUNCATE, fd, bytes) < 0) {
      return Errno.last();
    }
    long slice = SLICE;
    for (long at = 0; at < bytes;) {
      long n = Math.min(slice, bytes - at);
      int errno = Calls.number(POSIX_FALLOCATE, fd, at, n);
      if (errno == 0) {
        at += n;
      } else if (errno == Errno.EINTR) {
        slice = Math.max(AnonymousFile.PAGE, slice / 2);
      } else {
        return errno;
      }
    }
    return 0;
  }

  static boolean seal(int fd, int seals) {
    return fcntl(fd, F_ADD_SEALS, seals) == 0;
  }

  /** Returns the seals of a file; negative if it cannot have seals. */
  static int seals(int fd) {
    return fcntl(fd, F_GET_SEALS, 0);
  }

  private static int fcntl(int fd, int command, int argument) {
    return Calls.number(FCNTL, fd, command, argument);
  }

  /**
   * Returns whether the file is in memory, in pages of the usual size. Calls fstatfs(2), which the process behind a FUSE file can delay.
   */
  static boolean isTmpfs(int fd) {
    long status = Memory.allocate(STATFS);
    try {
      return Calls.number(FSTATFS, fd, status) == 0 && Memory.getLong(status) == TMPFS_MAGIC;
    } finally {
      Memory.free(status);
    }
  }

  static long size(int fd) {
    return Calls.pointer(LSEEK, fd, 0, SEEK_END);
  }

  static long map(int fd, long bytes, int protection) {
    return map(fd, bytes, protection, MAP_SHARED);
  }

  private static long map(int fd, long bytes, int protection, int kind) {
    long address = Calls.pointer(MMAP, 0, bytes, protection, kind, fd, 0);
    if (address == -1) {
      int errno = Errno.last();
      throw new ProviderException(errno == Errno.ENOMEM ? Reason.LIMIT : Reason.OTHER, errno, "shm: cannot map " + bytes + " bytes "
        + "of shared memory: " + Errno.describe(errno) + (errno == Errno.ENOMEM ? ". Check 'ulimit -v' and "
          + "/proc/sys/vm/max_map_count" : ""));
    }
    return address;
  }

  /**
   * Replaces a shared mapping by a private one, atomically for all threads. Until this process writes to a page, the page shows what other
   * processes write to the file. If the call fails, the shared mapping is unchanged.
   */
  static void makePrivate(int fd, long address, long bytes) {
    long fresh = map(fd, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE);
    if (Calls.pointer(MREMAP, fresh, bytes, bytes, MREMAP_MAYMOVE_FIXED, address) != address) {
      unmap(fresh, bytes);
      throw new ProviderException(Reason.LIMIT,
        "shm: cannot move " + bytes + " bytes of shared memory to another address. Check /proc/sys/vm/max_map_count");
    }
  }

  static void punch(int fd, long from, long bytes) {
    Calls.number(FALLOCATE, fd, FALLOC_FL_KEEP_SIZE_PUNCH_HOLE, from, bytes);
  }

  /** Opens the file again, as another open file description (open(2)). Returns a negative errno without /proc. */
  static int reopen(int fd) {
    return open("/proc/self/fd/" + fd, O_RDWR_CLOEXEC);
  }

  /** Returns a descriptor of the file or symbolic link at a path, or a negative errno. */
  static int openPath(String path) {
    return open(path, O_PATH_CLOEXEC | O_NOFOLLOW);
  }

  static int openToRead(String path) {
    return open(path, O_RDONLY_NONBLOCK_CLOEXEC | O_NOFOLLOW);
  }

  private static int open(String path, int flags) {
    long name = Memory.allocateString(path);
    try {
      int fd = Calls.number(OPEN, name, flags);
      return fd < 0 ? -Errno.last() : fd;
    } finally {
      Memory.free(name);
    }
  }

  static boolean lock(int fd, int operation) {
    return Calls.number(FLOCK, fd, operation | LOCK_NB) == 0;
  }

  /** Calls munmap(2). If it fails, the mapping stays and counts for max_map_count of proc(5). */
  static void unmap(long address, long bytes) {
    if (Calls.number(MUNMAP, address, bytes) != 0) {
      int errno = Errno.last();
      FAILED_UNMAPS.increment();
      LOG.log(System.Logger.Level.WARNING, "shm: cannot unmap " + bytes + " bytes at 0x" + Long.toHexString(address) + ": "
        + Errno.describe(errno) + ". They stay mapped until the process ends. Failed calls so far: " + FAILED_UNMAPS.sum() + ".");
    }
  }

  static long failedUnmaps() {
    return FAILED_UNMAPS.sum();
  }

  static int socket() {
    return FileDescriptor.check(SocketCalls.socket(AF_UNIX, SOCK_SEQPACKET), "shm: socket");
  }

  static int bind(int fd, String path) {
    return address(fd, path, true);
  }

  /**
   * Connects a socket.
   *
   * @return errno, 0 on success; EAGAIN if the backlog is full
   */
  static int connect(int fd, String path) {
    return address(fd, path, false);
  }

  private static int address(int fd, String path, boolean bind) {
    byte[] bytes = path.getBytes(StandardCharsets.UTF_8);
    long address = Memory.allocate(110);
    try {
      Memory.putShort(address, (short) AF_UNIX);
      Memory.putBytes(address + 2, bytes);
      int length = bytes.length + 3;
      return -(bind ? SocketCalls.bind(fd, address, length) : SocketCalls.connect(fd, address, length));
    } finally {
      Memory.free(address);
    }
  }

  static void listen(int fd, int backlog) {
    FileDescriptor.check(SocketCalls.listen(fd, backlog), "shm: listen");
  }

  /** Sets whether peers may send descriptors to a socket. Returns false before Linux 6.16, where peers always may. */
  static boolean passRights(int fd, boolean may) {
    return SocketCalls.setOption(fd, SocketCalls.SOL_SOCKET, SO_PASSRIGHTS, may ? 1 : 0) == 0;
  }

  static void shutdown(int fd) {
    SocketCalls.shutdown(fd, SHUT_RDWR);
  }

  /** Returns the user at the other end of a socket, SO_PEERCRED of unix(7), or -1 if it is unknown. */
  static long peerUser(int fd) {
    Set<Long> user = option(fd, SO_PEERCRED, 12, 1, 1);
    return user.isEmpty() ? -1 : user.iterator().next();
  }

  /** Returns the groups of the user at the other end; SO_PEERCRED and SO_PEERGROUPS (Linux 4.13) of unix(7). */
  static Set<Long> peerGroups(int fd) {
    Set<Long> groups = option(fd, SO_PEERCRED, 12, 2, 1);
    groups.addAll(option(fd, SO_PEERGROUPS, MOST_GROUPS * 4, 0, MOST_GROUPS));
    return groups;
  }

  /** Reads a socket option that is an array of 32-bit numbers, from index {@code from} on. */
  private static Set<Long> option(int fd, int option, int bytes, int from, int most) {
    Set<Long> found = new HashSet<>();
    long value = Memory.allocate(bytes + 8L);
    try {
      Memory.putInt(value + bytes, bytes);
      int done = SocketCalls.getOption(fd, SocketCalls.SOL_SOCKET, option, value, value + bytes);
      int end = done < 0 ? 0 : Math.min(Memory.getInt(value + bytes) / 4, from + most);
      for (int i = from; i < end; i++) {
        found.add(Integer.toUnsignedLong(Memory.getInt(value + i * 4L)));
      }
      return found;
    } finally {
      Memory.free(value);
    }
  }

  static long send(int fd, long message, int flags) {
    long n = Calls.pointer(SENDMSG, fd, message, flags);
    return n < 0 ? -Errno.last() : n;
  }

  /** Receives messages. After the peer has closed the socket, all further messages are empty. */
  static int receive(int fd, long messages, int most, int flags) {
    int n = Calls.number(RECVMMSG, fd, messages, most, flags, 0);
    return n < 0 ? -Errno.last() : n;
  }
}
