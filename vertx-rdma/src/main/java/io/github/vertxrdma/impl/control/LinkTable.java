package io.github.vertxrdma.impl.control;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.base.Deadline;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.auth.ClusterSecret;
import io.github.vertxrdma.impl.loop.EventLoopHost;
import io.github.vertxrdma.provider.SystemError;
import io.netty.channel.ConnectTimeoutException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * Which peers are connected, being connected to, or written off, and what follows when a connection comes or goes: at most one per peer,
 * though both sides may make it at once. Confined to the control loop.
 */
final class LinkTable {
  /** Hears what becomes of links. */
  interface Events extends ControlListener {
    void frame(ControlLink link, byte type, Buffer payload);
  }

  /** Milliseconds before the first retry of an attempt. Each pause is twice as long as the one before. */
  private static final long RETRY_MILLIS = 50;
  private static final long LONGEST_RETRY_MILLIS = 1_000;
  /** Milliseconds that a peer has to take the good-bye. */
  private static final long GOODBYE_MILLIS = 1_000;
  private static final int MAX_WRITTEN_OFF = 1024;
  /** Words of Netty for an error of a native transport that is not ECONNREFUSED: 111, 61 on macOS. */
  private static final Pattern NOT_REFUSED = Pattern.compile("failed with error\\(-(?!(111|61)\\))");

  private final ControlHost host;
  private final ControlSettings settings;
  private final ClusterSecret secret;
  private final Supplier<NodeEntry> self;
  private final Events events;
  private final Map<String, ControlLink> open = new HashMap<>();
  private final Map<String, Pending> pending = new HashMap<>();
  /** Peers declared dead that may yet come back, with the link they were lost on. */
  private final Map<String, Long> writtenOff = new LinkedHashMap<>();
  private boolean closed;

  LinkTable(ControlHost host, ControlSettings settings, ClusterSecret secret, Supplier<NodeEntry> self, Events events) {
    this.host = host;
    this.settings = settings;
    this.secret = secret;
    this.self = self;
    this.events = events;
  }

  List<ControlLink> open() {
    return List.copyOf(open.values());
  }

  /** Whether there is, or will be, a link with that node without further doing; this node has one with itself in this sense. */
  boolean isTaken(NodeEntry node) {
    return closed || node.nodeId().equals(self.get().nodeId()) || open.containsKey(node.nodeId()) || pending.containsKey(node.nodeId());
  }

  /** @throws IllegalArgumentException if a node has the id of this one and is another */
  void checkId(NodeEntry node) {
    NodeEntry me = self.get();
    if (node.nodeId().equals(me.nodeId()) && node.epoch() != me.epoch() && !node.process().sameProcess(me.process())) {
      throw new IllegalArgumentException(sameId(me));
    }
  }

  /** Says why there is no connection with another node of this one's id. */
  static String sameId(NodeEntry self) {
    return "node " + self.nodeId() + " is this one; give each node an id of its own (DirectoryOptions.setNodeId)";
  }

  boolean isOpen(NodeEntry node) {
    return open.containsKey(node.nodeId());
  }

  boolean isCurrent(Pending attempt) {
    return pending.get(attempt.peer.nodeId()) == attempt;
  }

  /** An attempt that has begun already. */
  Pending begin(NodeEntry peer, ControlDial dial) {
    Pending attempt = new Pending(peer, null, deadline(settings.connectTimeoutMillis()));
    attempt.dial = dial;
    pending.put(peer.nodeId(), attempt);
    return attempt;
  }

  void link(NodeEntry peer, Promise<ControlLink> promise) {
    ControlLink there = open.get(peer.nodeId());
    if (closed) {
      promise.fail(new RdmaException(Reason.CLOSED, "the control connections of node " + self.get().nodeId() + " are closed"));
    } else if (there != null && there.isWith(peer)) {
      if (peer.epoch() != 0 && peer.epoch() != there.epoch()) {
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
        add(attempt, peer, promise);
      }
    }
  }

