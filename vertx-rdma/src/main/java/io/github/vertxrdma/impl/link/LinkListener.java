package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.base.Admission;
import io.github.vertxrdma.base.Deadline;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.Reasons;
import io.github.vertxrdma.provider.Capabilities.Connecting;
import io.github.vertxrdma.provider.ConnectionRequest;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ListenHandler;
import io.github.vertxrdma.provider.Listener;
import io.vertx.core.Future;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Accepts links to a device. {@link Admission} limits the peers that have not proved the cluster secret. */
public final class LinkListener {
  private static final Logger LOG = LoggerFactory.getLogger(LinkListener.class);
  private static final int TIMEOUT_MILLIS = 10_000;
  private static final int MAX_UNPROVEN = 256;
  private static final int MAX_UNPROVEN_OF_ONE = 64;
  private static final int MAX_WAITING = 4096;
  private static final int PLACE_MILLIS = 1_000;
  private static final int LATE_MILLIS = 200;
  private static final String GAVE_WAY = "the peer did not prove the cluster secret within 1 s while others waited";

  private final DeviceLoop loop;
  private final int timeoutMillis;
  private final Acceptor acceptor;
  private final Admission<Unproven> unproven = new Admission<>(MAX_UNPROVEN, MAX_UNPROVEN_OF_ONE);
  private final Refusals refusals;
  /** Log of connections that a client gave up, or that were for a server that has closed. */
  private final Refusals expected;
  private Deadline expiry = Deadline.of(() -> {});
  private Listener listener;
  private LinkIdentity identity;
  private boolean closed;

  @FunctionalInterface
  public interface Acceptor {
    /** Accepts or refuses the link, during the call or later. Called on the event loop. */
    void greeted(IncomingLink link);
  }

  private LinkListener(DeviceLoop loop, int timeoutMillis, Acceptor acceptor) {
    this.loop = loop;
    this.timeoutMillis = Math.max(TIMEOUT_MILLIS, timeoutMillis);
    this.acceptor = acceptor;
    this.refusals = new Refusals(LOG, loop.host::nanoTime);
    this.expected = new Refusals(LOG::info, loop.host::nanoTime);
  }

  /**
   * @param local null for the device's default address
   * @param timeoutMillis time for a handshake, at least 10 s
   */
  public static Future<LinkListener> listen(DeviceLoop loop, EndpointAddress local, int timeoutMillis,
    Function<EndpointAddress, LinkIdentity> identity, Acceptor acceptor) {
    LinkListener made = new LinkListener(loop, timeoutMillis, acceptor);
    try {
      loop.checkOpen();
      Callable<EndpointAddress> preparation = loop.domain.listenPreparation(loop.queue, local);
      return preparation == null ? Future.succeededFuture(made.listen(local, identity))
        : loop.host.blocking(preparation).map(address -> made.listen(address, identity));
    } catch (RuntimeException e) {
      return Future.failedFuture(e);
    }
  }

  private LinkListener listen(EndpointAddress local, Function<EndpointAddress, LinkIdentity> identities) {
    loop.checkOpen();
    listener = loop.domain.listen(loop.queue, local, loop.endpointOptions(0), ListenHandler.here(this::requested));
    loop.turn.wake();
    identity = identities.apply(listener.localAddress());
    return this;
  }

  public EndpointAddress localAddress() {
    return listener.localAddress();
  }

  private void requested(ConnectionRequest request) {
    try {
      Handshake.Accepting handshake = handshake(request);
      if (handshake == null) {
        return;
      }
      Unproven peer = new Unproven(request);
      Object source = request.source();
      if (handshake.greeting() != null) {
        peer.admitted(handshake);
      } else if (unproven.hasRoom(source)) {
        unproven.add(peer, source);
        peer.admitted(handshake);
      } else {
        Unproven refused = unproven.await(peer, source, MAX_WAITING, each -> each.admitted(handshake));
        loop.deferred();
        if (refused != null) {
          reject(refused.request, refusals, Reason.LIMIT, "too many connections have not proved the cluster secret yet. Try again later");
        }
        expireAfter(PLACE_MILLIS, false);
      }
    } catch (Throwable e) {
      // If thrown to the completion queue, the exception would fail all connections of the loop.
      LOG.error("A connection request from " + request.remoteAddress() + " could not be handled", e);
      answer(request, "the listening node could not handle the request; its log has the cause");
    }
  }

