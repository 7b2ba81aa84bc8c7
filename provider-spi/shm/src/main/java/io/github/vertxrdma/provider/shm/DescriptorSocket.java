package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import io.github.vertxrdma.provider.ffi.Memory;
import java.util.ArrayDeque;

/**
 * Connected Unix socket that keeps message boundaries (SOCK_SEQPACKET) and transfers file descriptors (SCM_RIGHTS); unix(7). Queues
 * messages while the socket buffer is full. Used by one thread, except {@link #send} and {@link #close}.
 */
class DescriptorSocket {
  private static final int MSG_NOSIGNAL_DONTWAIT = 0x4040;
  /** Size of struct msghdr, 56 bytes. An iovec (16 bytes), control data (40) and the message follow. */
  private static final int IOV = 56;
  private static final int CONTROL = 72;
  private static final int BYTES = 112;
  private static final int CONTROL_HEADER = 16;
  private static final int SOL_SOCKET = 1;
  private static final int SCM_RIGHTS = 1;
  private static final long WAKE = prepare(Memory.allocate(BYTES + SocketMessage.MOST), SocketMessage.of(SocketMessage.WAKE));

  final int fd;
  final long user;
  private final ArrayDeque<SocketMessage> unsent = new ArrayDeque<>();
  /** True if unread messages may contain file descriptors. */
  private volatile boolean passesRights;
  private boolean closed;

  DescriptorSocket(int fd) {
    this(fd, true);
  }

  DescriptorSocket(int fd, boolean passesRights) {
    this.fd = fd;
    this.passesRights = passesRights;
    this.user = SystemCalls.peerUser(fd);
  }

  boolean isAdmittedTo(MeetingFolder folder) {
    return folder.admits(user, () -> SystemCalls.peerGroups(fd));
  }

  void admitFiles() {
    passesRights = true;
    SystemCalls.passRights(fd, true);
  }

  private static long prepare(long at, SocketMessage message) {
    Memory.fill(at, CONTROL, (byte) 0);
    Memory.putLong(at + 16, at + IOV);
    Memory.putLong(at + 24, 1);
    Memory.putLong(at + IOV, at + BYTES);
    Memory.putLong(at + IOV + 8, message.bytes().length);
    Memory.putBytes(at + BYTES, message.bytes());
    int files = message.files().size();
    if (files > 0) {
      Memory.putLong(at + 32, at + CONTROL);
      // CMSG_SPACE: rounded up to a multiple of 8 bytes.
      Memory.putLong(at + 40, CONTROL_HEADER + (files * 4 + 7 & -8));
      Memory.putLong(at + CONTROL, CONTROL_HEADER + files * 4);
      Memory.putInt(at + CONTROL + 8, SOL_SOCKET);
      Memory.putInt(at + CONTROL + 12, SCM_RIGHTS);
      for (int i = 0; i < files; i++) {
        Memory.putInt(at + CONTROL + CONTROL_HEADER + i * 4, message.files().get(i).fd);
      }
    }
    return at;
  }

  /** Sends a message, or queues it if the socket buffer is full. Returns false if the socket is closed. */
  synchronized boolean send(SocketMessage message) {
    if (closed) {
      return false;
    }
    if (!unsent.isEmpty()) {
      keep(message);
      return true;
    }
    long n = transmit(message);
    if (hasNoRoom(n)) {
      keep(message);
      return true;
    }
    return n >= 0;
  }

  /** Returns whether a send failed for lack of a resource that becomes free later; unix(7). */
  private static boolean hasNoRoom(long sent) {
    return sent == -Errno.EAGAIN || sent == -Errno.ENOBUFS || sent == -Errno.ENOMEM || sent == -Errno.ETOOMANYREFS;
  }

  private void keep(SocketMessage message) {
    message.files().forEach(AnonymousFile::hold);
    unsent.add(message);
  }

  synchronized boolean flush() {
    while (!unsent.isEmpty() && !closed) {
      long n = transmit(unsent.peek());
      if (n < 0) {
        return hasNoRoom(n);
      }
      unsent.poll().files().forEach(AnonymousFile::release);
    }
    return !closed;
  }

  int unsent() {
    return unsent.size();
  }

  private long transmit(SocketMessage message) {
    long at = Memory.allocate(BYTES + message.bytes().length);
    try {
      return SystemCalls.send(fd, prepare(at, message), MSG_NOSIGNAL_DONTWAIT);
    } finally {
      Memory.free(at);
    }
  }

  /** Sends a wake-up to the peer. If the socket buffer is full, its unread messages wake the peer. */
  void wake() {
    if (closed) {
      return;
    }
    long n = SystemCalls.send(fd, WAKE, MSG_NOSIGNAL_DONTWAIT);
    if (n == -Errno.ENOBUFS || n == -Errno.ENOMEM) {
      wakeLater();
    }
  }

  /** Queues a wake-up that the kernel had no memory to send. */
  private synchronized void wakeLater() {
    if (!closed && unsent.isEmpty()) {
      keep(SocketMessage.of(SocketMessage.WAKE));
    }
  }

  /** Receives only one message, because later ones may be for another receiver. Returns null if there is none. */
  SocketMessage.Received receive() {
    try (Inbox inbox = new Inbox(1)) {
      return inbox.fill(fd) == 0 ? null : inbox.get(0);
    }
  }

  /** Closes the socket. If unread messages may contain file descriptors, {@link StrayDescriptors} closes it on another thread. */
  synchronized void close() {
    if (!closed) {
      closed = true;
      SystemCalls.shutdown(fd);
      if (passesRights) {
        StrayDescriptors.close(fd, user);
      } else {
        FileDescriptor.close(fd);
      }
      unsent.forEach(message -> message.files().forEach(AnonymousFile::release));
      unsent.clear();
    }
  }
}
