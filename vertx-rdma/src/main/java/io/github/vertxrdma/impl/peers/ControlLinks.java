package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.base.Admission;
import io.github.vertxrdma.base.Deadline;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.link.Refusals;
import io.github.vertxrdma.impl.poll.LoopCall;
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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/** Control connections of a node, one per peer. Any thread. Handlers run on the control loop, and are set before {@link #listen}. */
public final class ControlLinks {
  static final int MOST_UNPROVEN = 256;
  static final int MOST_UNPROVEN_OF_ONE = 64;
  private static final Logger LOG = LoggerFactory.getLogger(ControlLinks.class);
  private final ControlHost host;
  private final ControlSettings settings;
  private final ClusterSecret secret;
  private final Supplier<NodeEntry> self;
  private final Heartbeat heartbeat;
  private final LinkTable table;
  private final Admission<ControlAccept> unproven;
  private final Map<ControlAccept, Deadline> handshakes = new LinkedHashMap<>();
  private final Refusals refusals;
  private final Refusals slow;
  private final Refusals claims;
  private final Map<Integer, BiConsumer<ControlLink, Buffer>> messageHandlers = new HashMap<>();
  private final List<ControlListener> listeners = new CopyOnWriteArrayList<>();
  private final Set<String> suspectIds = ConcurrentHashMap.newKeySet();
  private BiConsumer<Reason, String> refusalHandler = (reason, why) -> {};
  /** Timer of the next {@link #check}. Runs while connections are open. */
  private Deadline nextCheck = Deadline.of(this::check);
  /** True if {@link #isSuspected} was called since the last {@link #check}. */
  private final AtomicBoolean asked = new AtomicBoolean();
  /** True if {@link #isSuspected} was called before the last check, which therefore set the next one soon. */
  private volatile boolean checksSoon;
  private ControlHost.Listening listening;
  private boolean closed;

  /** @param self called at each use, because a rejoin changes the epoch */
  public ControlLinks(ContextInternal context, ControlSettings settings, ClusterSecret secret, Supplier<NodeEntry> self) {
    this(new EventLoopControl(context, settings.deadMillis()), settings, secret, self);
  }

  public ControlLinks(ControlHost host, ControlSettings settings, ClusterSecret secret, Supplier<NodeEntry> self) {
    this.host = host;
    this.settings = settings;
    this.secret = secret;
    this.self = self;
    this.unproven = new Admission<>(MOST_UNPROVEN, host.mostUnprovenOfOne());
    this.refusals = new Refusals(LOG, host::nanoTime);
    this.slow = new Refusals(LOG::info, host::nanoTime);
    this.claims = new Refusals(LOG, host::nanoTime);
    this.table = new LinkTable(host, settings, secret, self, this);
    this.heartbeat = new Heartbeat(settings, table, this);
  }

  public ControlLinks addListener(ControlListener listener) {
    listeners.add(listener);
    return this;
  }

  public ControlLinks refusalHandler(BiConsumer<Reason, String> handler) {
    refusalHandler = handler;
    return this;
  }

  /** @param kind 0 … 127; messages of kinds without a handler are dropped */
  public ControlLinks messageHandler(int kind, BiConsumer<ControlLink, Buffer> handler) {
    messageHandlers.put(kind, handler);
    return this;
  }

  /** Listens on the first free port of the configured range. Completes with the port. */
  public Future<Integer> listen() {
    return onLoop(promise -> listen(settings.firstPort()).onComplete(promise));
  }

  /** Tries this port, and the next one after any IOException. Transports report a port in use by different ones. */
  private Future<Integer> listen(int port) {
    return host.listen(settings.host(), port, this::accept).map(opened -> {
      listening = opened;
      return opened.port();
    }).recover(failure -> failure instanceof IOException && port < settings.lastPort() ? listen(port + 1)
      : Future.failedFuture(failure instanceof RdmaException ? failure
        : new IllegalStateException("cannot listen for control connections on " + settings.host() + ", ports " + settings.firstPort()
          + '-' + settings.lastPort() + ": " + failure.getMessage() + ". Free a port, or set another range or address", failure)));
  }

  /** Returns the connection with another node, and opens it if there is none. @param peer epoch 0 accepts any epoch */
  public Future<ControlLink> link(NodeEntry peer) {
    return onLoop(promise -> table.link(peer, promise));
  }

  /** Connects to the node at an address. Completes with its id when it is connected, or being connected by another attempt. */
  public Future<String> meet(String address, int port) {
    return onLoop(promise -> table.meet(address, port, promise));
  }

  /** Returns whether a peer is silent. While nothing calls this, silent peers are pinged less often. */
  public boolean isSuspected(String nodeId) {
    if (!asked.get() && !asked.getAndSet(true) && !checksSoon) {
      host.run(() -> scheduleCheck(0));
    }
    return !suspectIds.isEmpty() && suspectIds.contains(nodeId);
  }

  public Future<List<ControlLink>> links() {
    return onLoop(promise -> promise.complete(table.open()));
  }

  public Future<Void> close() {
    return onLoop(this::close);
  }

