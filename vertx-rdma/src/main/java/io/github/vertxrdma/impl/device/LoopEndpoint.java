package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.statistics.ConnectionStatistics;
import java.lang.foreign.MemorySegment;

public abstract class LoopEndpoint {

  /** Credit that a received frame costs its sender, returned when the receive is posted again. */
  public enum Cost {
    NOTHING,
    DATA,
    /** Data credit of a fragment that this side fetches by a remote read. Returned after that read. */
    RENDEZVOUS,
    CONTROL,
    /** Control credit of a frame that only returns credits. */
    CREDIT
  }

  public final DeviceLoop loop;
  public final EndpointWaker waker;
  public final Counters counters = new Counters();
  boolean isDirty;
  boolean isWaiting;

  protected LoopEndpoint(DeviceLoop loop) {
    this.loop = loop;
    this.waker = new EndpointWaker(this, loop);
  }

  /** Returns null before the provider's endpoint exists. */
  public abstract Endpoint endpoint();

  /**
   * Handles a received frame. {@link #deliver} calls the application after the receive is posted again.
   *
   * @param memory contains the provider's prefix at {@code at}, then the frame; valid during the call
   */
  protected abstract Cost received(MemorySegment memory, long at, int length);

  /** Informs the peer of receives posted after the first grant. */
  protected abstract void granted(Grant more);

  protected abstract void reposted(Cost cost);

  /** Delivers the frame of the last {@link #received}, which returned {@code cost}. */
  protected abstract void deliver(Cost cost);

  protected abstract void sent(SendSlot slot, int status, String error);

  protected abstract void turnEnd();

  public abstract boolean isClosed();

  public abstract void fail(Throwable cause);

  protected abstract void failed(int status, String what, String error);

  /** Frees memory of the closed endpoint that the fabric no longer uses. @return false if the fabric still uses some */
  protected abstract boolean releaseIfDone();

  /** Called after the completion queue closed, when the fabric uses no memory any more. */
  protected abstract void queueClosed();

  protected abstract void measureRoundTrip();

  /** Returns whether remote memory operations are in flight that may need a wake-up by the peer. */
  protected abstract boolean awaitsPeer();

  protected abstract long pendingBytes();

  protected abstract ConnectionStatistics statistics();
}
