package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.provider.ConnectionRequest;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.Listener;
import io.vertx.core.Future;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Function;

/** Accepts links on one device loop. Confined to it. */
public final class LinkListener {
  private static final Logger LOG = LoggerFactory.getLogger(LinkListener.class);
  private static final int TIMEOUT_MILLIS = 10_000;

  private final DeviceLoop loop;
  private final Acceptor acceptor;
  private Listener listener;
  private LinkIdentity identity;
  private boolean closed;

  /** Decides about links whose peer has proved itself. */
  @FunctionalInterface
  public interface Acceptor {
    /**
     * Sets the link's handler and welcomes it, now or later, or refuses it. On the loop.
     *
     * @param greeting who it is and which service it wants
     */
    void greeted(Link link, Greeting greeting);
  }

  private LinkListener(DeviceLoop loop, Acceptor acceptor) {
    this.loop = loop;
    this.acceptor = acceptor;
  }

  /**
   * Listens; on the loop.
   *
   * @param local null for the device's default address
   * @param identity who this side is at the address it got
   */
  public static Future<LinkListener> listen(DeviceLoop loop, EndpointAddress local, Function<EndpointAddress, LinkIdentity> identity,
    Acceptor acceptor) {
    LinkListener made = new LinkListener(loop, acceptor);
    try {
      made.listener = loop.domain.listen(loop.queue(), local, loop.endpointOptions(), made::requested);
      made.identity = identity.apply(made.listener.localAddress());
      return Future.succeededFuture(made);
    } catch (RuntimeException e) {
      return Future.failedFuture(e);
    }
  }

  public EndpointAddress localAddress() {
    return listener.localAddress();
  }

  public DeviceLoop loop() {
    return loop;
  }

  private void requested(ConnectionRequest request) {
    Handshake.Accepting handshake;
    try {
      handshake = identity.handshake().accepting(request.privateData());
    } catch (RuntimeException e) {
      LOG.warn("A connection request from " + request.remoteAddress() + " over " + loop.domain.device().name() + " was rejected: "
        + e.getMessage());
      reject(request, e.getMessage());
      return;
    }
    loop.reserve().onComplete(reserved -> {
      if (reserved.failed() || closed) {
        if (reserved.succeeded()) {
          loop.cancel(reserved.result());
        }
        reject(request, closed ? "not listening any more" : reserved.cause().getMessage());
        return;
      }
      accept(request, handshake, reserved.result());
    });
  }

  private void accept(ConnectionRequest request, Handshake.Accepting handshake, Reservation reserved) {
    Accepted setup = new Accepted(request, handshake);
    LinkEndpoint made = new LinkEndpoint(loop, setup);
    try {
      Endpoint endpoint = request.createEndpoint(loop.queue(), loop.endpointOptions(TIMEOUT_MILLIS), made);
      Link link = made.link(endpoint, reserved);
      setup.grant = link.grant;
      link.connecting();
      request.accept(handshake.accept());
    } catch (RuntimeException e) {
      LOG.warn("A connection from " + request.remoteAddress() + " over " + loop.domain.device().name() + " could not be accepted: "
        + e.getMessage());
      reject(request, e.getMessage());
      made.failed(e, reserved);
    }
  }

  private void reject(ConnectionRequest request, String reason) {
    loop.watcher.refused(request.remoteAddress() + " over " + loop.domain.device().name() + ": " + reason);
    byte[] words = String.valueOf(reason).getBytes(StandardCharsets.UTF_8);
    try {
      request.reject(words.length > loop.domain.limits().privateData() ? Arrays.copyOf(words, loop.domain.limits().privateData()) : words);
    } catch (RuntimeException e) {
      LOG.debug("A connection request could not be rejected", e);
    }
  }

  /** Stops listening; links live on. */
  public void close() {
    if (!closed) {
      closed = true;
      listener.close();
    }
  }

  /** The set-up of one accepted link. */
  private final class Accepted implements LinkSetup {
    private final ConnectionRequest request;
    private final Handshake.Accepting handshake;
    private Grant grant;
    private String service = "";

    Accepted(ConnectionRequest request, Handshake.Accepting handshake) {
      this.request = request;
      this.handshake = handshake;
    }

    @Override
    public boolean isConnector() {
      return false;
    }

    @Override
    public String service() {
      return service;
    }

    @Override
    public int timeoutMillis() {
      return TIMEOUT_MILLIS;
    }

    @Override
    public Greeting greeting(byte[] data, byte[] proof) {
      return identity.greeting(loop, grant, "", data, proof);
    }

    @Override
    public Greeting connected(byte[] privateData) {
      return null;
    }

    @Override
    public void greeted(Link link, Greeting greeting) {
      handshake.verify(greeting.proof(), greeting.nodeId(), greeting.epoch());
      service = greeting.service();
      acceptor.greeted(link, greeting);
    }

    @Override
    public void opened(Link link) {
    }

    @Override
    public void failed(Throwable cause) {
      loop.watcher.refused(request.remoteAddress() + " over " + loop.domain.device().name() + ": " + cause.getMessage());
      LOG.warn("A connection from " + request.remoteAddress() + " over " + loop.domain.device().name() + " was not made: "
        + cause.getMessage());
    }
  }
}
