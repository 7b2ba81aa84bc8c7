package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import io.github.vertxrdma.provider.ffi.Memory;
import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * A connected socket of unix(7) that keeps the bounds of messages (SOCK_SEQPACKET) and carries descriptors (SCM_RIGHTS). It never waits:
 * what the peer has no room for is kept, in order. For control alone, so it allocates; a wake-up does not.
 */
final class LocalSocket {
  private static final int MSG_NOSIGNAL_DONTWAIT = 0x4040;
  /** sizeof(struct msghdr) is 56; then an iovec (16), control data (32), and the bytes. */
  private static final int IOV = 56;
  private static final int CONTROL = 72;
  private static final int BYTES = 112;
  private static final int CONTROL_HEADER = 16;
  private static final int SOL_SOCKET = 1;
  private static final int SCM_RIGHTS = 1;
  /** A message to wake a peer, for all sockets: nobody writes to it. */
  private static final long WAKE = prepare(Memory.allocate(BYTES + Message.MOST), Message.of(Message.WAKE));

  private final int fd;
  private final ArrayDeque<Message> unsent = new ArrayDeque<>();
  private boolean closed;

  LocalSocket(int fd) {
    this.fd = fd;
  }

  int fd() {
    return fd;
  }

  private static long prepare(long at, Message message) {
    int length = message.bytes().position();
    Memory.fill(at, CONTROL, (byte) 0);
    Memory.putLong(at + 16, at + IOV);
    Memory.putLong(at + 24, 1);
    Memory.putLong(at + IOV, at + BYTES);
    Memory.putLong(at + IOV + 8, length);
    Memory.putBytes(at + BYTES, Arrays.copyOf(message.bytes().array(), length));
    int files = message.files().size();
    if (files > 0) {
      Memory.putLong(at + 32, at + CONTROL);
      // CMSG_SPACE: up to a multiple of 8.
      Memory.putLong(at + 40, CONTROL_HEADER + (files * 4 + 7 & -8));
      Memory.putLong(at + CONTROL, CONTROL_HEADER + files * 4);
      Memory.putInt(at + CONTROL + 8, SOL_SOCKET);
      Memory.putInt(at + CONTROL + 12, SCM_RIGHTS);
      for (int i = 0; i < files; i++) {
        Memory.putInt(at + CONTROL + CONTROL_HEADER + i * 4, message.files().get(i).fd());
      }
    }
    return at;
  }

  /**
   * Sends a message, or keeps it for {@link #flush} if there is no room. Its files are held meanwhile.
   *
   * @return whether the peer is there
   */
  synchronized boolean send(Message message) {
    if (closed) {
      return false;
    }
    if (!unsent.isEmpty()) {
      keep(message);
      return true;
    }
    long n = transmit(message);
    if (n == -Errno.EAGAIN) {
      keep(message);
      return true;
    }
    return n >= 0;
  }

  private void keep(Message message) {
    message.files().forEach(SharedFile::hold);
    unsent.add(message);
  }

  /** Sends what was kept, as far as there is room. @return whether the peer is there */
  synchronized boolean flush() {
    while (!unsent.isEmpty() && !closed) {
      long n = transmit(unsent.peek());
      if (n < 0) {
        return n == -Errno.EAGAIN;
      }
      unsent.poll().files().forEach(SharedFile::release);
    }
    return !closed;
  }

  boolean hasUnsent() {
    return !unsent.isEmpty();
  }

  private long transmit(Message message) {
    long at = Memory.allocate(BYTES + Message.MOST);
    try {
      return Libc.send(fd, prepare(at, message), MSG_NOSIGNAL_DONTWAIT);
    } finally {
      Memory.free(at);
    }
  }

  /** Wakes the peer. Where there is no room, so many wake-ups are under way that it will wake up anyway. */
  void wake() {
    if (!closed) {
      Libc.send(fd, WAKE, MSG_NOSIGNAL_DONTWAIT);
    }
  }

  /**
   * Takes the next message and leaves those behind it, which may be somebody else's.
   *
   * @return null if there is none; a message of no bytes if the peer is gone
   */
  Message.Received receive() {
    try (Inbox inbox = new Inbox(1)) {
      return inbox.fill(fd) == 0 ? null : inbox.get(0);
    }
  }

  synchronized void close() {
    if (!closed) {
      closed = true;
      FileDescriptor.close(fd);
      unsent.forEach(message -> message.files().forEach(SharedFile::release));
      unsent.clear();
    }
  }
}