  void frame(ControlLink link, byte type, Buffer payload) {
    if (!link.isOpen()) {
      return;
    }
    heartbeat.received(link, host.nanoTime());
    switch (type) {
      case ControlSocket.PING -> {
        // Replies to a peer that does not read would accumulate.
        if (!link.socket.isFull()) {
          link.socket.write(ControlSocket.PONG, Buffer.buffer());
        }
      }
      case ControlSocket.PONG -> {}
      case ControlSocket.MESSAGE -> message(link, payload);
      case ControlSocket.GOODBYE -> table.peerClosed(link, ControlSocket.text(payload));
      default -> refused(Reason.PROTOCOL,
        "Node " + link.nodeId() + " sent a control frame " + type + ", which this version does not know");
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
      refused(Reason.PROTOCOL,
        "A control message of kind " + payload.getByte(0) + " from node " + link.nodeId() + " is ignored: " + e.getMessage());
    } catch (RuntimeException e) {
      LOG.error("A control message of kind " + payload.getByte(0) + " from node " + link.nodeId() + " was not handled", e);
    }
  }

  void opened(ControlLink link) {
    suspectIds.remove(link.nodeId());
    scheduleCheck();
    listeners.forEach(listener -> listener.opened(link));
  }

  void died(PeerDeath death) {
    suspectIds.remove(death.nodeId());
    listeners.forEach(listener -> listener.died(death));
  }

  void suspected(ControlLink link, boolean suspected) {
    if (suspected) {
      suspectIds.add(link.nodeId());
    } else {
      suspectIds.remove(link.nodeId());
      scheduleCheck();
      table.resumed(link);
    }
  }

  private void scheduleCheck() {
    scheduleCheck(heartbeat.pingNanos(asked.get() || checksSoon));
  }

  private void scheduleCheck(long nanos) {
    if (!closed && (!nextCheck.isSet() || nextCheck.at() - host.nanoTime() > nanos)) {
      nextCheck.cancel();
      nextCheck = host.schedule(this::check, nanos, TimeUnit.NANOSECONDS);
    }
  }

  private void check() {
    List<ControlLink> open = table.open();
    // In this order, a concurrent isSuspected() is either counted here or schedules a check.
    checksSoon = false;
    checksSoon = asked.getAndSet(false);
    if (!open.isEmpty()) {
      long now = host.nanoTime();
      long next = heartbeat.tickNanos;
      try {
        next = heartbeat.check(open, now, now - nextCheck.at(), checksSoon);
      } finally {
        scheduleCheck(next);
      }
    }
  }

  private void accept(ControlPipe socket) {
    if (closed) {
      socket.close();
      return;
    }
    ControlAccept accept = new ControlAccept(host, secret, self, socket, table, this);
    limit(accept, settings.connectTimeoutMillis());
    ControlAccept oldest = unproven.add(accept, socket.remoteAddress() instanceof InetSocketAddress inet && inet.getAddress() != null
      ? Admission.source(inet.getAddress().getAddress()) : "unknown");
    if (oldest != null) {
      oldest.close("too many newer connections have not proved the cluster secret yet");
    }
  }

  private void limit(ControlAccept accept, long millis) {
    long due = host.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    handshakes.put(accept, host.schedule(() -> {
      long late = host.nanoTime() - due;
      if (late > heartbeat.tickNanos) {
        // Extends the limit after a pause of this process, so that frames that arrived meanwhile are read first.
        limit(accept, Math.min(TimeUnit.NANOSECONDS.toMillis(late), settings.connectTimeoutMillis()));
      } else {
        accept.close(null);
        String why = "A control connection from " + accept.socket.remote() + " was closed: its handshake took more than "
          + settings.connectTimeoutMillis() + " ms";
        slow.log(why);
        refusalHandler.accept(Reason.TIMEOUT, why);
      }
    }, millis, TimeUnit.MILLISECONDS));
  }

  void proven(ControlAccept accept) {
    unproven.remove(accept);
  }

  void finished(ControlAccept accept, String why) {
    unproven.remove(accept);
    Deadline timeout = handshakes.remove(accept);
    if (timeout != null) {
      timeout.cancel();
    }
    if (why != null && !closed) {
      refused(accept.reason, "A control connection from " + accept.socket.remote() + " was refused: " + why);
    }
  }

  /** Called when another process uses the id of a connected node. */
  void claimed(ControlLink holder, String claimant) {
    heartbeat.claimed(holder, host.nanoTime());
    String why = "Node " + holder.nodeId() + " is connected (" + holder.socket.remote() + "). Another process (" + claimant
      + ") claims the same node id, and gets no connection while that one is open. Give each node its own id "
      + "(DirectoryOptions.setNodeId)";
    claims.log(why);
    refusalHandler.accept(Reason.REJECTED, why);
  }

  private void refused(Reason reason, String why) {
    refusals.log(why);
    refusalHandler.accept(reason, why);
  }

  private void close(Promise<Void> promise) {
    if (closed) {
      promise.complete();
      return;
    }
    closed = true;
    nextCheck.cancel();
    List.copyOf(handshakes.keySet()).forEach(accept -> accept.close("this node was closed"));
    table.close().transform(done -> listening == null ? Future.<Void>succeededFuture() : listening.closer().get()).<Void>mapEmpty()
      .onComplete(promise);
  }

  private <T> Future<T> onLoop(Handler<Promise<T>> action) {
    return LoopCall.on(host, host.promise(), action);
  }
}
