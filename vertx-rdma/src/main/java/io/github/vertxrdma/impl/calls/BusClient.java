package io.github.vertxrdma.impl.calls;

import io.github.vertxrdma.FabricChoice;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.base.Attempts;
import io.github.vertxrdma.base.Deadline;
import io.github.vertxrdma.bus.RdmaBusClient;
import io.github.vertxrdma.bus.RdmaBusClientOptions;
import io.github.vertxrdma.impl.link.Refusals;
import io.github.vertxrdma.impl.node.Node;
import io.github.vertxrdma.impl.poll.EventLoopHost;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.github.vertxrdma.impl.poll.LoopHost;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.vertx.core.Completable;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.PromiseInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Client of a service. Uses one connection at a time, and reconnects when it closes. Confined to one event loop, except methods of
 * {@link RdmaBusClient}.
 */
public final class BusClient implements RdmaBusClient, BusLink.Owner {
  private static final Logger LOG = LoggerFactory.getLogger(BusClient.class);

  private final VertxInternal vertx;
  private final LoopHost host;
  private final EventLoop loop;
  private final String name;
  private final RdmaBusClientOptions options;
  private final CallTable<Outstanding> table;
  private final BusDial dial;
  private final WaitingMessages waiting;
  private final Set<BusLink> links = new LinkedHashSet<>();
  private final Promise<Void> closed = Promise.promise();
  private final MessageTracer tracer;
  /** Bytes of messages from other threads that wait for the event loop. */
  private final AtomicLong queuedBytes = new AtomicLong();
  private final Refusals unsent;
  private BusLink current;
  private Promise<Void> connecting;
  private Attempts searches;
  private boolean closing;
  private Deadline drainDeadline;
  private volatile FabricChoice choice;
  private volatile String remoteNodeId;

  public static BusClient of(ContextInternal context, Supplier<Future<Node>> node, String name, RdmaBusClientOptions options) {
    ContextInternal own = context.owner().contextBuilder().withEventLoop(context.nettyEventLoop()).build();
    return new BusClient(new EventLoopHost(own), () -> node.get().map(n -> new NodeInstances(n, own, name, options)), name, options);
  }

  BusClient(LoopHost host, Supplier<Future<BusInstances>> instances, String name, RdmaBusClientOptions options) {
    this.host = host;
    this.vertx = host.context().owner();
    this.loop = host.context().nettyEventLoop();
    this.name = name;
    this.options = options;
    this.tracer = MessageTracer.of(vertx, name);
    this.table = Outstanding.table(host, name, options.getMaxOutstanding());
    this.waiting = new WaitingMessages(table, this::connectUnlessConnecting);
    this.unsent = new Refusals(LOG, host::nanoTime);
    this.dial = new BusDial(host, instances, name, options.getLookupTimeout().toMillis());
  }

  public void whenClosed(Runnable task) {
    closed.future().onComplete(v -> task.run());
  }

  public Future<RdmaBusClient> open() {
    return LoopCall.on(loop, () -> connect().<RdmaBusClient>map(this).onFailure(cause -> close()));
  }

  @Override
  public String service() {
    return name;
  }

  @Override
  public <T> Future<Message<T>> request(Object body, DeliveryOptions delivery) {
    ContextInternal context = vertx.getOrCreateContext();
    PromiseInternal<Message<T>> promise = context.promise();
    int timeout = BusWire.timeout(delivery);
    ByteBuf message = encode(BusWire.REQUEST, timeout, delivery, body, context, promise);
    if (message != null) {
      ReplyMessage.CallerRequest<T> request = new ReplyMessage.CallerRequest<>(promise, name);
      if (loop.inEventLoop()) {
        request(message, request, timeout);
      } else {
        int size = message.readableBytes();
        queue(message, promise, () -> {
          queuedBytes.addAndGet(-size);
          request(message, request, timeout);
        });
      }
    }
    return promise.future();
  }

  @Override
  public Future<Void> send(Object body, DeliveryOptions delivery) {
    return send(BusWire.SEND, body, delivery);
  }

