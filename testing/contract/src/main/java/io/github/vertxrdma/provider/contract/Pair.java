package io.github.vertxrdma.provider.contract;

import io.github.vertxrdma.provider.Completion;
import io.github.vertxrdma.provider.ConnectionRequest;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.Status;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;

/**
 * Two sides on one thread: a connects, and b listens and accepts. Tests post on either side, and wait for conditions while both are polled.
 */
public final class Pair implements AutoCloseable {
  private static final int GOODBYE_POLLS = 100;

  private final Domain first;
  private final Domain second;
  /** The side that connects. */
  public final Side a;
  /** The side that listens. */
  public final Side b;
  private Listener listener;

  private Pair(Device device, PairOptions options) {
    first = device.open();
    second = options.twoDomains() || device.capabilities().singleEndpoint() ? device.open() : first;
    a = new Side(first, options);
    b = new Side(second, options);
    a.whileBusy(this::poll);
    b.whileBusy(this::poll);
  }

  /** Creates two sides that are not connected. */
  public static Pair open(Device device, PairOptions options) {
    return new Pair(device, options);
  }

  /** Creates two connected sides. */
  public static Pair connected(Device device, PairOptions options) {
    Pair pair = new Pair(device, options);
    try {
      pair.connect();
      return pair;
    } catch (Throwable t) {
      try {
        pair.close();
      } catch (Throwable also) {
        t.addSuppressed(also);
      }
      throw t;
    }
  }

  public static Pair connected(Device device) {
    return connected(device, new PairOptions());
  }

  /** Connects a new endpoint of a with one of b. */
  public void connect() {
    if (listener == null) {
      listener = b.listenAndAccept();
    }
    a.connect(listener.localAddress());
    int other = b.connected.size();
    until("both ends are connected", () -> a.connected.contains(a.endpoint) && b.connected.size() > other
      || a.disconnected.contains(a.endpoint));
    if (a.disconnected.contains(a.endpoint)) {
      throw new AssertionError("did not connect", a.cause);
    }
  }

  /** Connects a new endpoint of a to a new listener of b, which leaves the request unanswered. */
  public ConnectionRequest request() {
    listener = b.listen(null, b.requests::add);
    a.connect(listener.localAddress());
    until("a request", () -> !b.requests.isEmpty());
    return b.requests.getFirst();
  }

  /** Connects a new endpoint of a with one of b by an exchange of their addresses. */
  public void exchange() {
    a.createExchangedEndpoint();
    b.createExchangedEndpoint();
    left().connect(right().localAddress(), new byte[0]);
    right().connect(left().localAddress(), new byte[0]);
    until("both ends are connected", () -> a.connected.contains(left()) && b.connected.contains(right())
      || a.disconnected.contains(left()) || b.disconnected.contains(right()));
    if (!a.connected.contains(left()) || !b.connected.contains(right())) {
      throw new AssertionError("did not connect", a.cause != null ? a.cause : b.cause);
    }
  }

  /** Returns the listener of b. Null if the sides were not connected by a listener. */
  public Listener listener() {
    return listener;
  }

  /** Returns the connecting endpoint. */
  public Endpoint left() {
    return a.endpoint;
  }

  /** Returns the accepting endpoint. */
  public Endpoint right() {
    return b.endpoint;
  }

  public int poll() {
    return a.poll() + b.poll();
  }

  /** Posts a request, and retries while the device is busy. @throws AssertionError with any other status than OK */
  public void post(IntSupplier post) {
    int[] status = new int[1];
    until("room for a post", () -> (status[0] = post.getAsInt()) != Status.AGAIN);
    if (status[0] != Status.OK) {
      throw new AssertionError("posting: " + Status.name(status[0]) + ", " + left().failure());
    }
  }

  /** Polls both sides until the condition holds. */
  public void until(String what, BooleanSupplier condition) {
    Await.until(what, condition, this::poll, () -> "a: " + a + "; b: " + b);
  }

  /** Polls until a request is complete. Returns its completion, with any status. */
  public Completion completion(Side side, long requestId) {
    until("completion " + Long.toHexString(requestId), () -> side.completion(requestId) != null);
    return side.completion(requestId);
  }

  /** Polls until a request is complete without an error. */
  public Completion success(Side side, long requestId) {
    Completion completion = completion(side, requestId);
    if (!completion.ok()) {
      throw new AssertionError(completion.toString());
    }
    return completion;
  }

  /** Polls until a message has arrived, and takes it. */
  public Side.Message message(Side side) {
    until("a message", () -> !side.messages.isEmpty());
    return side.messages.poll();
  }

  /** Ends connections while both sides are polled. Otherwise a side would wait for its peer for a while when it closes. */
  private void hangUp() {
    if (a.isPolledHere() && b.isPolledHere()) {
      a.hangUp();
      for (int i = 0; i < GOODBYE_POLLS; i++) {
        poll();
      }
    }
  }

  @Override
  public void close() {
    hangUp();
    a.close();
    b.close();
    first.close();
    second.close();
  }
}
