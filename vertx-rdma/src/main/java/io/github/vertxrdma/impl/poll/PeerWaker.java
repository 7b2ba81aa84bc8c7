package io.github.vertxrdma.impl.poll;

import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Wakes the event loop of a peer on this host. Confined to one event loop. */
public final class PeerWaker implements AutoCloseable {
  private static final ByteBuffer BYTE = ByteBuffer.allocateDirect(1);
  private static Socket sender;
  private static int users;

  private final Socket socket;
  private final Arena arena;
  private final MemorySegment state;
  private final byte[] path;
  private boolean unreachable;
  private boolean closed;

  private PeerWaker(Socket socket, Arena arena, MemorySegment state, byte[] path) {
    this.socket = socket;
    this.arena = arena;
    this.state = state;
    this.path = path;
  }

  /**
   * Opens the wake-up file of a peer. Accesses the file system. Thread-safe.
   *
   * @throws IOException if the peer has another user, host or mount namespace, or its process has ended. The peer must then poll by a timer
   * ({@link CompletionPoller#unwakeable})
   */
  public static PeerWaker open(byte[] descriptor) throws IOException {
    if (!WakeSocket.available()) {
      throw new IOException("A wake-up socket needs Netty's native library for Linux", Epoll.unavailabilityCause());
    }
    WakeFile file = WakeFile.parse(descriptor);
    Arena arena = Arena.ofShared();
    try {
      MemorySegment state = file.map(arena);
      return new PeerWaker(acquire(), arena, state, file.socket().toString().getBytes(StandardCharsets.UTF_8));
    } catch (IOException | RuntimeException e) {
      arena.close();
      throw e;
    }
  }

  /**
   * Sets the peer's flag for needed progress, and wakes the peer's loop if it sleeps. Called after each post or batch.
   *
   * @return whether a wake-up was sent
   */
  public boolean wake() {
    VarHandle.fullFence();
    if (!unreachable && (int) WakeFile.INT.getOpaque(state, WakeFile.NEEDED_AT) == 0) {
      WakeFile.INT.setOpaque(state, WakeFile.NEEDED_AT, 1);
    }
    if (unreachable || (int) WakeFile.INT.getVolatile(state, WakeFile.SLEEPING_AT) == 0) {
      return false;
    }
    return send();
  }

  /** Asks the peer to call wakeWaiting() after it served this side's operations. Called before this side sleeps. */
  public void waitFor() {
    if (!unreachable) {
      WakeFile.INT.setOpaque(state, WakeFile.WAITED_AT, 1);
    }
  }

  /** Wakes the peer's loop if it sleeps until this side has served its operations. @return whether a wake-up was sent */
  public boolean wakeWaiting() {
    return !unreachable && (int) WakeFile.INT.getVolatile(state, WakeFile.SLEEPING_AT) == WakeFile.ASLEEP_WAITING && send();
  }

  public boolean isUnreachable() {
    return unreachable;
  }

  private boolean send() {
    try {
      socket.sendToDomainSocket(BYTE, 0, 1, path);
      return true;
    } catch (IOException e) {
      // The peer closed the socket or died, which the connection detects.
      unreachable = true;
      return false;
    }
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      unreachable = true;
      arena.close();
      release();
    }
  }

  private static synchronized Socket acquire() {
    if (users == 0) {
      sender = Socket.newSocketDomainDgram();
    }
    users++;
    return sender;
  }

  private static synchronized void release() {
    if (--users == 0) {
      try {
        sender.close();
      } catch (IOException e) {
        // Nothing can be done about a socket that fails to close.
      }
      sender = null;
    }
  }
}