  @Override
  public Future<Void> publish(Object body, DeliveryOptions delivery) {
    return send(BusWire.PUBLISH, body, delivery);
  }

  private Future<Void> send(int kind, Object body, DeliveryOptions delivery) {
    ContextInternal context = vertx.getOrCreateContext();
    Promise<Void> promise = LoopCall.promise(context);
    ByteBuf message = encode(kind, 0, delivery, body, context, promise);
    if (message != null) {
      if (loop.inEventLoop()) {
        send(message, promise);
      } else {
        int size = message.readableBytes();
        queue(message, promise, () -> {
          queuedBytes.addAndGet(-size);
          send(message, promise);
        });
      }
    }
    return promise.future();
  }

  /** Encodes a message. If that fails, fails the promise and returns null. */
  private ByteBuf encode(int kind, int timeout, DeliveryOptions delivery, Object body, ContextInternal context, Promise<?> promise) {
    try {
      MultiMap headers = tracer == null ? delivery.getHeaders()
        : tracer.sends(context, kind == BusWire.PUBLISH, delivery.getTracingPolicy(), delivery.getHeaders(), promise.future());
      BusWire.check(delivery);
      return BusWire.encode(kind, 0, timeout, headers, body);
    } catch (RuntimeException e) {
      promise.fail(e);
      return null;
    }
  }

  /**
   * Passes a message from another thread to the event loop. Fails the promise if too many bytes wait there, or the loop has ended.
   *
   * @param send must first subtract the message's size from {@link #queuedBytes}
   */
  private void queue(ByteBuf message, Promise<?> promise, Runnable send) {
    long before = queuedBytes.get();
    int size = message.readableBytes();
    if (before > BusLink.MAX_PENDING) {
      message.release();
      promise
        .fail(new RdmaException(Reason.LIMIT, "cannot send to service '" + name + "': " + before + " bytes already wait for the "
          + "client's event loop, and at most " + BusLink.MAX_PENDING + " may. Wait for the futures of messages that were sent"));
      return;
    }
    queuedBytes.addAndGet(size);
    if (!LoopCall.execute(loop, send)) {
      queuedBytes.addAndGet(-size);
      message.release();
      promise.fail(closedException());
    }
  }

  void request(ByteBuf message, Outstanding request, int timeout) {
    BusLink link = openLink();
    Throwable refusal = refusal(link);
    if (refusal != null) {
      message.release();
      request.failed(refusal);
      return;
    }
    table.add(request, timeout);
    if (link != null) {
      link.sendRequest(message, request);
    } else {
      waiting.add(message, request);
    }
  }

  private void send(ByteBuf message, Completable<Void> done) {
    BusLink link = openLink();
    Throwable refusal = refusal(link);
    if (refusal != null) {
      message.release();
      done.fail(refusal);
    } else if (link != null) {
      link.send(message, done);
    } else {
      waiting.add(message, done);
    }
  }

  void forward(Message<?> message) {
    int kind = !message.isSend() ? BusWire.PUBLISH : message.replyAddress() == null ? BusWire.SEND : BusWire.REQUEST;
    int timeout = kind == BusWire.REQUEST ? (int) options.getReplyTimeout().toMillis() : 0;
    MultiMap headers = message.headers();
    Promise<Void> sent = null;
    if (tracer != null) {
      // The span of this message is a child of the event bus's span.
      sent = Promise.promise();
      headers = tracer.sends(vertx.getOrCreateContext(), kind == BusWire.PUBLISH, null, headers, sent.future());
    }
    Promise<Void> traced = sent;
    try {
      ByteBuf encoded = BusWire.encode(kind, 0, timeout, headers, message.body());
      if (kind == BusWire.REQUEST) {
        request(encoded, new BusRequest(message, traced), timeout);
      } else {
        send(encoded, (v, cause) -> {
          if (traced != null) {
            traced.complete(v, cause);
          }
          if (cause != null) {
            logUnsent(cause);
          }
        });
      }
    } catch (RuntimeException e) {
      if (traced != null) {
        traced.tryFail(e);
      }
      if (kind == BusWire.REQUEST) {
        message.reply(BusAnswer.asReply(e));
      } else {
        logUnsent(e);
      }
    }
  }

