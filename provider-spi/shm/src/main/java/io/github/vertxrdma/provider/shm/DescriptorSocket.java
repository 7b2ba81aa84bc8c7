package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import io.github.vertxrdma.provider.ffi.Memory;
import java.util.ArrayDeque;

/**
 * Connected socket of unix(7) that keeps message boundaries (SOCK_SEQPACKET) and carries descriptors (SCM_RIGHTS). It never blocks:
 * messages without room are queued in order. It carries only control messages, so it allocates; {@link #wake} does not. Used by one thread,
 * except {@link #send} and {@link #close}.
 */
class DescriptorSocket {
  private static final int MSG_NOSIGNAL_DONTWAIT = 0x4040;
  /** sizeof(struct msghdr) is 56. An iovec (16), control data (32) and the bytes follow. */
  private static final int IOV = 56;
  private static final int CONTROL = 72;
  private static final int BYTES = 112;
  private static final int CONTROL_HEADER = 16;
  private static final int SOL_SOCKET = 1;
  private static final int SCM_RIGHTS = 1;
  /** Message that wakes a peer, shared by all sockets. It is never written to. */
  private static final long WAKE = prepare(Memory.allocate(BYTES + SocketMessage.MOST), SocketMessage.of(SocketMessage.WAKE));

  private final int fd;
  private final long user;
  private final ArrayDeque<SocketMessage> unsent = new ArrayDeque<>();
  /** Whether unread messages may have descriptors. */
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

  int fd() {
    return fd;
  }

  /** Returns whether the process at the other end, as reported by the kernel, may share memory with this one. */
  boolean isAdmittedTo(MeetingFolder folder) {
    return folder.admits(user, () -> SystemCalls.peerGroups(fd));
  }

  /** Returns the number of the user at the other end, as reported by the kernel; negative if it is unknown. */
  long user() {
    return user;
  }

  /** Lets the peer send descriptors from now on. */
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
      // CMSG_SPACE: rounded up to a multiple of 8.
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
   * Sends a message, or queues it for {@link #flush} if there is no room. The files of the message are held until it is sent.
   *
   * @return false if the peer has closed the socket
   */
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

  /**
   * Returns whether a message was not sent for lack of room: in the socket, of kernel memory, or for descriptors of this user in flight,
   * unix(7).
   */
  private static boolean hasNoRoom(long sent) {
    return sent == -Errno.EAGAIN || sent == -Errno.ENOBUFS || sent == -Errno.ENOMEM || sent == -Errno.ETOOMANYREFS;
  }

  private void keep(SocketMessage message) {
    message.files().forEach(AnonymousFile::hold);
    unsent.add(message);
  }

  /** Sends queued messages while there is room. @return false if the peer has closed the socket */
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

  /** Returns the number of queued messages. */
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

  /**
   * Wakes the peer, or queues the wake-up for {@link #flush}. Does nothing if the socket has no room, because the messages in it wake the
   * peer.
   */
  void wake() {
    if (closed) {
      return;
    }
    long n = SystemCalls.send(fd, WAKE, MSG_NOSIGNAL_DONTWAIT);
    if (n == -Errno.ENOBUFS || n == -Errno.ENOMEM) {
      wakeLater();
    }
  }

  /** The kernel had no memory, and perhaps no message is in flight that wakes the peer. */
  private synchronized void wakeLater() {
    if (!closed && unsent.isEmpty()) {
      keep(SocketMessage.of(SocketMessage.WAKE));
    }
  }

  /**
   * Takes the next message, and leaves later messages, which may be for another receiver.
   *
   * @return null if there is none; a message without bytes if the peer has closed the socket
   */
  SocketMessage.Received receive() {
    try (Inbox inbox = new Inbox(1)) {
      return inbox.fill(fd) == 0 ? null : inbox.get(0);
    }
  }

  /** Ends the socket at once. Its descriptor is closed on another thread if unread messages may have descriptors, of any kind. */
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
