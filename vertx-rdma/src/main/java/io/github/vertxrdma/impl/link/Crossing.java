package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.impl.loop.EventLoopHost;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;

/**
 * Messages of a link that somebody has to deal with before more come: tasks of another event loop, that of their reader, or what waits in a
 * queue. These have no bound of their own: beyond so many bytes the peer is held back. The reader may hold it back as well.
 */
public final class Crossing {
  private static final AtomicLongFieldUpdater<Crossing> BYTES = AtomicLongFieldUpdater.newUpdater(Crossing.class, "bytes");
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
  public Crossing(Executor loop, Peer peer) {
    this.loop = loop;
    this.peer = peer;
  }

  // ---- on the link's loop

  /** A message sets out. @param size of it */
  public void leaves(int size) {
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

  // ---- on the reader's loop

  /** A message is there. @param size as it was when it set out */
  public void arrives(int size) {
    if (BYTES.addAndGet(this, -OVERHEAD - size) <= LOW && full) {
      EventLoopHost.tryExecute(loop, goOn);
    }
  }
}