  /** Adds a caller to an attempt. One that looks for the death of a peer may last as long as that is stopped, and the caller waits less. */
  private void add(Pending attempt, NodeEntry peer, Promise<ControlLink> promise) {
    attempt.add(peer, promise);
    if (attempt.lost != null) {
      int millis = settings.connectTimeoutMillis();
      Deadline limit = host.schedule(() -> promise.tryFail(new RdmaException(Reason.UNREACHABLE, "node " + peer.nodeId()
        + " did not answer over the control connection within " + millis + " ms")), millis, TimeUnit.MILLISECONDS);
      promise.future().onComplete(done -> EventLoopHost.tryExecute(host::run, limit::cancel));
    }
  }

  private void dial(Pending attempt) {
    if (pending.get(attempt.peer.nodeId()) != attempt) {
      return;
    }
    long left = Math.max(1, TimeUnit.NANOSECONDS.toMillis(attempt.deadlineNanos - host.nanoTime()));
    ControlDial dial = new ControlDial(host, secret, attempt.peer, attempt.peer.controlHost(), attempt.peer.controlPort(),
      found -> awaitsSilent(attempt) ? null : join(attempt, attempt.peer));
    attempt.dial = dial;
    int connectMillis = settings.connectTimeoutMillis();
    (attempt.lost == null ? dial.start(connectMillis, left) : dial.start((int) Math.min(connectMillis, left))).onComplete(done -> {
      attempt.dial = null;
      if (done.succeeded()) {
        dialled(attempt, done.result());
      } else if (pending.get(attempt.peer.nodeId()) == attempt) {
        if (attempt.lost != null) {
          extend(attempt, dial, done.cause());
        }
        failed(attempt, done.cause());
      }
    });
  }

  /**
   * Returns whether the connection of a silent peer that has answered an attempt is to be given time: what the peer sends over it once it
   * goes on comes at the same moment.
   */
  private boolean awaitsSilent(Pending attempt) {
    if (attempt.lost == null || !attempt.lost.isOpen()) {
      return false;
    }
    if (attempt.answeredNanos == 0) {
      attempt.answeredNanos = host.nanoTime();
    }
    return host.nanoTime() - attempt.answeredNanos < TimeUnit.MILLISECONDS.toNanos(settings.suspectMillis());
  }

  /**
   * Puts off the death of a peer that showed a sign of life: its process answered, its kernel refused while the connection stands, or its
   * kernel held a connection. One that ended early is none, since a proxy accepts connections for processes that have ended.
   */
  private void extend(Pending attempt, ControlDial dial, Throwable cause) {
    long extension = cause instanceof ControlDial.DuplicateException || isRefused(cause) ? settings.deadMillis()
      : dial.stoodNanos() >= TimeUnit.MILLISECONDS.toNanos(settings.deadMillis()) ? settings.deadMillis() / 4 : 0;
    attempt.deadlineNanos = Math.max(attempt.deadlineNanos, deadline(extension));
  }

  /** Tells a node that is dialled what this one wants. @param wanted null for whoever is there */
  Join join(Pending attempt, NodeEntry wanted) {
    Long off = writtenOff.get(attempt.peer.nodeId());
    return Join.to(wanted, attempt.lost != null ? attempt.lost.id() : off != null ? off : 0, off != null, self.get());
  }

  /** Whether this node has declared that one dead, and torn down whatever they shared. */
  boolean hasWrittenOff(NodeEntry peer) {
    return writtenOff.containsKey(peer.nodeId());
  }

  void dialled(Pending attempt, ControlLink link) {
    if (closed || pending.get(attempt.peer.nodeId()) != attempt) {
      link.socket().close(); // the peer's own connection came first
    } else {
      made(link);
    }
  }

