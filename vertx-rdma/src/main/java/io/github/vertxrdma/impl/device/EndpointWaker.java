package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.impl.poll.PeerWaker;
import io.github.vertxrdma.provider.Waiting;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** Wakes the peer's event loop if the fabric does not. The connecting side remembers the peer's wake-up address for later handshakes. */
public final class EndpointWaker {
  /** Initial pause in ns between wake-ups during a handshake, about the duration of one. Doubled after each wake-up. */
  private static final long FIRST_PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(50);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final LoopEndpoint endpoint;
  private final DeviceLoop loop;
  private PeerWakers.Shared shared;
  private boolean wakeable = true;
  private boolean connects;
  private boolean waking;
  private long wokenAt;
  private long pause = FIRST_PAUSE_NANOS;

  EndpointWaker(LoopEndpoint endpoint, DeviceLoop loop) {
    this.endpoint = endpoint;
    this.loop = loop;
  }

  /** Returns the waker of the peer's loop, or null if it is unnecessary or unknown. */
  public PeerWaker waker() {
    return shared == null ? null : shared.waker;
  }

  /** Wakes the peer immediately instead of at the end of the poll. */
  public void wake() {
    if (shared != null) {
      shared.waker.wake();
    }
  }

  /** Requests a wake-up if this side waits for the peer. Called before this side sleeps. */
  public void sleepsWaiting() {
    if (shared != null && (waking || endpoint.awaitsPeer())) {
      shared.waker.waitFor();
    }
  }

  /** Wakes the peer repeatedly until the link opens or closes. */
  public void wakeUntilOpen() {
    connects = true;
    Object peer = endpoint.endpoint().remoteAddress();
    byte[] address = loop.wakers.addressOf(peer);
    if (address != null) {
      try {
        shared = loop.wakers.acquire(address);
        waking = true;
        loop.wakers.addWaking(this);
        loop.turn.wake();
      } catch (IOException e) {
        // Another process may use the address now.
        loop.wakers.forget(peer);
      }
    }
  }

  /** Wakes the peer again if the pause has ended. @return false if no more wake-ups are needed */
  boolean wakeAgain(long now) {
    if (waking && now - wokenAt > pause) {
      wokenAt = now;
      pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
      shared.waker.wake();
    }
    return waking;
  }

  /**
   * Sets the peer's wake-up address. This side polls more often until {@link #wakeable} is called.
   *
   * @param address empty if the peer needs no wake-up; ignored unless the fabric wakes no side
   * @return whether this side can wake the peer; if so, the caller confirms this to the peer
   * @throws IOException if this side cannot wake the peer
   */
  public boolean opened(byte[] address) throws IOException {
    waking = false;
    if (loop.wakeAddress().length > 0) {
      wakeable = false;
      loop.unwakeable(1);
    }
    if (shared != null && !shared.is(address)) {
      loop.wakers.release(shared);
      shared = null;
    }
    if (address.length == 0 || loop.queue.waiting() != Waiting.NONE) {
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

  public void close() {
    waking = false;
    wakeable();
    if (shared != null) {
      shared.waker.wake();
      loop.wakers.release(shared);
      shared = null;
    }
  }
}
