package io.github.vertxrdma.impl.control;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.auth.ClusterSecret;
import io.netty.channel.ConnectTimeoutException;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * The control connections of a node: one per peer that it uses or that uses it. A connection that ends without a good-bye is made anew at
 * once: if nobody is there any more the peer is dead, which is said within milliseconds of its end; if the peer answers, a network device
 * had cut the connection and nothing is lost but the control messages under way. A peer that is silent is suspected, then dead.
 *
 * <p>Methods may be called from any thread. Handlers run on one event-loop context, which they must not block; set them before
 * {@link #listen}. The sockets are plain Vert.x TCP ones.
 */
public final class ControlLinks implements ControlAccept.Judge, Heartbeat.Judge {
  private static final Logger LOG = LoggerFactory.getLogger(ControlLinks.class);
  /** How long a lost peer has to answer before it counts as dead. */
  private static final long VERIFY_MILLIS = 1_500;
  private static final long RETRY_MILLIS = 50;
  /** Connections that have not proved anything yet. */
  private static final int MAX_UNPROVEN = 256;
  private static final int MAX_WRITTEN_OFF = 1024;

  private final Vertx vertx;
  private final ContextInternal context;
  private final ControlSettings settings;
  private final ClusterSecret secret;
  private final Supplier<NodeEntry> self;
  private final ControlTcp tcp;
  private final ControlServer server;
  private final Heartbeat heartbeat;
  private final Map<String, ControlLink> open = new HashMap<>();
  private final Map<String, Pending> pending = new HashMap<>();
  /** Peers declared dead that may yet come back, with the link they were lost on. */
  private final Map<String, Long> writtenOff = new LinkedHashMap<>();
  private final Set<ControlAccept> unproven = new HashSet<>();
  private final Map<Integer, BiConsumer<ControlLink, Buffer>> messageHandlers = new HashMap<>();
  private final List<ControlListener> listeners = new CopyOnWriteArrayList<>();
  private Handler<PeerDeath> deathHandler = death -> { };
  private BiConsumer<ControlLink, Boolean> suspectHandler = (link, suspected) -> { };
  private long timer = -1;
  private boolean closed;

  /** @param self this node as it is now; a rejoin changes its epoch */
  public ControlLinks(Vertx vertx, ControlSettings settings, ClusterSecret secret, Supplier<NodeEntry> self) {
    this.vertx = vertx;
    this.settings = settings;
    this.secret = secret;
    this.self = self;
    this.context = ((VertxInternal) vertx).createEventLoopContext();
    this.tcp = new ControlTcp((VertxInternal) vertx, context);
    this.server = new ControlServer(tcp, settings, this::accept);
    this.heartbeat = new Heartbeat(settings, this, System.nanoTime());
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
    return onContext(promise -> {
      timer = vertx.setPeriodic(settings.tickMillis(), id -> heartbeat.tick(open.values(), System.nanoTime()));
      server.listen().onComplete(promise);
    });
  }

  /**
   * The connection with that peer, made if there is none. Not for this node itself, whose death needs no report.
   *
   * @param peer as the directory has it; with epoch 0 any run of it
   */
  public Future<ControlLink> link(NodeEntry peer) {
    return onContext(promise -> link(peer, promise));
  }

  /**
   * Connects with whoever listens at a control address, to become acquainted.
   *
   * @return the id of the node there, once there is a connection with it or one is being made; this node's own without one
   */
  public Future<String> meet(String host, int port) {
    return onContext(promise -> meet(host, port, promise));
  }

  /** The peers that are connected, for reports. */
  public Future<List<ControlLink>> links() {
    return onContext(promise -> promise.complete(List.copyOf(open.values())));
  }

  /** Says good-bye to all and closes. Idempotent. */
  public Future<Void> close() {
    return onContext(this::close);
  }

  private void link(NodeEntry peer, Promise<ControlLink> promise) {
    ControlLink there = open.get(peer.nodeId());
    if (closed) {
      promise.fail(new IllegalStateException("the control connections of node " + self.get().nodeId() + " are closed"));
    } else if (there != null && there.isWith(peer)) {
      if (peer.epoch() != 0) {
        there.peer(peer);
      }
      promise.complete(there);
    } else if (peer.controlPort() == 0 || peer.nodeId().equals(self.get().nodeId())) {
      promise.fail(new IllegalArgumentException("node " + peer.nodeId() + (peer.controlPort() == 0 ? " has no control address"
        : " is this node itself")));
    } else {
      Pending attempt = pending.get(peer.nodeId());
      if (attempt == null) {
        attempt = new Pending(peer, null, deadline(settings.connectTimeoutMillis()));
        pending.put(peer.nodeId(), attempt);
        attempt.add(peer, promise);
        dial(attempt);
      } else {
        attempt.add(peer, promise);
      }
    }
  }

  private void meet(String host, int port, Promise<String> promise) {
    Meeting meeting = new Meeting();
    meeting.dial = new ControlDial(vertx, context, secret, self.get(), host, port, found -> {
      meeting.found = found;
      if (closed || found.nodeId().equals(self.get().nodeId()) || open.containsKey(found.nodeId()) || pending.containsKey(found.nodeId())) {
        return false;
      }
      // From here on it is an attempt like others, so that both ends agree on one connection.
      meeting.attempt = new Pending(found, null, deadline(settings.connectTimeoutMillis()));
      meeting.attempt.dial = meeting.dial;
      pending.put(found.nodeId(), meeting.attempt);
      return true;
    });
    meeting.dial.start(tcp, settings.connectTimeoutMillis(), settings.connectTimeoutMillis())
      .onComplete(done -> met(meeting, done, promise));
  }

  /** Getting acquainted: whoever was found, and the attempt if one was made of it. */
  private static final class Meeting {
    private ControlDial dial;
    private NodeEntry found;
    private Pending attempt;
  }

  private void met(Meeting meeting, AsyncResult<ControlLink> done, Promise<String> promise) {
    Pending attempt = meeting.attempt;
    if (attempt == null) {
      if (done.cause() instanceof ControlDial.DuplicateException) {
        promise.complete(meeting.found.nodeId());
      } else {
        promise.fail(done.cause());
      }
      return;
    }
    attempt.dial = null;
    if (done.succeeded()) {
      dialled(attempt, done.result());
      promise.complete(meeting.found.nodeId());
    } else if (pending.get(attempt.peer.nodeId()) == attempt) {
      Promise<ControlLink> link = Promise.promise();
      link.future().map(ControlLink::nodeId).onComplete(promise);
      attempt.add(attempt.peer, link);
      failed(attempt, done.cause());
    } else if (open.containsKey(attempt.peer.nodeId())) {
      promise.complete(attempt.peer.nodeId()); // the peer's own connection came first
    } else {
      promise.fail(done.cause());
    }
  }

  private void dial(Pending attempt) {
    if (pending.get(attempt.peer.nodeId()) != attempt) {
      return;
    }
    long left = TimeUnit.NANOSECONDS.toMillis(attempt.deadlineNanos - System.nanoTime());
    Long writtenOff = this.writtenOff.get(attempt.peer.nodeId());
    long replaces = attempt.lost != null ? attempt.lost.id() : writtenOff != null ? writtenOff : 0;
    ControlDial dial = new ControlDial(vertx, context, secret, self.get(), attempt.peer, replaces, writtenOff != null);
    attempt.dial = dial;
    dial.start(tcp, settings.connectTimeoutMillis(), left).onComplete(done -> {
      attempt.dial = null;
      if (done.succeeded()) {
        dialled(attempt, done.result());
      } else if (pending.get(attempt.peer.nodeId()) == attempt) {
        failed(attempt, done.cause());
      }
    });
  }

  private void dialled(Pending attempt, ControlLink link) {
    if (closed || pending.get(attempt.peer.nodeId()) != attempt) {
      link.socket().close(); // the peer's own connection came first
    } else {
      opened(link);
    }
  }

  private void failed(Pending attempt, Throwable cause) {
    // Refused means that nobody listens there; a time-out is a ConnectException too, and proves nothing.
    boolean gone = cause instanceof ControlDial.GoneException
      || cause instanceof ConnectException && !(cause instanceof ConnectTimeoutException);
    boolean retry = cause instanceof ControlDial.DuplicateException || attempt.lost != null && !gone;
    if (retry && System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(RETRY_MILLIS) < attempt.deadlineNanos) {
      vertx.setTimer(RETRY_MILLIS, id -> dial(attempt));
      return;
    }
    pending.remove(attempt.peer.nodeId());
    attempt.fail(cause);
    if (attempt.lost != null) {
      died(attempt.lost, false, gone, "its control connection ended and it cannot be reached any more (" + cause.getMessage() + ")");
    }
  }

  /** A link stands: it serves whoever waits for it. */
  private void opened(ControlLink link) {
    link.heardNanos(System.nanoTime());
    link.socket().handler(new ControlSocket.Handler() {
      @Override
      public void frame(byte type, Buffer payload) {
        received(link, type, payload);
      }

      @Override
      public void closed(Throwable cause) {
        lost(link, cause);
      }
    });
    open.put(link.nodeId(), link);
    link.anew(writtenOff.remove(link.nodeId()) != null);
    Pending attempt = pending.remove(link.nodeId());
    if (attempt != null) {
      fulfilled(attempt, link);
    }
    listeners.forEach(listener -> listener.opened(link));
  }

  private void fulfilled(Pending attempt, ControlLink link) {
    if (attempt.dial != null) {
      attempt.dial.abandon();
    }
    if (attempt.lost != null && !attempt.lost.isWith(link.peer())) {
      died(attempt.lost, false, true, "it has restarted");
    }
    attempt.complete(link);
  }

  private void received(ControlLink link, byte type, Buffer payload) {
    heartbeat.heard(link, System.nanoTime());
    switch (type) {
      case ControlSocket.PING -> link.socket().write(ControlSocket.PONG, Buffer.buffer());
      case ControlSocket.PONG -> { }
      case ControlSocket.MESSAGE -> {
        BiConsumer<ControlLink, Buffer> handler = messageHandlers.get((int) payload.getByte(0));
        if (handler != null) {
          handler.accept(link, payload.getBuffer(1, payload.length()));
        }
      }
      case ControlSocket.GOODBYE -> {
        open.remove(link.nodeId(), link);
        link.socket().close();
        died(link, true, true, payload.toString());
      }
      case ControlSocket.WRITTEN_OFF -> {
        if (!link.isAnew()) {
          tellWrittenOff(link);
        }
      }
      default -> LOG.warn("Node " + link.nodeId() + " sent a control frame " + type + ", which this version does not know");
    }
  }

  /** The socket closed; unless that was planned, it is seen whether the peer is still there. */
  private void lost(ControlLink link, Throwable cause) {
    if (!open.remove(link.nodeId(), link)) {
      return;
    }
    String why = "the control connection with node " + link.nodeId() + " ended" + (cause == null ? "" : ": " + cause.getMessage());
    link.closed(why);
    if (closed) {
      return;
    }
    if (link.peer().controlPort() == 0) {
      died(link, false, true, why);
      return;
    }
    Pending attempt = new Pending(link.peer().withEpoch(0), link, deadline(VERIFY_MILLIS));
    Pending before = pending.put(link.nodeId(), attempt);
    if (before != null) {
      attempt.takeOver(before);
    }
    dial(attempt);
  }

  private void died(ControlLink link, boolean orderly, boolean certain, String cause) {
    link.closed("node " + link.nodeId() + (orderly ? " left: " : " is dead: ") + cause);
    if (certain) {
      writtenOff.remove(link.nodeId());
    } else {
      writtenOff.put(link.nodeId(), link.id());
      if (writtenOff.size() > MAX_WRITTEN_OFF) {
        writtenOff.remove(writtenOff.keySet().iterator().next());
      }
    }
    if (!closed) {
      tell(link, orderly, certain, cause);
    }
  }

  /** The peer has torn down what it shared with this node, so this node has to do the same before they start anew. */
  private void tellWrittenOff(ControlLink link) {
    tell(link, false, false, "it had not heard of this node for too long and wrote it off; they start anew");
  }

  private void tell(ControlLink link, boolean orderly, boolean certain, String cause) {
    link.formerEpochs().forEach(epoch -> tell(new PeerDeath(link.nodeId(), epoch, orderly, certain, cause)));
    tell(new PeerDeath(link.nodeId(), link.epoch(), orderly, certain, cause));
  }

  private void tell(PeerDeath death) {
    deathHandler.handle(death);
    listeners.forEach(listener -> listener.died(death));
  }

  @Override
  public void suspected(ControlLink link, boolean suspected) {
    suspectHandler.accept(link, suspected);
  }

  @Override
  public void silent(ControlLink link, long millis) {
    open.remove(link.nodeId(), link);
    link.socket().close();
    died(link, false, false, "it has been silent for " + millis + " ms");
  }

  private void accept(ControlPipe socket) {
    if (closed || unproven.size() >= MAX_UNPROVEN) {
      socket.close();
      return;
    }
    ControlAccept accept = new ControlAccept(context, secret, socket, this);
    unproven.add(accept);
    vertx.setTimer(settings.connectTimeoutMillis(), id -> {
      if (unproven.contains(accept)) {
        accept.close();
      }
    });
  }

  @Override
  public NodeEntry self() {
    return self.get();
  }

  @Override
  public Byte refuse(Hello hello) {
    String nodeId = hello.self().nodeId();
    ControlLink there = open.get(nodeId);
    if (there != null && there.isWith(hello.self()) && there.id() != hello.replaces()) {
      return ControlSocket.DUPLICATE;
    }
    // Both connect to each other at once: the one of the smaller id counts.
    Pending attempt = pending.get(nodeId);
    boolean mineCounts = attempt != null && attempt.dial != null && self.get().nodeId().compareTo(nodeId) < 0;
    return closed || mineCounts ? ControlSocket.DUPLICATE : null;
  }

  @Override
  public void accepted(ControlLink link, Hello hello) {
    ControlLink there = open.remove(link.nodeId());
    Pending attempt = pending.get(link.nodeId());
    ControlLink lost = there != null ? there : attempt == null ? null : attempt.lost;
    if (there != null) {
      there.socket().close();
      if (there.isWith(link.peer())) {
        there.closed("node " + link.nodeId() + " has made a new control connection");
      } else {
        died(there, false, true, "it has restarted");
      }
    }
    boolean mineWrittenOff = writtenOff.containsKey(link.nodeId());
    opened(link);
    if (mineWrittenOff) {
      link.socket().write(ControlSocket.WRITTEN_OFF, Buffer.buffer());
    }
    if (hello.writtenOff() && lost != null && lost.id() == hello.replaces()) {
      tellWrittenOff(link);
    }
  }

  @Override
  public void finished(ControlAccept accept) {
    unproven.remove(accept);
  }

  private void close(Promise<Void> promise) {
    if (closed) {
      promise.complete();
      return;
    }
    closed = true;
    vertx.cancelTimer(timer);
    List<Future<?>> sent = new ArrayList<>();
    for (ControlLink link : List.copyOf(open.values())) {
      sent.add(link.socket().write(ControlSocket.GOODBYE, Buffer.buffer("it was closed")).onComplete(done -> link.socket().close()));
      link.closed("this node closed it");
    }
    open.clear();
    List.copyOf(unproven).forEach(ControlAccept::close);
    pending.values().forEach(attempt -> attempt.fail(new IllegalStateException("closed")));
    pending.clear();
    Future.join(sent).transform(done -> server.close()).<Void>mapEmpty().onComplete(promise);
  }

  private static long deadline(long millis) {
    return System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
  }

  private <T> Future<T> onContext(Handler<Promise<T>> action) {
    Promise<T> promise = ((VertxInternal) vertx).getOrCreateContext().promise();
    context.runOnContext(v -> action.handle(promise));
    return promise.future();
  }
}