  /** Returns the handshake of a request, or rejects the request and returns null. */
  private Handshake.Accepting handshake(ConnectionRequest request) {
    try {
      return identity.handshake().accepting(request.privateData(), request.channelBinding());
    } catch (RuntimeException e) {
      reject(request, refusals, Reasons.of(e), e.getMessage());
      return null;
    }
  }

  /** @param extended whether places were kept for longer, because this process had paused */
  private void expireAfter(long millis, boolean extended) {
    if (!expiry.isSet()) {
      expiry = loop.host.schedule(() -> expire(extended), millis, TimeUnit.MILLISECONDS);
    }
  }

  /** Ends the oldest handshakes while other requests wait for their places. */
  private void expire(boolean extended) {
    long now = loop.host.nanoTime();
    if (!extended && now - expiry.at() > TimeUnit.MILLISECONDS.toNanos(LATE_MILLIS)) {
      // Frames that arrived during the pause are read first.
      expireAfter(PLACE_MILLIS, true);
      return;
    }
    for (Unproven next = unproven.oldestInTheWay(); next != null; next = unproven.oldestInTheWay()) {
      long held = next.opening == null ? 0 : TimeUnit.NANOSECONDS.toMillis(now - next.acceptedNanos);
      if (held < PLACE_MILLIS) {
        expireAfter(PLACE_MILLIS - held, false);
        return;
      }
      next.giveWay();
    }
  }

  /** A connection request that is limited until its sender has proved the cluster secret. */
  private final class Unproven {
    private final ConnectionRequest request;
    /** Null while memory is reserved, for which the peer is not blamed. */
    private AcceptorOpening opening;
    private long acceptedNanos;

    Unproven(ConnectionRequest request) {
      this.request = request;
    }

    void admitted(Handshake.Accepting handshake) {
      loop.prepareEndpoint(Connecting.LISTENER, timeoutMillis).onComplete(reserved -> {
        if (reserved.succeeded() && !closed) {
          accept(handshake, reserved.result());
          return;
        }
        if (reserved.succeeded()) {
          loop.budget.cancel(reserved.result());
        }
        unproven.remove(this);
        if (closed) {
          reject(request, expected, Reason.CLOSED, "the server no longer listens");
        } else {
          reject(request, refusals, Reason.LIMIT, reserved.cause().getMessage());
        }
      });
    }

    private void accept(Handshake.Accepting handshake, int slots) {
      String from = request.remoteAddress() + " over " + loop.domain.device().name();
      acceptedNanos = loop.host.nanoTime();
      opening = new AcceptorOpening(loop, null, identity, new LinkRole(false, "", null), handshake, timeoutMillis, link -> {
        unproven.remove(this);
        acceptor.greeted(link);
      });
      opening.future().onFailure(cause -> {
        unproven.remove(this);
        refused(LinkOpening.wasExpected(cause) ? expected : refusals, Reasons.of(cause), from, cause.getMessage());
      });
      try {
        opening.stream.open(slots, () -> request.createEndpoint(loop.queue, loop.endpointOptions(timeoutMillis), opening.stream));
        opening.begin();
        request.accept(handshake.accept());
        loop.turn.wake();
      } catch (RuntimeException e) {
        opening.stream.fail(e);
        answer(request, e.getMessage());
      }
    }

    void giveWay() {
      opening.giveWay(new RdmaException(Reason.TIMEOUT, GAVE_WAY));
      unproven.remove(this);
    }
  }

  private void refused(Refusals log, Reason reason, String from, String why) {
    identity.watcher().refused(reason, from + ": " + why);
    log.log("A connection from " + from + " was not made: " + why);
  }

  private void reject(ConnectionRequest request, Refusals log, Reason reason, String why) {
    refused(log, reason, request.remoteAddress() + " over " + loop.domain.device().name(), why);
    answer(request, why);
  }

  private void answer(ConnectionRequest request, String reason) {
    byte[] words = String.valueOf(reason).getBytes(StandardCharsets.UTF_8);
    try {
      request.reject(words.length > loop.domain.limits().privateData() ? Arrays.copyOf(words, loop.domain.limits().privateData()) : words);
      loop.turn.wake();
    } catch (RuntimeException e) {
      LOG.debug("A connection request could not be rejected", e);
    }
  }

  public void close() {
    if (!closed) {
      closed = true;
      unproven.close();
      expiry.cancel();
      listener.close();
      loop.turn.wake();
    }
  }
}
