package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.statistics.ConnectionStatistics;
import java.lang.foreign.MemorySegment;

/** One endpoint of a device loop, as the loop sees it. Confined to the loop. */
public abstract class LoopEndpoint {

  /** Credit that a received frame costs its sender, given back when the receive is posted again. */
  public enum Cost {
    NOTHING,
    /** Data credit of a message that came with its frame. */
    DATA,
    /** Data credit of a piece that is read remotely: it goes back once that is done, too. */
    RENDEZVOUS,
    CONTROL,
    /** Control credit of a frame that only gives credits back. */
    CREDIT
  }

  /** Traffic of the endpoint. */
  public final Counters counters = new Counters();
  boolean isDirty;
  boolean isWaiting;

  /** The endpoint; null before it is made. */
  public abstract Endpoint endpoint();

  /**
   * Takes what is needed of a received message. Nothing is told to an application here: the receive is posted again first, then
   * {@link #deliver} follows.
   *
   * @param memory with the message at {@code at}, the provider's prefix first; valid during the call
   */
  protected abstract Cost received(MemorySegment memory, long at, int length);

  /** Tells the peer of receives that were posted beyond the first grant. */
  protected abstract void granted(Grant more);

  /** Counts the credit of a frame whose receive is posted again. */
  protected abstract void reposted(Cost cost);

  /** Hands on what {@link #received} took. @param cost of its frame */
  protected abstract void deliver(Cost cost);

  /** Hears of the completion of a signalled send. */
  protected abstract void sent(SendSlot slot, int status, String error);

  /** Does what is due at the end of a turn of the loop. */
  protected abstract void turnEnd();

  /** Tells whether it has ended. */
  public abstract boolean isOver();

  /** Ends it, and nothing else of the loop. */
  public abstract void fail(Throwable cause);

  /** Ends it for an operation that failed. @param status a status of a completion */
  protected abstract void failed(int status, String what, String error);

  /** Frees memory that the fabric owned after the endpoint was closed. @return false if it owns some still, and all of it stays */
  protected abstract boolean releaseIfDone();

  /** Tells waiters that the fabric owns nothing any more: the completion queue is closed, and the loop's memory with it. */
  protected abstract void queueClosed();

  /** Asks the peer for an answer, to know the round trip. */
  protected abstract void measureRoundTrip();

  /** Tells whether operations of this side are under way whose end only the peer can tell. */
  protected abstract boolean awaitsPeer();

  /** Tells the peer, where it has to be woken, that this side goes to sleep while it waits for it. */
  protected abstract void sleepsWaiting();

  /** Bytes of messages that wait for credits, slots or the queue. */
  protected abstract long pendingBytes();

  /** Figures for tools. */
  protected abstract ConnectionStatistics statistics();
}
