package io.github.vertxrdma.impl.calls;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.base.CallTable;
import io.github.vertxrdma.base.Deadline;
import io.github.vertxrdma.bus.RdmaBusServiceOptions;
import io.github.vertxrdma.impl.link.IncomingLink;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.LinkListener;
import io.github.vertxrdma.impl.link.Refusals;
import io.github.vertxrdma.impl.node.ListeningService;
import io.github.vertxrdma.impl.node.Node;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.github.vertxrdma.impl.poll.LoopHost;
import io.netty.channel.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.eventbus.Message;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import io.vertx.core.json.JsonObject;
import io.vertx.core.tracing.TracingPolicy;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/** Server of a service. Passes messages to consumers of this Vert.x, and returns their replies. Confined to one event loop. */
final class BusServer implements BusLink.Owner {
  private static final Logger LOG = LoggerFactory.getLogger(BusServer.class);
  static final String PROTOCOL = "protocol";

  private final LoopHost host;
  private final ContextInternal context;
  private final EventLoop loop;
  private final EventBus bus;
  private final String name;
  private final String address;
  private final RdmaBusServiceOptions options;
  private final CallTable<Outstanding> table;
  private final Set<BusLink> links = new LinkedHashSet<>();
  private final Promise<Void> drained = Promise.promise();
  private final Refusals undelivered;
  private int closeMillis;
  private Supplier<Future<Void>> withdraw;
  private volatile boolean draining;
  private Deadline drainDeadline;
  private DeliveryOptions last = local(ReceivedCodec.NAME, null).setSendTimeout(1);

  BusServer(LoopHost host, String name, RdmaBusServiceOptions options) {
    this.host = host;
    this.context = host.context();
    this.loop = context.nettyEventLoop();
    this.bus = context.owner().eventBus();
    this.name = name;
    this.address = options.getAddress() == null ? name : options.getAddress();
    this.options = options;
    this.table = Outstanding.table(host, name, CallTable.MAX_CALLS);
    this.undelivered = new Refusals(LOG, host::nanoTime);
  }

  Future<Void> listen(Node node) {
    return listen((int) node.options().getCloseTimeout().toMillis(),
      (metadata, acceptor) -> ListeningService.byName(node, context, name, metadata, acceptor).map(served -> served::close));
  }

  /** @param publisher listens and publishes the name; returns a function that withdraws the name */
  Future<Void> listen(int timeoutMillis, BiFunction<JsonObject, LinkListener.Acceptor, Future<Supplier<Future<Void>>>> publisher) {
    closeMillis = timeoutMillis;
    ReceivedCodec.register(context.owner());
    return publisher.apply(options.getMetadata().copy().put(PROTOCOL, BusWire.PROTOCOL), this::greeted).map(published -> {
      withdraw = published;
      return null;
    });
  }

  private void greeted(IncomingLink incoming) {
    if (draining) {
      incoming.refuse(Reason.NOT_FOUND, "service '" + name + "' is being undeployed");
      return;
    }
    String disagreement = BusWire.disagreement("the client", new String(incoming.greeting().data(), StandardCharsets.US_ASCII));
    if (disagreement != null) {
      incoming.refuse("'" + name + "' is a service of the event bus, for clients of Rdma.connectBus: " + disagreement);
      return;
    }
    Link link = incoming.accept(new byte[0]);
    if (link != null) {
      BusLink busLink = new BusLink(link, loop, true, table, closeMillis, this);
      if (!LoopCall.run(loop, () -> joined(busLink))) {
        link.fail(LoopCall.closed());
      }
    }
  }

  private void joined(BusLink link) {
    if (!link.hasEnded()) {
      links.add(link);
    }
    if (draining) {
      link.send(BusWire.drain(), null);
    }
  }

  @Override
  public void incoming(BusLink link, Received message) {
    ContextInternal previous = context.beginDispatch();
    try {
      switch (message.kind()) {
        case BusWire.REQUEST -> {
          link.began(options.getMaxOutstanding());
          Future<Message<Object>> reply;
          try {
            // Decodes the body first, so that the bus does not wait for a reply to an invalid body.
            reply = bus.request(address, message.body(), delivery(message));
          } catch (RuntimeException e) {
            reply = Future.failedFuture(e);
          }
          reply.onComplete(new Answer(link, message.id()));
        }
        case BusWire.SEND -> bus.send(address, message.body(), local(ReceivedCodec.NAME, message.headers()));
        default -> bus.publish(address, message, local(ReceivedCodec.NAME, message.headers()));
      }
    } catch (IllegalArgumentException e) {
      undelivered.log(link.name() + ": a message for service '" + name + "' was not delivered: " + e.getMessage());
    } catch (RuntimeException e) {
      context.reportException(e);
    } finally {
      context.endDispatch(previous);
    }
  }

  private DeliveryOptions delivery(Received message) {
    int timeout = Math.max(1, message.timeout());
    if (message.headers() != null) {
      return local(ReceivedCodec.NAME, message.headers()).setSendTimeout(timeout);
    }
    if (last.getSendTimeout() != timeout) {
      last = local(ReceivedCodec.NAME, null).setSendTimeout(timeout);
    }
    return last;
  }

  private static DeliveryOptions local(String codec, MultiMap headers) {
    // The headers already carry the trace of the peer.
    return new DeliveryOptions().setLocalOnly(true).setCodecName(codec).setHeaders(headers).setTracingPolicy(TracingPolicy.IGNORE);
  }

  private final class Answer extends BusAnswer {
    Answer(BusLink link, int id) {
      super(link, id);
    }

    @Override
    void replied(Message<Object> reply, Throwable cause) {
      super.replied(reply, cause);
      link.answered(options.getMaxOutstanding());
      closeWhenAnswered();
    }
  }

  @Override
  public void draining(BusLink link) {
  }

  @Override
  public void linkClosed(BusLink link, Throwable cause) {
    links.remove(link);
    closeWhenAnswered();
  }

  /** Withdraws the name, waits for requests in progress, closes the connections. Thread-safe. */
  Future<Void> close() {
    Supplier<Future<Void>> listening = withdraw;
    if (listening == null) {
      return Future.succeededFuture();
    }
    withdraw = null;
    return listening.get().transform(v -> LoopCall.execute(loop, this::drain) ? drained.future() : Future.succeededFuture());
  }

  private void drain() {
    draining = true;
    drainDeadline = host.schedule(this::failLinks, options.getDrainTimeout().toMillis(), TimeUnit.MILLISECONDS);
    for (BusLink link : List.copyOf(links)) {
      link.send(BusWire.drain(), null);
    }
    closeWhenAnswered();
  }

  /** Completes the close when all clients have closed their links, after their last reply. */
  private void closeWhenAnswered() {
    if (draining && links.isEmpty()) {
      drainDeadline.cancel();
      drained.tryComplete();
    }
  }

  private void failLinks() {
    for (BusLink link : List.copyOf(links)) {
      link.fail(new RdmaException(Reason.CLOSED, "service '" + name + "' was undeployed; " + link.inProgress()
        + " requests were not answered in time"));
    }
  }
}
