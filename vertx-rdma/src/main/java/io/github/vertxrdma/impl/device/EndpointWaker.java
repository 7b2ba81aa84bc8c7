package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.impl.poll.PeerWaker;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * Wakes the peer's event loop if the fabric does not. The connecting side remembers the peer's wake-up address, to wake the peer during
 * later handshakes.
 */
public final class EndpointWaker {
  /** Initial pause between wake-ups during a handshake, doubled at each wake-up. About the duration of a wake-up. */
  private static final long CALL_NANOS = TimeUnit.MICROSECONDS.toNanos(50);
  private static final long LONGEST_CALL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final LoopEndpoint endpoint;
  private final DeviceLoop loop;
  private PeerWakers.Shared shared;
  private boolean wakeable = true;
  private boolean connects;
  private boolean calling;
  private long called;
  private long pause = CALL_NANOS;

  public EndpointWaker(LoopEndpoint endpoint, DeviceLoop loop) {
    this.endpoint = endpoint;
    this.loop = loop;
  }

  /** Returns the waker of the peer's loop, or null if the peer needs none or its address is unknown. */
  public PeerWaker waker() {
    return shared == null ? null : shared.waker;
  }

  /** Wakes the peer now, not at the end of the turn. */
  public void wake() {
    if (shared != null) {
      shared.waker.wake();
    }
  }

  /** Called before this side sleeps. Requests a wake-up by the peer if this side waits for the peer. */
  public void sleepsWaiting() {
    if (shared != null && (calling || endpoint.awaitsPeer())) {
      shared.waker.waitFor();
    }
  }

  /** Wakes the peer repeatedly until the link has opened or closed, if the peer's wake-up address is known. */
  public void call() {
    connects = true;
    Object peer = endpoint.endpoint().remoteAddress();
    byte[] address = loop.wakers.addressOf(peer);
    if (address != null) {
      try {
        shared = loop.wakers.acquire(address);
        calling = true;
        loop.wakers.calling(this);
        loop.turn.wake();
      } catch (IOException e) {
        // Another process may use the address now.
        loop.wakers.forget(peer);
      }
    }
  }

  /** Wakes the peer again after a pause. @return false if no more wake-ups are needed */
  boolean callAgain(long now) {
    if (calling && now - called > pause) {
      called = now;
      pause = Math.min(2 * pause, LONGEST_CALL_NANOS);
      shared.waker.wake();
    }
    return calling;
  }

  /**
   * Sets the peer's wake-up address. Until {@link #wakeable} is called, this side polls often.
   *
   * @param address empty if the peer needs no wake-up
   * @return true if this side can wake the peer; the caller then confirms that to the peer
   * @throws IOException if this side cannot wake the peer
   */
  public boolean opened(byte[] address) throws IOException {
    calling = false;
    if (loop.wakeAddress().length > 0) {
      wakeable = false;
      loop.unwakeable(1);
    }
    if (shared != null && !shared.is(address)) {
      loop.wakers.release(shared);
      shared = null;
    }
    if (address.length == 0) {
      return false;
    }
    if (shared == null) {
      shared = loop.wakers.acquire(address);
    }
    if (connects) {
      loop.wakers.remember(endpoint.endpoint().remoteAddress(), shared);
    }
    return true;
  }

  /** Called when the peer confirms that it can wake this side. */
  public void wakeable() {
    if (!wakeable) {
      wakeable = true;
      loop.unwakeable(-1);
    }
  }

  /** Wakes the peer, so that it detects the close. */
  public void close() {
    calling = false;
    wakeable();
    if (shared != null) {
      shared.waker.wake();
      loop.wakers.release(shared);
      shared = null;
    }
  }
}
