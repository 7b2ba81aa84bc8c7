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
 * The bell of a peer's event loop on this host: rung after posting what needs the peer's progress. Used on one event loop. It owns its
 * mapping of the peer's word, and a share of the process's socket for ringing.
 */
public final class PeerBell implements AutoCloseable {
  private static final ByteBuffer DING = ByteBuffer.allocateDirect(1);
  private static Socket ringer;
  private static int users;

  private final Socket socket;
  private final Arena arena;
  private final MemorySegment word;
  private final byte[] path;
  private boolean silent;
  private boolean closed;

  private PeerBell(Socket socket, Arena arena, MemorySegment word, byte[] path) {
    this.socket = socket;
    this.arena = arena;
    this.word = word;
    this.path = path;
  }

  /**
   * Any thread; touches the file system.
   *
   * @param descriptor {@link CompletionPoller#doorbell()} of the peer
   * @throws IOException if it cannot be rung from here: another user, another host or mount namespace, or the peer is gone. The peer
   *   then has to be told, so that it polls by time: {@link CompletionPoller#unringable}
   */
  public static PeerBell open(byte[] descriptor) throws IOException {
    if (!Doorbell.available()) {
      throw new IOException("A doorbell needs Netty's native library for Linux", Epoll.unavailabilityCause());
    }
    BellFile file = BellFile.parse(descriptor);
    Arena arena = Arena.ofShared();
    try {
      MemorySegment word = file.map(arena);
      return new PeerBell(acquire(), arena, word, file.socket().toString().getBytes(StandardCharsets.UTF_8));
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
  public boolean ring() {
    VarHandle.fullFence();
    if (!silent && (int) BellFile.INT.getOpaque(word, BellFile.NEEDED_AT) == 0) {
      BellFile.INT.setOpaque(word, BellFile.NEEDED_AT, 1);
    }
    if (silent || (int) BellFile.INT.getVolatile(word, BellFile.SLEEPING_AT) == 0) {
      return false;
    }
    return ding();
  }

  /** This side is about to sleep and waits for operations that the peer serves: it will {@link #ringWaiting} this side's bell then. */
  public void waitFor() {
    if (!silent) {
      BellFile.INT.setOpaque(word, BellFile.WAITED_AT, 1);
    }
  }

  /** Wakes the peer if it sleeps and waits for operations that this side may have served now. @return whether it is being woken */
  public boolean ringWaiting() {
    return !silent && (int) BellFile.INT.getVolatile(word, BellFile.SLEEPING_AT) == BellFile.ASLEEP_WAITING && ding();
  }

  /** Nobody listens to it any more. */
  public boolean isSilent() {
    return silent;
  }

  private boolean ding() {
    try {
      // A bell that is already full of rings takes no more, and needs none: 0 is as good as 1.
      socket.sendToDomainSocket(DING, 0, 1, path);
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
      ringer = Socket.newSocketDomainDgram();
    }
    users++;
    return ringer;
  }

  private static synchronized void release() {
    if (--users == 0) {
      try {
        ringer.close();
      } catch (IOException e) {
        // Nothing is lost: the socket carries no data that anyone waits for.
      }
      ringer = null;
    }
  }
}
