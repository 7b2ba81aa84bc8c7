package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.Memory;
import java.util.ArrayList;
import java.util.List;

/** Buffers for the messages of one recvmmsg(2) call. */
final class Inbox implements AutoCloseable {
  private static final int MSG_CMSG_CLOEXEC_DONTWAIT = 0x40000040;
  private static final int SOL_SOCKET = 1;
  private static final int SCM_RIGHTS = 1;
  private static final int MSG_CTRUNC = 0x08;
  private static final int MSG_TRUNC = 0x20;
  /** sizeof(struct mmsghdr). */
  private static final int HEADER = 64;
  private static final int CONTROL_LENGTH = 40;
  private static final int FLAGS = 48;
  private static final int LENGTH = 56;
  /** Maximum number of descriptors in a message; SCM_MAX_FD of unix(7). The kernel would close surplus ones on this thread. */
  private static final int MOST_DESCRIPTORS = 253;
  private static final int CONTROL_HEADER = 16;
  private static final int CONTROL_SIZE = CONTROL_HEADER + MOST_DESCRIPTORS * 4;
  /** Offsets in the body of each message: an iovec (16 bytes), control data, the message. */
  private static final int CONTROL = 16;
  private static final int BYTES = CONTROL + CONTROL_SIZE + 7 & -8;
  private static final int BODY = BYTES + SocketMessage.MOST + 7 & -8;

  private final int capacity;
  private final long headers;
  private final long bodies;
  private long user;

  Inbox(int capacity) {
    this.capacity = capacity;
    headers = Memory.allocate((long) capacity * (HEADER + BODY));
    bodies = headers + (long) capacity * HEADER;
    for (int i = 0; i < capacity; i++) {
      long header = header(i);
      long body = body(i);
      Memory.putLong(header + 16, body);
      Memory.putLong(header + 24, 1);
      Memory.putLong(header + 32, body + CONTROL);
      Memory.putLong(body, body + BYTES);
      Memory.putLong(body + 8, SocketMessage.MOST);
    }
  }

  private long header(int i) {
    return headers + (long) i * HEADER;
  }

  private long body(int i) {
    return bodies + (long) i * BODY;
  }

  int fill(int fd) {
    for (int i = 0; i < capacity; i++) {
      Memory.putLong(header(i) + CONTROL_LENGTH, CONTROL_SIZE);
    }
    int n = receive(fd);
    if (n == -Errno.ECONNRESET) {
      // If the peer closed its socket with unread messages, the kernel returns one error before the peer's last messages.
      n = receive(fd);
    }
    if (n >= 0) {
      user = hasDescriptors(n) ? SystemCalls.peerUser(fd) : -1;
      return n;
    }
    if (n == -Errno.EAGAIN || n == -Errno.EINTR) {
      return 0;
    }
    // A failed socket is treated as closed by the peer.
    Memory.putInt(headers + LENGTH, 0);
    Memory.putLong(headers + CONTROL_LENGTH, 0);
    return 1;
  }

  private boolean hasDescriptors(int n) {
    boolean found = false;
    for (int i = 0; i < n; i++) {
      found |= Memory.getLong(header(i) + CONTROL_LENGTH) >= CONTROL_HEADER;
    }
    return found;
  }

  int receive(int fd) {
    return SystemCalls.receive(fd, headers, capacity, MSG_CMSG_CLOEXEC_DONTWAIT);
  }

  /**
   * Returns a message, without bytes if the peer has closed the socket or sent too long a message. Returns {@link
   * SocketMessage.Received#TRUNCATED} if the message's files were lost.
   */
  SocketMessage.Received get(int i) {
    List<ReceivedDescriptor> files = files(i);
    byte[] bytes = Memory.getBytes(body(i) + BYTES, Memory.getInt(header(i) + LENGTH));
    SocketMessage.Received received = new SocketMessage.Received(bytes, files);
    int cut = Memory.getInt(header(i) + FLAGS) & (MSG_CTRUNC | MSG_TRUNC);
    if (bytes.length > 0 && cut == 0) {
      return received;
    }
    // A message without bytes may still have files.
    received.discard();
    return bytes.length > 0 && cut == MSG_CTRUNC ? SocketMessage.Received.TRUNCATED : new SocketMessage.Received(new byte[0], List.of());
  }

  private List<ReceivedDescriptor> files(int i) {
    long control = body(i) + CONTROL;
    if (Memory.getLong(header(i) + CONTROL_LENGTH) < CONTROL_HEADER
      || Memory.getInt(control + 8) != SOL_SOCKET || Memory.getInt(control + 12) != SCM_RIGHTS) {
      return List.of();
    }
    int count = Math.min(MOST_DESCRIPTORS, (int) (Memory.getLong(control) - CONTROL_HEADER) / 4);
    List<ReceivedDescriptor> files = new ArrayList<>(count);
    for (int k = 0; k < count; k++) {
      files.add(new ReceivedDescriptor(Memory.getInt(control + CONTROL_HEADER + k * 4L), user));
    }
    return files;
  }

  @Override
  public void close() {
    Memory.free(headers);
  }
}
