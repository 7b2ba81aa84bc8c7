package io.github.vertxrdma.provider.contract;

import io.github.vertxrdma.provider.Capabilities.Connecting;
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
 * Two sides on one thread: a connects, and b listens and accepts. Without listeners, both exchange addresses. Waiting methods poll both
 * sides.
 */
public final class Pair implements AutoCloseable {
  private static final int CLOSE_POLLS = 100;

  private final Domain first;
  private final Domain second;
  public final Side a;
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

  public static Pair open(Device device, PairOptions options) {
    return new Pair(device, options);
  }

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

  public void connect() {
    if (!first.capabilities().connectsBy(Connecting.LISTENER)) {
      exchange();
      return;
    }
    if (listener == null) {
      listener = b.listenAndAccept();
    }
    a.connect(listener.localAddress());
    int before = b.connected.size();
    until("both ends are connected", () -> a.connected.contains(left()) && b.connected.size() > before || a.disconnected.contains(left()));
    if (a.disconnected.contains(left())) {
      throw new AssertionError("did not connect", a.cause);
    }
  }

  /** Connects a new endpoint of a. Returns the unanswered request at b. */
  public ConnectionRequest request() {
    listener = b.listen(null, b.requests::add);
    a.connect(listener.localAddress());
    until("a request", () -> !b.requests.isEmpty());
    return b.requests.getFirst();
  }

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

  public Listener listener() {
    return listener;
  }

  public Endpoint left() {
    return a.endpoint;
  }

  public Endpoint right() {
    return b.endpoint;
  }

  public int poll() {
    return a.poll() + b.poll();
  }

  public void poll(int times) {
    for (int i = 0; i < times; i++) {
      poll();
    }
  }

  /**
   * Repeats a post while it returns AGAIN.
   *
   * @throws AssertionError with any other status than OK
   */
  public void post(IntSupplier post) {
    int[] status = new int[1];
    until("room for a post", () -> (status[0] = post.getAsInt()) != Status.AGAIN);
    if (status[0] != Status.OK) {
      throw new AssertionError("posting: " + Status.name(status[0]) + ", " + left().failure());
    }
  }

  public void until(String what, BooleanSupplier condition) {
    Await.until(what, condition, this::poll, () -> "a: " + a + "; b: " + b);
  }

  public Completion completion(Side side, long requestId) {
    until("completion " + Long.toHexString(requestId), () -> side.completion(requestId) != null);
    return side.completion(requestId);
  }

  public Completion success(Side side, long requestId) {
    Completion completion = completion(side, requestId);
    if (!completion.ok()) {
      throw new AssertionError(completion.toString());
    }
    return completion;
  }

  public Side.Message message(Side side) {
    until("a message", () -> !side.messages.isEmpty());
    return side.messages.poll();
  }

  /** Closes the endpoints of a and polls both sides, because a close may otherwise wait for the peer. */
  private void closeEndpoints() {
    if (a.isPolledHere() && b.isPolledHere()) {
      a.closeEndpoints();
      poll(CLOSE_POLLS);
    }
  }

  @Override
  public void close() {
    closeEndpoints();
    a.close();
    b.close();
    first.close();
    second.close();
  }
}
