package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Epoll;
import io.github.vertxrdma.provider.ffi.Memory;
import io.github.vertxrdma.provider.ffi.Scratch;
import java.lang.foreign.MemorySegment;

/** File descriptor that a thread waits for: of the completion queue, or of an epoll set with the completion queue and the event queue. */
final class QueueFd {
  private final Fid fabric;
  private final MemorySegment trywait;
  private final int queues;
  private final long fids;
  private final Epoll epoll;
  /** File descriptor to wait for, or -1. */
  final int fd;
  /** File descriptor of the completion queue, or -1. */
  final int nativeFd;

  QueueFd(FabricDomain domain, Fid cq, EventQueue events) {
    fabric = domain.fabric;
    trywait = MemorySegment.ofAddress(domain.trywait());
    queues = events == null ? 1 : 2;
    nativeFd = domain.waitsByFd() ? fdOf(cq) : -1;
    if (nativeFd >= 0 && events != null && events.fd >= 0) {
      epoll = both(nativeFd, events.fd);
      fd = epoll.fd();
    } else {
      epoll = null;
      fd = events == null ? nativeFd : -1;
    }
    fids = Memory.allocate(16);
    Memory.putLong(fids, cq.address());
    Memory.putLong(fids + 8, events == null ? 0 : events.fid.address());
  }

  private static Epoll both(int one, int other) {
    Epoll epoll = new Epoll();
    try {
      epoll.add(one);
      epoll.add(other);
      return epoll;
    } catch (RuntimeException e) {
      epoll.close();
      throw e;
    }
  }

  /** Returns the fd of a queue, or -1 if it has none although it was opened with {@link Fi#WAIT_FD}. */
  static int fdOf(Fid queue) {
    try (Scratch out = Scratch.of(Structs.ROOM)) {
      return queue.control(Fi.GETWAIT, out.address()) == 0 ? Memory.getInt(out.address()) : -1;
    }
  }

  boolean isNone() {
    return fd < 0;
  }

  /** Returns false if there are unread completions or events; fi_trywait(3). */
  boolean maySleep() {
    return Calls.plain(trywait, fabric.address(), fids, queues) == 0;
  }

  void close() {
    if (epoll != null) {
      epoll.close();
    }
    Memory.free(fids);
  }
}