  void failed(Pending attempt, Throwable cause) {
    boolean stands = attempt.lost != null && attempt.lost.isOpen();
    boolean gone = cause instanceof ControlDial.GoneException || isRefused(cause) && !stands;
    boolean retry = cause instanceof ControlDial.DuplicateException || attempt.lost != null && !gone;
    long pause = attempt.lost == null ? RETRY_MILLIS : Math.min(LONGEST_RETRY_MILLIS, RETRY_MILLIS << Math.min(attempt.failures++, 10));
    if (retry && deadline(RETRY_MILLIS) < attempt.deadlineNanos) {
      host.schedule(() -> dial(attempt), Math.min(pause, left(attempt)), TimeUnit.MILLISECONDS);
      return;
    }
    pending.remove(attempt.peer.nodeId());
    attempt.fail(cause);
    if (attempt.lost != null) {
      String how = stands ? "it is silent" : "its control connection ended";
      drop(attempt.lost);
      died(attempt.lost, false, gone, gone ? "its process ended" : how + " and it cannot be reached any more (" + cause.getMessage() + ")");
    }
    attempt.handOn(this::link);
  }

  /** Tells whether nobody listens there. Time-outs, and the troubles of this host with a native transport, are ConnectExceptions too. */
  private static boolean isRefused(Throwable cause) {
    return cause instanceof ConnectException && !(cause instanceof ConnectTimeoutException)
      && SystemError.of(cause) != SystemError.ETIMEDOUT
      && !NOT_REFUSED.matcher(String.valueOf(cause.getMessage())).find();
  }

  /** Ends the link that a new one takes the place of. @return it; null if there was none */
  private ControlLink replace(ControlLink link) {
    ControlLink there = open.remove(link.nodeId());
    if (there != null) {
      there.socket().close();
      if (there.isWith(link.peer())) {
        there.closed("node " + link.nodeId() + " has made a new control connection");
      } else {
        died(there, false, true, "it has restarted");
      }
    }
    return there;
  }

  /** Takes a link that stands into use, for all that wait for it. @param replaced the link whose place it takes; null if there was none */
  private void opened(ControlLink link, ControlLink replaced) {
    link.heardNanos(host.nanoTime());
    link.socket().handler(new ControlSocket.Handler() {
      @Override
      public void frame(byte type, Buffer payload) {
        events.frame(link, type, payload);
      }

      @Override
      public void closed(Throwable cause) {
        lost(link, cause);
      }
    });
    open.put(link.nodeId(), link);
    writtenOff.remove(link.nodeId());
    Pending attempt = pending.remove(link.nodeId());
    if (attempt != null) {
      fulfilled(attempt, link, replaced);
    }
    events.opened(link);
  }

