package io.github.vertxrdma.impl.calls;

import io.github.vertxrdma.FabricChoice;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.base.Attempts;
import io.github.vertxrdma.base.CallTable;
import io.github.vertxrdma.base.Deadline;
import io.github.vertxrdma.bus.RdmaBusClient;
import io.github.vertxrdma.bus.RdmaBusClientOptions;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.Refusals;
import io.github.vertxrdma.impl.node.Node;
import io.github.vertxrdma.impl.poll.EventLoopHost;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.github.vertxrdma.impl.poll.LoopHost;
import io.github.vertxrdma.provider.ProviderException;
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
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
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
  /** Maximum number of connections over which a request is sent, if each of them is lost before it has sent the request. */
  private static final int MAX_ATTEMPTS = 3;

  private final VertxInternal vertx;
  private final LoopHost host;
  private final EventLoop loop;
  private final String name;
  private final RdmaBusClientOptions options;
  private final CallTable<Outstanding> table;
  private final Supplier<Future<BusInstances>> instances;
  private final Instances order;
  private final Attempts.Limits pauses;
  /** Messages that wait for a connection, in order. */
  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
  private final Set<BusLink> links = new LinkedHashSet<>();
  private final Promise<Void> closed = Promise.promise();
  private final MessageTracer tracer;
  /** Bytes of messages from other threads that wait for the event loop. */
  private final AtomicLong queuedBytes = new AtomicLong();
  private final Refusals unsent;
  private final Refusals losses;
  private BusLink current;
  private Promise<Void> connecting;
  private Attempts retries;
  private volatile boolean closing;
  private volatile BusInstances available;
  private Deadline drainDeadline;
  private volatile FabricChoice choice;
  private volatile String remoteNodeId;

  /** @param done an {@link Outstanding} for a request */
  private record Waiting(ByteBuf message, Completable<Void> done) {
  }

  public static BusClient of(ContextInternal context, Supplier<Future<Node>> node, String name, RdmaBusClientOptions options) {
    ContextInternal own = context.owner().contextBuilder().withEventLoop(context.nettyEventLoop()).build();
    return new BusClient(new EventLoopHost(own), () -> node.get().map(n -> new BusInstances.OfNode(n, own, name, options)), name, options);
  }

  BusClient(LoopHost host, Supplier<Future<BusInstances>> instances, String name, RdmaBusClientOptions options) {
    this.host = host;
    this.vertx = host.context().owner();
    this.loop = host.context().nettyEventLoop();
    this.name = name;
    this.options = options;
    this.tracer = MessageTracer.of(vertx, name);
    this.table = Outstanding.table(host, name, options.getMaxOutstanding());
    this.unsent = new Refusals(LOG, host::nanoTime);
    this.losses = new Refusals(LOG::info, host::nanoTime);
    this.instances = instances;
    this.order = new Instances(nodeId -> available.isSuspected(nodeId), () -> host.random().nextDouble());
    this.pauses = Attempts.Limits.endless(50, 1_000, () -> host.random().nextDouble());
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
      await(message, request);
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
      await(message, done);
    }
  }

  private void await(ByteBuf message, Completable<Void> done) {
    waiting.add(new Waiting(message, done));
    if (connecting == null) {
      connect();
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
        request(encoded, new BusAnswer.BusRequest(message, traced), timeout);
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

  private Future<Void> connect() {
    if (closing) {
      return Future.failedFuture(closedException());
    }
    connecting = Promise.promise();
    retries = new Attempts(pauses);
    // Reads the field first, since dial() may fail immediately and clear it.
    Future<Void> connected = connecting.future();
    dial();
    return connected;
  }

  private void dial() {
    long end = host.nanoTime() + TimeUnit.MILLISECONDS.toNanos(options.getLookupTimeout().toMillis());
    instances.get().compose(found -> {
      available = found;
      Dial dial = new Dial(end);
      dial.attempt();
      return dial.result.future();
    }).onComplete((link, cause) -> LoopCall.execute(loop, () -> {
      if (cause == null) {
        connected(link);
      } else if (!closing) {
        Promise<Void> failed = connecting;
        connecting = null;
        failWaiting(cause);
        failed.fail(cause);
      }
    }));
  }

  private BusLink opened(Link link, FabricChoice chosen) {
    choice = chosen;
    remoteNodeId = link.peer().nodeId();
    return new BusLink(link, loop, false, table, available.closeMillis(), this);
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
    sendWaiting(link);
    if (link.isUsable()) {
      current = link;
    } else if (!waiting.isEmpty()) {
      // The connection closed immediately: the directory may be outdated.
      host.schedule(this::dial, retries.pauseMillis(), TimeUnit.MILLISECONDS);
      return;
    }
    Promise<Void> done = connecting;
    connecting = null;
    done.complete();
  }

  /** Sends messages while the connection is usable, even those added meanwhile. */
  private void sendWaiting(BusLink link) {
    for (Waiting next; link.isUsable() && (next = waiting.poll()) != null;) {
      if (!(next.done instanceof Outstanding request)) {
        link.send(next.message, next.done);
      } else if (request.isSet()) {
        link.sendRequest(next.message, request);
      } else {
        next.message.release();
      }
    }
  }

  /** Fails the waiting messages, except those that handlers add meanwhile. */
  private void failWaiting(Throwable cause) {
    List<Waiting> failed = List.copyOf(waiting);
    waiting.clear();
    failed.forEach(each -> each.message.release());
    failed.stream().filter(each -> !(each.done instanceof Outstanding)).forEach(each -> each.done.fail(cause));
    table.fail(request -> request.link == null, cause);
  }

  @Override
  public void incoming(BusLink link, Received message) {
    link.broken("the service sent a request, but only its clients may send requests");
  }

  @Override
  public boolean unsent(Outstanding request) {
    if (closing || request.attempts == MAX_ATTEMPTS) {
      return false;
    }
    request.attempts++;
    ByteBuf message = request.message;
    request.message = null;
    request.link = null;
    await(message, request);
    return true;
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
        losses.log("The connection to service '" + name + "' is lost; the next message will connect again: " + cause.getMessage());
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
    if (connecting != null) {
      connecting.fail(closedException());
    }
    failWaiting(closedException());
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

  /**
   * Connects to any instance of the service. Tries the next one on failure, since the directory may be outdated. Fails when all listed
   * instances have refused. The steps share a promise, since chained futures would overflow the stack.
   */
  private final class Dial {
    private final long end;
    private final Map<ServiceEntry, Throwable> refusals = new HashMap<>();
    private final Promise<BusLink> result = Promise.promise();
    private Throwable last;
    private final Attempts rounds = new Attempts(pauses);

    Dial(long end) {
      this.end = end;
    }

    void attempt() {
      long left = TimeUnit.NANOSECONDS.toMillis(end - host.nanoTime());
      if (closing) {
        result.fail(new RdmaException(Reason.CLOSED, "cannot connect to service '" + name + "': its client is closed"));
      } else if (left <= 0 && last != null) {
        result.fail(last);
      } else {
        available.await(Math.max(1, left)).recover(cause -> Future.failedFuture(last != null ? last : cause)).map(this::offered)
          .onSuccess(this::round).onFailure(result::fail);
      }
    }

    private List<ServiceEntry> offered(List<ServiceEntry> entries) {
      List<ServiceEntry> found = entries.stream().filter(entry -> BusWire.disagreement("the server", protocol(entry)) == null).toList();
      if (found.isEmpty()) {
        throw new RdmaException(Reason.UNSUPPORTED, "cannot connect to '" + name + "' as a service of the event bus: "
          + BusWire.disagreement("the server", protocol(entries.getFirst())) + ". Use Rdma.connect for a server that was created with "
          + "Rdma.createServer");
      }
      return found;
    }

    private static String protocol(ServiceEntry entry) {
      return entry.metadata().getString(BusServer.PROTOCOL);
    }

    private void round(List<ServiceEntry> found) {
      List<ServiceEntry> untried = new ArrayList<>(found);
      untried.removeAll(refusals.keySet());
      if (untried.isEmpty()) {
        result.fail(refusals.get(found.getFirst()));
        return;
      }
      Instances.first(order.order(untried, null), this::connect, cause -> closing || isFinal(cause)).onComplete((link, cause) -> {
        if (cause == null) {
          result.complete(link);
        } else if (closing || isFinal(cause) || refusals.keySet().containsAll(found)) {
          result.fail(cause);
        } else {
          host.run(() -> {
            long left = Math.max(0, TimeUnit.NANOSECONDS.toMillis(end - host.nanoTime()));
            host.schedule(this::attempt, Math.min(rounds.pauseMillis(), left), TimeUnit.MILLISECONDS);
          });
        }
      });
    }

    private Future<BusLink> connect(ServiceEntry instance) {
      return available.connect(instance, BusClient.this::opened).onFailure(cause -> {
        last = cause;
        if (isRefusal(cause)) {
          refusals.put(instance, cause);
        }
      });
    }

    private static boolean isFinal(Throwable cause) {
      return cause instanceof RdmaException e && (e.reason() == Reason.NOT_AUTHENTIC || e.reason() == Reason.CLOSED);
    }

    /** Returns whether the instance itself refused. A refusal by the fabric does not count: a listener may be full or closing. */
    private static boolean isRefusal(Throwable cause) {
      return cause instanceof RdmaException e && e.reason() == Reason.REJECTED && !(e.getCause() instanceof ProviderException);
    }
  }
}
