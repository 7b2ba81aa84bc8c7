package io.github.vertxrdma.impl.control;

import io.github.vertxrdma.base.Admission;
import io.github.vertxrdma.base.Deadline;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.auth.ClusterSecret;
import io.github.vertxrdma.impl.opening.Refusals;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The control connections of a node: one per peer that it uses or that uses it. A connection that ends without a good-bye is made anew at
 * once. If the address refuses it, or another process answers there, the peer is dead, which is known within milliseconds of its end. If
 * the peer answers, a network device had cut the connection and nothing is lost but the control messages under way.
 *
 * <p>A peer that is silent is suspected, and lives for as long as its kernel acknowledges, as that of a stopped process does. It is dialled
 * while its connection stands, and is dead when that finds the same evidence, or when nothing at all has acknowledged for
 * {@link ControlSettings#deadMillis}.
 *
 * <p>Methods may be called from any thread. Handlers run on one event loop, which they must not block; set them before {@link #listen}.
 */
public final class ControlLinks implements ControlAccept.Judge, Heartbeat.Judge, LinkTable.Events {
  /** Connections that may be without proof at a time. */
  static final int MOST_UNPROVEN = 256;
  /** Those of one source. */
  static final int MOST_UNPROVEN_OF_ONE = 64;
  private static final Logger LOG = LoggerFactory.getLogger(ControlLinks.class);
  private final ControlHost host;
  private final ControlSettings settings;
  private final ClusterSecret secret;
  private final Supplier<NodeEntry> self;
  private final Heartbeat heartbeat;
  private final LinkTable table;
  /** Connections whose peers have not proved the secret, by the IP address that they come from. */
  private final Admission<ControlAccept> unproven = new Admission<>(MOST_UNPROVEN, MOST_UNPROVEN_OF_ONE);
  /** When each handshake has to be over, by its timer. */
  private final Map<ControlAccept, Deadline> handshakes = new LinkedHashMap<>();
  private final Refusals refusals;
  private final Refusals slow;
  private final Map<Integer, BiConsumer<ControlLink, Buffer>> messageHandlers = new HashMap<>();
  private final List<ControlListener> listeners = new CopyOnWriteArrayList<>();
  /** Nodes that are suspected. */
  private final Set<String> suspects = ConcurrentHashMap.newKeySet();
  private Handler<PeerDeath> deathHandler = death -> {};
  private Consumer<String> refusalHandler = why -> {};
  private BiConsumer<ControlLink, Boolean> suspectHandler = (link, suspected) -> {};
  /** The next look at the peers; not set while no connection is open. */
  private final Deadline look = Deadline.of(this::look);
  private ControlHost.Listening listening;
  private boolean closed;

  /**
   * Control connections over TCP.
   *
   * @param context of an event loop, where all of it runs
   * @param self this node as it is now; a rejoin changes its epoch
   */
  public ControlLinks(ContextInternal context, ControlSettings settings, ClusterSecret secret, Supplier<NodeEntry> self) {
    this(new EventLoopControl(context, settings.deadMillis()), settings, secret, self);
  }

  /** Control connections in a world of the caller's. */
  public ControlLinks(ControlHost host, ControlSettings settings, ClusterSecret secret, Supplier<NodeEntry> self) {
    this.host = host;
    this.settings = settings;
    this.secret = secret;
    this.self = self;
    this.refusals = new Refusals(LOG, host::nanoTime);
    this.slow = new Refusals(LOG::info, host::nanoTime);
    this.heartbeat = new Heartbeat(settings, this);
    this.table = new LinkTable(host, settings, secret, self, this);
  }

  /** Hears of every peer that is gone. */
  public ControlLinks deathHandler(Handler<PeerDeath> handler) {
    deathHandler = handler;
    return this;
  }

  /** Tells a listener too of connections and deaths, from now on. */
  public ControlLinks addListener(ControlListener listener) {
    listeners.add(listener);
    return this;
  }

  /** Hears of each connection that was not made or message that was not taken, and why. */
  public ControlLinks refusalHandler(Consumer<String> handler) {
    refusalHandler = handler;
    return this;
  }

  /** Hears that a peer is suspected (true), or was heard again (false). */
  public ControlLinks suspectHandler(BiConsumer<ControlLink, Boolean> handler) {
    suspectHandler = handler;
    return this;
  }

  /** Hears the messages of one kind, 0 … 127, from all peers; those of kinds without a handler are dropped. */
  public ControlLinks messageHandler(int kind, BiConsumer<ControlLink, Buffer> handler) {
    messageHandlers.put(kind, handler);
    return this;
  }

  /** Listens. @return the port; fails with the range if all of it is in use */
  public Future<Integer> listen() {
    return onLoop(promise -> listen(settings.firstPort()).onComplete(promise));
  }

  /** On the first free port from this one on. Transports name a port in use differently, but always by an IOException. */
  private Future<Integer> listen(int port) {
    return host.listen(settings.host(), port, this::accept).map(opened -> {
      listening = opened;
      return opened.port();
    }).recover(failure -> failure instanceof IOException && port < settings.lastPort() ? listen(port + 1)
      : Future.failedFuture(new IllegalStateException("no control port could be opened on " + settings.host() + ", ports "
        + settings.firstPort() + '-' + settings.lastPort() + ": " + failure.getMessage() + "; free one or give another range or address",
        failure)));
  }

  /**
   * The connection with that peer, made if there is none. Not for this node itself, whose death needs no report.
   *
   * @param peer as the directory has it; with epoch 0 any run of it
   */
  public Future<ControlLink> link(NodeEntry peer) {
    return onLoop(promise -> table.link(peer, promise));
  }

  /**
   * Connects with whoever listens at a control address, to become acquainted.
   *
   * @return the id of the node there, once there is a connection with it or one is being made; this node's own without one
   */
  public Future<String> meet(String address, int port) {
    return onLoop(promise -> {
      Meeting meeting = new Meeting(table, promise);
      meeting.start(new ControlDial(host, secret, null, address, port, meeting::join), settings.connectTimeoutMillis());
    });
  }

  /** Returns whether a node has been silent for {@link ControlSettings#suspectMillis}. */
  public boolean isSuspected(String nodeId) {
    return !suspects.isEmpty() && suspects.contains(nodeId);
  }

  /** The peers that are connected, for reports. */
  public Future<List<ControlLink>> links() {
    return onLoop(promise -> promise.complete(table.open()));
  }

  /** Says good-bye to all and closes. Idempotent. */
  public Future<Void> close() {
    return onLoop(this::close);
  }

  @Override
  public void frame(ControlLink link, byte type, Buffer payload) {
    if (!link.isOpen()) {
      // It comes behind a good-bye, in the same segment.
      return;
    }
    heartbeat.heard(link, host.nanoTime());
    switch (type) {
      case ControlSocket.PING -> {
        // Answers would pile up here for one that asks and does not read.
        if (!link.socket().isFull()) {
          link.socket().write(ControlSocket.PONG, Buffer.buffer());
        }
      }
      case ControlSocket.PONG -> {}
      case ControlSocket.MESSAGE -> message(link, payload);
      case ControlSocket.GOODBYE -> table.left(link, ControlSocket.words(payload));
      default -> refused("Node " + link.nodeId() + " sent a control frame " + type + ", which this version does not know");
    }
  }

  private void message(ControlLink link, Buffer payload) {
    BiConsumer<ControlLink, Buffer> handler = payload.length() == 0 ? null : messageHandlers.get((int) payload.getByte(0));
    if (handler == null) {
      return;
    }
    try {
      handler.accept(link, payload.getBuffer(1, payload.length()));
    } catch (IllegalArgumentException e) {
      refused("A control message of kind " + payload.getByte(0) + " from node " + link.nodeId() + " is ignored: " + e.getMessage());
    } catch (RuntimeException e) {
      // The rest of the connection does not depend on it.
      LOG.error("A control message of kind " + payload.getByte(0) + " from node " + link.nodeId() + " was not handled", e);
    }
  }

  @Override
  public void opened(ControlLink link) {
    suspects.remove(link.nodeId());
    lookInTime();
    listeners.forEach(listener -> listener.opened(link));
  }

  @Override
  public void died(PeerDeath death) {
    suspects.remove(death.nodeId());
    deathHandler.handle(death);
    listeners.forEach(listener -> listener.died(death));
  }

  @Override
  public void suspected(ControlLink link, boolean suspected) {
    if (suspected) {
      suspects.add(link.nodeId());
    } else {
      suspects.remove(link.nodeId());
      lookInTime();
      table.heard(link);
    }
    suspectHandler.accept(link, suspected);
  }

  @Override
  public void silent(ControlLink link) {
    table.silent(link);
  }

  /** Looks at the peers before the time at which a peer that was just heard has to be asked. */
  private void lookInTime() {
    lookIn(heartbeat.askNanos());
  }

  private void lookIn(long nanos) {
    if (!closed && (!look.isSet() || look.at() - host.nanoTime() > nanos)) {
      host.deadlines().set(look, nanos, TimeUnit.NANOSECONDS);
    }
  }

  private void look() {
    List<ControlLink> open = table.open();
    if (!open.isEmpty()) {
      long now = host.nanoTime();
      long next = heartbeat.tickNanos();
      try {
        next = heartbeat.look(open, now, now - look.at());
      } finally {
        // Also after an exception of a handler.
        lookIn(next);
      }
    }
  }

  private void accept(ControlPipe socket) {
    if (closed) {
      socket.close();
      return;
    }
    ControlAccept accept = new ControlAccept(host, secret, socket, table, this);
    limit(accept);
    ControlAccept oldest = unproven.add(accept, socket.remoteAddress() instanceof InetSocketAddress inet && inet.getAddress() != null
      ? Admission.source(inet.getAddress().getAddress()) : "unknown");
    if (oldest != null) {
      oldest.close("too many connections that have not proved the cluster secret are newer");
    }
  }

  private void limit(ControlAccept accept) {
    long began = host.nanoTime();
    handshakes.put(accept, host.schedule(() -> {
      if (host.nanoTime() - began > TimeUnit.MILLISECONDS.toNanos(2L * settings.connectTimeoutMillis())) {
        // This process was stopped, or its loop blocked: what came meanwhile is read first.
        limit(accept);
      } else {
        expired(accept);
      }
    }, settings.connectTimeoutMillis(), TimeUnit.MILLISECONDS));
  }

  /** Closes a connection because its peer did not continue in time, for example on a busy machine. The peer connects again. */
  private void expired(ControlAccept accept) {
    accept.close(null);
    String why = "A control connection from " + accept.remote() + " was closed: its handshake took more than "
      + settings.connectTimeoutMillis() + " ms";
    slow.log(why);
    refusalHandler.accept(why);
  }

  @Override
  public NodeEntry self() {
    return self.get();
  }

  @Override
  public void proven(ControlAccept accept) {
    unproven.remove(accept);
  }

  @Override
  public void finished(ControlAccept accept, String why) {
    unproven.remove(accept);
    Deadline timeout = handshakes.remove(accept);
    if (timeout != null) {
      timeout.cancel();
    }
    if (why != null && !closed) {
      refused("A control connection from " + accept.remote() + " was refused: " + why);
    }
  }

  private void refused(String why) {
    refusals.log(why);
    refusalHandler.accept(why);
  }

  private void close(Promise<Void> promise) {
    if (closed) {
      promise.complete();
      return;
    }
    closed = true;
    look.cancel();
    List.copyOf(handshakes.keySet()).forEach(accept -> accept.close("this node was closed"));
    table.close().transform(done -> listening == null ? Future.<Void>succeededFuture() : listening.close()).<Void>mapEmpty()
      .onComplete(promise);
  }

  private <T> Future<T> onLoop(Handler<Promise<T>> action) {
    Promise<T> promise = host.promise();
    host.execute(() -> action.handle(promise));
    return promise.future();
  }
}