  private void fulfilled(Pending attempt, ControlLink link, ControlLink replaced) {
    attempt.abandon();
    if (attempt.lost != null && attempt.lost != replaced && !attempt.lost.isWith(link.peer())) {
      died(attempt.lost, false, true, "it has restarted");
    }
    attempt.complete(link);
    attempt.handOn(this::link);
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
      died(link, false, false, why);
      return;
    }
    Pending before = pending.get(link.nodeId());
    if (before == null || before.lost != link) {
      verify(link, deadline(settings.deadMillis()));
    }
  }

  /** Called again and again while the peer of an open link is silent: looks whether it can be reached. */
  void silent(ControlLink link) {
    if (!pending.containsKey(link.nodeId()) && link.peer().controlPort() != 0) {
      verify(link, link.heardNanos() + TimeUnit.MILLISECONDS.toNanos(settings.deadMillis()));
    }
  }

  /** Called when a silent peer was heard: its link goes on. */
  void heard(ControlLink link) {
    Pending attempt = pending.get(link.nodeId());
    if (attempt != null && attempt.lost == link) {
      pending.remove(link.nodeId());
      attempt.abandon();
      attempt.handOn(this::link);
    }
  }

  /** Dials a peer that may be dead, until it answers, its address refuses, or nothing has acknowledged anything by the deadline. */
  private void verify(ControlLink link, long deadlineNanos) {
    Pending attempt = new Pending(link.peer().withEpoch(0), link, deadlineNanos);
    Pending before = pending.put(link.nodeId(), attempt);
    if (before != null) {
      before.handOn((peer, promise) -> add(attempt, peer, promise));
      before.abandon();
    }
    dial(attempt);
  }

  /** The peer said good-bye. */
  void left(ControlLink link, String cause) {
    drop(link);
    died(link, true, true, cause);
  }

  private void drop(ControlLink link) {
    open.remove(link.nodeId(), link);
    link.socket().close();
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
      tell(link, orderly, certain, false, cause);
    }
  }

  /** The peer has torn down what it shared with this node, so this node has to do the same before the link is used. */
  private void writtenOffBy(ControlLink link) {
    tell(link, false, false, true, "it took this node for dead, where nothing acknowledged for too long (deadTimeout); both start anew");
    link.formerEpochs().clear();
  }

  private void tell(ControlLink link, boolean orderly, boolean certain, boolean writtenOff, String cause) {
    link.formerEpochs().forEach(epoch -> events.died(new PeerDeath(link.nodeId(), epoch, orderly, certain, writtenOff, cause)));
    events.died(new PeerDeath(link.nodeId(), link.epoch(), orderly, certain, writtenOff, cause));
  }

  /**
   * The answer to a peer that has proved the secret: null to take the link, or {@link ControlSocket#DUPLICATE}, after which it tries again.
   *
   * @param askedNanos when it was asked what it answers with the join: it lived then
   */
  Byte refuse(Join join, long askedNanos) {
    String nodeId = join.self().nodeId();
    ControlLink there = open.get(nodeId);
    if (there != null && there.isWith(join.self()) && there.id() != join.replaces()) {
      return ControlSocket.DUPLICATE;
    }
    Pending attempt = pending.get(nodeId);
    ControlLink before = there != null || attempt == null ? there : attempt.lost;
    // Of two runs the one that was asked before the other's link stood may be the earlier one, killed while its join was on its way.
    boolean late = before != null && !before.isWith(join.self()) && before.madeNanos() - askedNanos >= 0;
    // Both connect to each other at once: the one of the smaller id counts.
    boolean mineCounts = attempt != null && attempt.dial != null && self.get().nodeId().compareTo(nodeId) < 0;
    return closed || late || mineCounts ? ControlSocket.DUPLICATE : null;
  }

  /** Takes a link that both ends agree on, in place of the one that stood or was lost. */
  void made(ControlLink link) {
    ControlLink there = replace(link);
    Pending attempt = pending.get(link.nodeId());
    ControlLink before = there != null ? there : attempt == null ? null : attempt.lost;
    if (before != null && before.isWith(link.peer())) {
      link.follows(before);
      if (link.isAnew()) {
        writtenOffBy(link);
      }
    }
    opened(link, there);
  }

  /** Says good-bye to all; attempts fail. */
  Future<Void> close() {
    closed = true;
    List<Future<?>> sent = new ArrayList<>();
    List<ControlLink> links = open();
    for (ControlLink link : links) {
      sent.add(link.socket().write(ControlSocket.GOODBYE, Buffer.buffer("it was closed")).onComplete(done -> link.socket().close()));
      link.closed("this node closed it");
    }
    open.clear();
    List<Pending> attempts = List.copyOf(pending.values());
    pending.clear();
    attempts.forEach(attempt -> {
      attempt.handOn(this::link);
      attempt.abandon();
    });
    // Closing a socket fails what it has not sent.
    Deadline limit = host.schedule(() -> links.forEach(link -> link.socket().close()), GOODBYE_MILLIS, TimeUnit.MILLISECONDS);
    return Future.join(sent).<Void>mapEmpty().onComplete(done -> limit.cancel());
  }

  private long left(Pending attempt) {
    return Math.max(1, TimeUnit.NANOSECONDS.toMillis(attempt.deadlineNanos - host.nanoTime()) - 1);
  }

  private long deadline(long millis) {
    return host.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
  }
}