  private void logUnsent(Throwable cause) {
    unsent.log("A message for service '" + name + "' was not sent: " + cause.getMessage());
  }

  private BusLink openLink() {
    return current != null && current.isUsable() ? current : null;
  }

  private Throwable refusal(BusLink link) {
    if (closing) {
      return closedException();
    }
    if (table.isFull() || waiting.size() >= options.getMaxOutstanding()) {
      return new RdmaException(Reason.LIMIT, "cannot send to service '" + name + "': "
        + Math.max(table.size(), waiting.size()) + " requests already wait for a reply or a connection, as many as "
        + "maxOutstanding allows");
    }
    return link == null ? null : link.refusal();
  }

  private RdmaException closedException() {
    return new RdmaException(Reason.CLOSED, "the client of service '" + name + "' is closed");
  }

  private void connectUnlessConnecting() {
    if (connecting == null) {
      connect();
    }
  }

  private Future<Void> connect() {
    if (closing) {
      return Future.failedFuture(closedException());
    }
    connecting = Promise.promise();
    searches = dial.attempts();
    // Reads the field first, since search() may fail immediately and clear it.
    Future<Void> connected = connecting.future();
    search();
    return connected;
  }

  private void search() {
    dial.connect((link, chosen) -> {
      choice = chosen;
      remoteNodeId = link.peer().nodeId();
      return new BusLink(link, loop, false, table, dial.closeMillis(), this);
    }).onComplete((link, cause) -> LoopCall.execute(loop, () -> {
      if (cause == null) {
        connected(link);
      } else if (!closing) {
        Promise<Void> failed = connecting;
        connecting = null;
        waiting.fail(cause);
        failed.fail(cause);
      }
    }));
  }

  private void connected(BusLink link) {
    if (!link.hasEnded()) {
      links.add(link);
    }
    if (closing) {
      link.close();
      return;
    }
    // The field connecting is still set, so that new messages queue behind waiting ones.
    waiting.sendOver(link);
    if (link.isUsable()) {
      current = link;
    } else if (!waiting.isEmpty()) {
      // The connection closed immediately: the directory may be outdated.
      host.schedule(this::search, searches.pauseMillis(), TimeUnit.MILLISECONDS);
      return;
    }
    Promise<Void> done = connecting;
    connecting = null;
    done.complete();
  }

  @Override
  public void incoming(BusLink link, Received message) {
    link.broken("the service sent a request, but only its clients may send requests");
  }

  @Override
  public boolean unsent(Outstanding request) {
    return !closing && waiting.again(request);
  }

  @Override
  public void draining(BusLink link) {
    if (current == link) {
      current = null;
    }
    link.drain();
  }

  @Override
  public void linkClosed(BusLink link, Throwable cause) {
    links.remove(link);
    if (current == link) {
      current = null;
      if (!closing) {
        LOG.info("The connection to service '" + name + "' is lost; the next message will connect again: " + cause.getMessage());
      }
    }
    if (closing && links.isEmpty()) {
      ended();
    }
  }

  @Override
  public FabricChoice fabric() {
    return choice;
  }

  @Override
  public String remoteNodeId() {
    return remoteNodeId;
  }

  @Override
  public Future<Void> close() {
    if (!LoopCall.execute(loop, this::closeOnLoop)) {
      closed.tryComplete();
    }
    return LoopCall.result(vertx.getOrCreateContext(), closed.future());
  }

  private void closeOnLoop() {
    if (closing) {
      return;
    }
    closing = true;
    dial.stop();
    if (connecting != null) {
      connecting.fail(closedException());
    }
    waiting.fail(closedException());
    if (links.isEmpty()) {
      ended();
      return;
    }
    List.copyOf(links).forEach(BusLink::drain);
    drainDeadline = host.schedule(() -> List.copyOf(links).forEach(BusLink::close), options.getDrainTimeout().toMillis(),
      TimeUnit.MILLISECONDS);
  }

  private void ended() {
    if (drainDeadline != null) {
      drainDeadline.cancel();
    }
    closed.tryComplete();
  }
}
