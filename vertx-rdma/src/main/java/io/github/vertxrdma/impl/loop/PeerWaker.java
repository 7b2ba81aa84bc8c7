package io.github.vertxrdma.impl.loop;

import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The waker of a peer's event loop on this host: woken after posting what needs the peer's progress. Used on one event loop. It owns its
 * mapping of the peer's word, and a share of the process's socket for ringing.
 */
public final class PeerWaker implements AutoCloseable {
  private static final ByteBuffer BYTE = ByteBuffer.allocateDirect(1);
  private static Socket sender;
  private static int users;

  private final Socket socket;
  private final Arena arena;
  private final MemorySegment word;
  private final byte[] path;
  private boolean silent;
  private boolean closed;

  private PeerWaker(Socket socket, Arena arena, MemorySegment word, byte[] path) {
    this.socket = socket;
    this.arena = arena;
    this.word = word;
    this.path = path;
  }

  /**
   * Any thread; touches the file system.
   *
   * @param descriptor {@link CompletionPoller#wakeAddress()} of the peer
   * @throws IOException if it cannot be woken from here: another user, another host or mount namespace, or the peer is gone. The peer
   *   then has to be told, so that it polls by time: {@link CompletionPoller#unwakeable}
   */
  public static PeerWaker open(byte[] descriptor) throws IOException {
    if (!WakeSocket.available()) {
      throw new IOException("A wake-up socket needs Netty's native library for Linux", Epoll.unavailabilityCause());
    }
    WakeFile file = WakeFile.parse(descriptor);
    Arena arena = Arena.ofShared();
    try {
      MemorySegment word = file.map(arena);
      return new PeerWaker(acquire(), arena, word, file.socket().toString().getBytes(StandardCharsets.UTF_8));
    } catch (IOException | RuntimeException e) {
      arena.close();
      throw e;
    }
  }

  /**
   * Wakes the peer if it sleeps, and lets one that polls know that it pays, also where it sees no completion of its own; to be called
   * after each post, or batch of posts, that needs its progress.
   *
   * @return whether it was asleep and is being woken
   */
  public boolean wake() {
    VarHandle.fullFence();
    if (!silent && (int) WakeFile.INT.getOpaque(word, WakeFile.NEEDED_AT) == 0) {
      WakeFile.INT.setOpaque(word, WakeFile.NEEDED_AT, 1);
    }
    if (silent || (int) WakeFile.INT.getVolatile(word, WakeFile.SLEEPING_AT) == 0) {
      return false;
    }
    return send();
  }

  /** This side is about to sleep and waits for operations that the peer serves: it will {@link #wakeWaiting} this side's waker then. */
  public void waitFor() {
    if (!silent) {
      WakeFile.INT.setOpaque(word, WakeFile.WAITED_AT, 1);
    }
  }

  /** Wakes the peer if it sleeps and waits for operations that this side may have served now. @return whether it is being woken */
  public boolean wakeWaiting() {
    return !silent && (int) WakeFile.INT.getVolatile(word, WakeFile.SLEEPING_AT) == WakeFile.ASLEEP_WAITING && send();
  }

  /** Nobody listens to it any more. */
  public boolean isSilent() {
    return silent;
  }

  private boolean send() {
    try {
      // A socket that is full takes no more bytes, and needs none: 0 is as good as 1.
      socket.sendToDomainSocket(BYTE, 0, 1, path);
      return true;
    } catch (IOException e) {
      // Nobody listens: the peer has closed it or is dead, which the connection learns by its own means.
      silent = true;
      return false;
    }
  }

  /** Idempotent. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      silent = true;
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
        // Nothing is lost: the socket carries no data that anyone waits for.
      }
      sender = null;
    }
  }
}
