package io.github.vertxrdma.impl.device;

import io.github.vertxrdma.impl.loop.PeerWaker;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * Wake-ups of an endpoint's two loops where the fabric has none. The peer tells its wake-up address when the link opens; a connector that
 * connects to an address again uses the one that was told there before, so that the handshake wakes the peer as well. Confined to the loop.
 */
public final class EndpointWaker {
  /** Pause between the first two wake-ups for a handshake; a wake-up takes about as long. Then twice as long each time. */
  private static final long CALL_NANOS = TimeUnit.MICROSECONDS.toNanos(50);
  /** Longest such pause: a peer that takes long to accept need not be woken often. */
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

  /** Waker of the peer's loop; null if it needs none or is not known. */
  public PeerWaker waker() {
    return shared == null ? null : shared.waker;
  }

  /** Wakes the peer now, and not at the end of the turn, if it sleeps. */
  public void wake() {
    if (shared != null) {
      shared.waker.wake();
    }
  }

  /** Tells the peer that this side goes to sleep while it waits for operations that the peer serves. */
  public void sleepsWaiting() {
    if (shared != null && (calling || endpoint.awaitsPeer())) {
      shared.waker.waitFor();
    }
  }

  /** Wakes the peer, if its wake-up address is known, as often as needed until the link is open or over. */
  public void call() {
    connects = true;
    Object peer = endpoint.endpoint().remoteAddress();
    byte[] address = loop.wakers.known(peer);
    if (address != null) {
      try {
        shared = loop.wakers.acquire(address);
        calling = true;
        loop.wakers.calling(this);
        loop.turn.wake();
      } catch (IOException e) {
        // Another process may be there now; its own address comes when the link opens.
        loop.wakers.forget(peer);
      }
    }
  }

  /** Wakes again at the end of a turn while it calls. @return false if that is over */
  boolean callAgain(long now) {
    if (calling && now - called > pause) {
      called = now;
      pause = Math.min(2 * pause, LONGEST_CALL_NANOS);
      shared.waker.wake();
    }
    return calling;
  }

  /**
   * Takes the peer's wake-up address: the link is open. Until the peer says that it can wake this side, this side polls by time.
   *
   * @param told empty if the peer needs no wake-up
   * @return whether the peer can be woken from here, and is to be told
   * @throws IOException if it can not, though it asks to be
   */
  public boolean opened(byte[] told) throws IOException {
    calling = false;
    if (loop.wakeAddress().length > 0) {
      wakeable = false;
      loop.unwakeable(1);
    }
    if (shared != null && !shared.is(told)) {
      loop.wakers.release(shared);
      shared = null;
    }
    if (told.length == 0) {
      return false;
    }
    if (shared == null) {
      shared = loop.wakers.acquire(told);
    }
    if (connects) {
      // The address of one that was accepted is connected to by nobody.
      loop.wakers.know(endpoint.endpoint().remoteAddress(), shared);
    }
    return true;
  }

  /** The peer can wake this side. */
  public void wakeable() {
    if (!wakeable) {
      wakeable = true;
      loop.unwakeable(-1);
    }
  }

  /** Wakes the peer to learn that the endpoint was closed. */
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
