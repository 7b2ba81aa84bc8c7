package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.function.Function;

/** Makes outgoing links. */
public final class LinkConnector<T> implements LinkSetup {
  private final DeviceLoop loop;
  private final LinkIdentity identity;
  private final String service;
  private final byte[] data;
  private final int timeoutMillis;
  private final Handshake.Connecting handshake;
  private final Function<Link, T> opener;
  private final Promise<T> promise = Promise.promise();
  private Grant grant;

  private LinkConnector(DeviceLoop loop, LinkIdentity identity, String service, byte[] data, int timeoutMillis,
    Function<Link, T> opener) {
    this.loop = loop;
    this.identity = identity;
    this.service = service;
    this.data = data;
    this.timeoutMillis = timeoutMillis;
    this.opener = opener;
    this.handshake = identity.handshake().connecting();
  }

  /**
   * Connects; on the loop.
   *
   * @param service what is wanted of the acceptor
   * @param data private data for it, at most 2,048 bytes
   * @param opener makes what stands on the open link and sets its handler; called on the loop
   */
  public static <T> Future<T> connect(DeviceLoop loop, EndpointAddress remote, LinkIdentity identity, String service, byte[] data,
    int timeoutMillis, Function<Link, T> opener) {
    LinkConnector<T> connector = new LinkConnector<>(loop, identity, service, data, timeoutMillis, opener);
    return loop.reserve().compose(reserved -> connector.start(remote, reserved));
  }

  private Future<T> start(EndpointAddress remote, Reservation reserved) {
    LinkEndpoint made = new LinkEndpoint(loop, this);
    EndpointOptions options = loop.endpointOptions(timeoutMillis);
    try {
      Endpoint endpoint = loop.domain.createEndpoint(loop.queue(), options, made);
      Link link = made.link(endpoint, reserved);
      grant = link.grant;
      link.connecting();
      endpoint.connect(remote, handshake.request());
      link.calling();
    } catch (RuntimeException e) {
      made.failed(e, reserved);
      return Future.failedFuture(e);
    }
    return promise.future();
  }

  @Override
  public boolean isConnector() {
    return true;
  }

  @Override
  public String service() {
    return service;
  }

  @Override
  public int timeoutMillis() {
    return timeoutMillis;
  }

  @Override
  public Greeting greeting(byte[] mine, byte[] proof) {
    return identity.greeting(loop, grant, service, mine, proof);
  }

  @Override
  public Greeting connected(byte[] privateData) {
    return greeting(data, handshake.confirm(privateData));
  }

  @Override
  public void greeted(Link link, Greeting greeting) {
    throw new IllegalStateException("a connector is not greeted first");
  }

  @Override
  public void opened(Link link) {
    promise.tryComplete(opener.apply(link));
  }

  @Override
  public void failed(Throwable cause) {
    promise.tryFail(cause);
  }
}
