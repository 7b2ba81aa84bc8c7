package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.Reasons;
import io.github.vertxrdma.provider.Capabilities.Connecting;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ProviderException;
import io.vertx.core.Future;
import java.util.function.Function;

/**
 * Local endpoint of a connection whose sides exchange their addresses over the control connection. Has receives for the handshake before
 * the peer is known. Confined to its event loop.
 */
public final class OutOfBandEnd {
  private static final byte[] NONE = {};
  private static final int HANDSHAKE_MILLIS = 10_000;

  private final DeviceLoop loop;
  private final int timeoutMillis;
  private final FrameStream stream;

  private OutOfBandEnd(DeviceLoop loop, int timeoutMillis) {
    this.loop = loop;
    this.timeoutMillis = timeoutMillis;
    this.stream = new FrameStream(loop);
  }

  /**
   * @param timeoutMillis time for the peer to connect after this side
   * @return fails with {@link RdmaException} {@code UNSUPPORTED} or {@code LIMIT}
   */
  public static Future<OutOfBandEnd> open(DeviceLoop loop, int timeoutMillis) {
    OutOfBandEnd made = new OutOfBandEnd(loop, timeoutMillis);
    return loop.prepareEndpoint(Connecting.EXCHANGE, timeoutMillis).map(made::make);
  }

  private OutOfBandEnd make(int slots) {
    try {
      stream.open(slots, () -> loop.domain.createExchangedEndpoint(loop.queue, loop.endpointOptions(timeoutMillis), stream));
      return this;
    } catch (ProviderException e) {
      throw new RdmaException(Reasons.ofEnd(e.reason()), e.getMessage(), e);
    }
  }

  /** Returns the address to send to the peer. Valid for one connection. */
  public EndpointAddress localAddress() {
    return stream.endpoint().localAddress();
  }

  /** @param peer name of the peer in error messages */
  public <T> Future<T> connect(EndpointAddress remote, LinkIdentity identity, String peer, String service, byte[] data,
    Function<Link, T> opener) {
    LinkConnector<T> opening = new LinkConnector<>(loop, stream, identity, new LinkRole(true, service, peer), data,
      timeoutMillis + HANDSHAKE_MILLIS, opener);
    Throwable refusal = start(opening, remote, peer);
    return refusal != null ? Future.failedFuture(refusal) : opening.future();
  }

  public Future<Link> accept(EndpointAddress remote, LinkIdentity identity, String peer, LinkListener.Acceptor acceptor) {
    AcceptorOpening opening = new AcceptorOpening(loop, stream, identity, new LinkRole(false, "", peer), null,
      timeoutMillis + HANDSHAKE_MILLIS, acceptor);
    Throwable refusal = start(opening, remote, peer);
    return refusal != null ? Future.failedFuture(refusal) : opening.future().onFailure(cause -> identity.watcher()
      .refused(Reasons.of(cause), peer + " over " + loop.domain.device().name() + ": " + cause.getMessage()));
  }

  private Throwable start(LinkOpening<?> opening, EndpointAddress remote, String peer) {
    if (stream.isClosed()) {
      return stream.closeCause();
    }
    try {
      stream.endpoint().connect(remote, NONE);
    } catch (RuntimeException e) {
      stream.opening(null, null);
      Reason reason = e instanceof ProviderException known ? Reasons.ofEnd(known.reason()) : Reason.PROTOCOL;
      return new RdmaException(reason, "cannot connect to " + peer + " over " + loop.domain.device().name() + ": "
        + Reasons.words(e, loop.domain.device()), e);
    }
    opening.begin();
    stream.waker.wakeUntilOpen();
    loop.turn.wake();
    return null;
  }

  public void close() {
    if (!stream.state().isOpen()) {
      stream.fail(new RdmaException(Reason.CLOSED, stream.name() + " was closed by this side"));
    }
  }
}
