package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.impl.loop.EventLoopHost;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;

/**
 * Backpressure of a link: counts the messages that somebody has to deal with before more come, as tasks of another event loop, that of
 * their reader, or in a queue. These have no bound of their own: beyond so many bytes the peer is held back. The reader may hold it back as
 * well.
 */
public final class Backpressure {
  private static final AtomicLongFieldUpdater<Backpressure> BYTES = AtomicLongFieldUpdater.newUpdater(Backpressure.class, "bytes");
  /** Bytes under way beyond which the peer is held back, and at which it may go on. */
  public static final int HIGH = 4 << 20;
  private static final int LOW = HIGH / 2;
  /** Bytes that a message costs besides its own. */
  private static final int OVERHEAD = 64;

  private final Executor loop;
  private final Peer peer;
  private final Runnable goOn = this::goOn;
  private volatile long bytes;
  /** Whether too much is under way; written on the link's loop. */
  private volatile boolean full;
  /** Whether the reader wants no more; on the link's loop. */
  private boolean unwanted;

  /** Whoever sends. */
  @FunctionalInterface
  public interface Peer {
    /** Holds it back, or lets it go on; on the link's loop. */
    void hold(boolean back);
  }

  /** @param loop the link's */
  public Backpressure(Executor loop, Peer peer) {
    this.loop = loop;
    this.peer = peer;
  }

  // ---- on the link's loop

  /** A message is to be dealt with. @param size of it */
  public void add(int size) {
    if (BYTES.addAndGet(this, OVERHEAD + size) > HIGH && !full) {
      set(true, unwanted);
      // The reader may have been quicker, and seen nothing to tell.
      goOn();
    }
  }

  /** The reader wants no more for now, or goes on. */
  public void hold(boolean back) {
    set(full, back);
  }

  private void goOn() {
    if (full && bytes <= LOW) {
      set(false, unwanted);
    }
  }

  private void set(boolean fullNow, boolean unwantedNow) {
    boolean held = full || unwanted;
    full = fullNow;
    unwanted = unwantedNow;
    if (held != (fullNow || unwantedNow)) {
      peer.hold(!held);
    }
  }

  // ---- on any thread

  /** A message was dealt with. @param size as it was when it was added */
  public void remove(int size) {
    if (BYTES.addAndGet(this, -OVERHEAD - size) <= LOW && full) {
      EventLoopHost.tryExecute(loop, goOn);
    }
  }
}
