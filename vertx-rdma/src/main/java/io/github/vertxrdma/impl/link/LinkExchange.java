package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.ProviderException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A link whose endpoint is connected by an exchange of addresses. It is there, with its receives posted, before its peer is known; who of
 * the two is the connector and who the acceptor is agreed on by those who carry the addresses. Confined to its loop.
 */
public final class LinkExchange implements LinkSetup {
  private static final byte[] NONE = {};
  /** What the handshake may take once the endpoints are connected. */
  private static final int HANDSHAKE_MILLIS = 10_000;

  private final DeviceLoop loop;
  private final int timeoutMillis;
  private Link link;
  private Role role;
  private Handshake.Connecting connecting;
  private Handshake.Accepting accepting;
  private boolean confirmed;
  private String service = "";
  private volatile boolean over;

  /**
   * What this side is to the other.
   *
   * @param peer who that is, for messages
   * @param service what the connector wants, empty on the accepting side
   * @param acceptor decides, null on the connecting side
   */
  private record Role(LinkIdentity identity, String peer, String service, byte[] data, LinkListener.Acceptor acceptor, Consumer<Link> opened,
                      Consumer<Throwable> failed) {
  }

  private LinkExchange(DeviceLoop loop, int timeoutMillis) {
    this.loop = loop;
    this.timeoutMillis = timeoutMillis;
  }

  /**
   * Makes the endpoint; on the loop.
   *
   * @param timeoutMillis how long the peer may take to connect once this side does
   * @return fails with {@link RdmaException}: {@code UNSUPPORTED} if the device has no such endpoints, {@code LIMIT}
   */
  public static Future<LinkExchange> open(DeviceLoop loop, int timeoutMillis) {
    LinkExchange made = new LinkExchange(loop, timeoutMillis);
    return loop.reserve().map(made::make);
  }

  private LinkExchange make(Reservation reserved) {
    LinkEndpoint made = new LinkEndpoint(loop, this);
    EndpointOptions options = loop.endpointOptions(timeoutMillis);
    try {
      link = made.link(loop.domain.createExchangedEndpoint(loop.queue(), options, made), reserved);
      return this;
    } catch (ProviderException e) {
      made.failed(e, reserved);
      throw new RdmaException(Reasons.ofEnd(e.reason()), e.getMessage(), e);
    } catch (RuntimeException e) {
      made.failed(e, reserved);
      throw e;
    }
  }

  /** What the peer must be told; good for one connection. */
  public EndpointAddress localAddress() {
    return link.endpoint.localAddress();
  }

  /**
   * Connects as the connector; the other side accepts. If it fails at once, as for an address that is none, it may be called again.
   *
   * @param peer who that is, for messages
   * @param data private data for the peer, at most 2,048 bytes
   * @param opener makes what stands on the open link and sets its handler; called on the loop
   */
  public <T> Future<T> connect(EndpointAddress remote, LinkIdentity identity, String peer, String service, byte[] data,
    Function<Link, T> opener) {
    Promise<T> promise = Promise.promise();
    return start(remote, new Role(identity, peer, service, data, null, opened -> promise.tryComplete(opener.apply(opened)),
      promise::tryFail), promise);
  }

  /** Connects as the acceptor. @return the link, once the acceptor has welcomed its peer */
  public Future<Link> accept(EndpointAddress remote, LinkIdentity identity, String peer, LinkListener.Acceptor acceptor) {
    Promise<Link> promise = Promise.promise();
    return start(remote, new Role(identity, peer, "", NONE, acceptor, promise::tryComplete, promise::tryFail), promise);
  }

  private <T> Future<T> start(EndpointAddress remote, Role wanted, Promise<T> promise) {
    if (link.isOver()) {
      return Future.failedFuture(link.overCause());
    }
    if (role != null) {
      return Future.failedFuture(new IllegalStateException("this end was connected before; make another one"));
    }
    role = wanted;
    service = wanted.service;
    try {
      Endpoint endpoint = link.endpoint;
      endpoint.connect(remote, NONE);
    } catch (ProviderException e) {
      role = null;
      return Future.failedFuture(new RdmaException(Reasons.ofEnd(e.reason()), "the end of " + wanted.peer + " cannot be met over "
        + loop.domain.device().name() + ": " + e.getMessage(), e));
    }
    link.connecting();
    link.calling();
    return promise.future();
  }

  /** Whether it ended without ever being open; any thread. */
  public boolean isOver() {
    return over;
  }

  /** Gives up an end that is not connected; one that is lives on. */
  public void close() {
    if (!link.isOpen()) {
      link.close(0, (v, cause) -> { });
    }
  }

  @Override
  public boolean isExchanged() {
    return true;
  }

  @Override
  public boolean isConnector() {
    return role != null && role.acceptor == null;
  }

  @Override
  public String service() {
    return service;
  }

  @Override
  public String describe() {
    return role == null ? "unconnected end, peer " : "connection with " + role.peer + ", ";
  }

  @Override
  public int timeoutMillis() {
    return timeoutMillis + HANDSHAKE_MILLIS;
  }

  @Override
  public byte[] request() {
    connecting = role.identity.handshake().connecting();
    return connecting.request();
  }

  @Override
  public byte[] accept(byte[] request) {
    try {
      if (accepting != null) {
        throw new RdmaException(Reason.PROTOCOL, "two requests on one connection");
      }
      accepting = role.identity.handshake().accepting(request);
      return accepting.accept();
    } catch (RuntimeException refused) {
      throw refused(refused);
    }
  }

  /** The acceptor has answered; before that nothing comes here. */
  @Override
  public Greeting connected(byte[] accept) {
    try {
      if (confirmed) {
        throw new RdmaException(Reason.PROTOCOL, link.name() + ": the peer accepted twice");
      }
      confirmed = true;
      return greeting(role.data, connecting.confirm(accept));
    } catch (RuntimeException refused) {
      throw refused(refused);
    }
  }

  @Override
  public Greeting greeting(byte[] data, byte[] proof) {
    return role.identity.greeting(loop, link.grant, role.service, data, proof);
  }

  @Override
  public void greeted(Link which, Greeting greeting) {
    try {
      if (accepting == null) {
        throw new RdmaException(Reason.PROTOCOL, "the first frame was no request");
      }
      accepting.verify(greeting.proof(), greeting.nodeId(), greeting.epoch());
    } catch (RuntimeException refused) {
      throw refused(refused);
    }
    service = greeting.service();
    role.acceptor.greeted(which, greeting);
  }

  /** The peer is told why; this side fails for the same reason, not because it closes then. */
  private RuntimeException refused(RuntimeException why) {
    loop.watcher.refused(role.peer + " over " + loop.domain.device().name() + ": " + why.getMessage());
    over = true;
    role.failed.accept(why);
    return why;
  }

  @Override
  public void opened(Link which) {
    role.opened.accept(which);
  }

  @Override
  public void failed(Throwable cause) {
    over = true;
    if (role != null) {
      boolean nobody = cause.getCause() instanceof ProviderException e && e.reason() == ProviderException.Reason.TIMEOUT;
      role.failed.accept(nobody ? new RdmaException(Reason.UNREACHABLE, "the end of " + role.peer + " did not come within " + timeoutMillis
        + " ms over " + loop.domain.device().name() + "; has it been given what describes this one, and is it still open? "
        + cause.getMessage(), cause) : cause);
    }
  }
}
