package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.base.Attempts;
import io.github.vertxrdma.base.Deadline;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.poll.JdkFailures;
import io.github.vertxrdma.provider.SystemError;
import io.netty.channel.ConnectTimeoutException;
import io.vertx.core.AsyncResult;
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
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** Control links and connect attempts by peer. A peer has at most one link, even if both sides connect. */
final class LinkTable {
  private static final long RETRY_MILLIS = 50;
  /** Pauses between dials. Not random: if both sides dial, only one side's attempt is used. */
  private static final Attempts.Limits RETRIES = Attempts.Limits.endless(RETRY_MILLIS, 1_000, () -> 0.5);
  private static final long GOODBYE_MILLIS = 1_000;
  private static final int MAX_WRITTEN_OFF = 1024;
  /** Matches errors of native transports other than ECONNREFUSED, which is 111 on Linux and 61 on macOS. */
  private static final Pattern NOT_REFUSED = Pattern.compile("failed with error\\(-(?!(111|61)\\))");

  private final ControlHost host;
  private final ControlSettings settings;
  private final ClusterSecret secret;
  private final Supplier<NodeEntry> self;
  private final ControlLinks control;
  private final Map<String, ControlLink> open = new HashMap<>();
  private final Map<String, ControlAttempt> attempts = new HashMap<>();
  /** Ids of lost links, by id of a peer that was declared dead but may return. */
  private final Map<String, Long> writtenOff = new LinkedHashMap<>();
  private boolean closed;

  LinkTable(ControlHost host, ControlSettings settings, ClusterSecret secret, Supplier<NodeEntry> self, ControlLinks control) {
    this.host = host;
    this.settings = settings;
    this.secret = secret;
    this.self = self;
    this.control = control;
  }

  List<ControlLink> open() {
    return List.copyOf(open.values());
  }

  static String sameIdMessage(NodeEntry self) {
    return "node " + self.nodeId() + " is this node itself, or has the same id. Give each node its own id (DirectoryOptions.setNodeId)";
  }

  private ControlAttempt begin(NodeEntry peer) {
    ControlAttempt attempt = new ControlAttempt(peer, null, deadline(settings.connectTimeoutMillis()));
    attempts.put(peer.nodeId(), attempt);
    return attempt;
  }

  void meet(String address, int port, Promise<String> promise) {
    new Probe(promise, address, port).start();
  }

  void link(NodeEntry peer, Promise<ControlLink> promise) {
    ControlLink current = open.get(peer.nodeId());
    if (closed) {
      promise.fail(new RdmaException(Reason.CLOSED, "the control connections of node " + self.get().nodeId() + " are closed"));
    } else if (current != null && current.isWith(peer)) {
      if (peer.epoch() != 0 && peer.epoch() != current.epoch()) {
        current.peer(peer);
      }
      promise.complete(current);
    } else if (peer.controlPort() == 0 || peer.nodeId().equals(self.get().nodeId())) {
      promise.fail(new IllegalArgumentException("node " + peer.nodeId() + (peer.controlPort() == 0 ? " has no control address"
        : " is this node itself")));
    } else {
      ControlAttempt attempt = attempts.get(peer.nodeId());
      if (attempt == null) {
        attempt = begin(peer);
        attempt.add(peer, promise);
        dial(attempt);
      } else {
        add(attempt, peer, promise);
      }
    }
  }

  /** Adds a caller, with a time limit if the attempt replaces a lost link. */
  private void add(ControlAttempt attempt, NodeEntry peer, Promise<ControlLink> promise) {
    attempt.add(peer, promise);
    if (attempt.lost != null) {
      int millis = settings.connectTimeoutMillis();
      Deadline limit = host.schedule(() -> promise.tryFail(new RdmaException(Reason.UNREACHABLE, "node " + peer.nodeId()
        + " did not answer over the control connection within " + millis + " ms")), millis, TimeUnit.MILLISECONDS);
      promise.future().onComplete(done -> host.run(limit::cancel));
    }
  }

  private boolean isCurrent(ControlAttempt attempt) {
    return attempts.get(attempt.peer.nodeId()) == attempt;
  }

  private void dial(ControlAttempt attempt) {
    if (!isCurrent(attempt)) {
      return;
    }
    long left = remainingMillis(attempt);
    ControlDial dial = new ControlDial(host, secret, attempt.peer, attempt.peer.controlHost(), attempt.peer.controlPort(),
      found -> awaitsSilent(attempt) || isClaimed(attempt.peer, found) ? null : join(attempt, attempt.peer));
    attempt.dial = dial;
    int connectMillis = settings.connectTimeoutMillis();
    (attempt.lost == null ? dial.start(connectMillis, left) : dial.start((int) Math.min(connectMillis, left))).onComplete(done -> {
      attempt.dial = null;
      if (done.succeeded()) {
        connected(attempt, done.result());
      } else if (isCurrent(attempt)) {
        if (attempt.lost != null) {
          extend(attempt, dial, done.cause());
        }
        failed(attempt, done.cause());
      }
    });
  }

  /**
   * Returns whether the node at an address uses the id of another, connected process. A connection ends with its process or host, or when
   * the peer can no longer be reached. A node at the address of that process has replaced it.
   */
  private boolean isClaimed(NodeEntry at, NodeEntry found) {
    ControlLink holder = open.get(found.nodeId());
    boolean isClaimed = holder != null && !holder.isWith(found) && !holder.listensAt(at.controlHost(), at.controlPort());
    if (isClaimed) {
      control.claimed(holder, at.controlHost() + ':' + at.controlPort());
    }
    return isClaimed;
  }

  /** Returns whether a silent peer that answered gets more time, because frames on its open link may be arriving. */
  private boolean awaitsSilent(ControlAttempt attempt) {
    if (attempt.lost == null || !attempt.lost.isOpen()) {
      return false;
    }
    if (attempt.answeredNanos == 0) {
      attempt.answeredNanos = host.nanoTime();
    }
    return host.nanoTime() - attempt.answeredNanos < TimeUnit.MILLISECONDS.toNanos(settings.suspectMillis());
  }

  /** Extends the deadline if the peer may live. A connection that ends early proves nothing: proxies accept for dead processes. */
  private void extend(ControlAttempt attempt, ControlDial dial, Throwable cause) {
    long extension = cause instanceof ControlDial.DuplicateException || isRefused(cause) ? settings.deadMillis()
      : dial.nanosSinceConnected() >= TimeUnit.MILLISECONDS.toNanos(settings.deadMillis()) ? settings.deadMillis() / 4 : 0;
    long extended = deadline(extension);
    if (extended - attempt.deadlineNanos > 0) {
      attempt.deadlineNanos = extended;
    }
  }

  private Join join(ControlAttempt attempt, NodeEntry wanted) {
    Long off = writtenOff.get(attempt.peer.nodeId());
    return Join.to(wanted, attempt.lost != null ? attempt.lost.id : off != null ? off : 0, off != null, self.get());
  }

  boolean hasWrittenOff(NodeEntry peer) {
    return writtenOff.containsKey(peer.nodeId());
  }

  private void connected(ControlAttempt attempt, ControlLink link) {
    if (closed || !isCurrent(attempt)) {
      link.socket.close(); // the connection that the peer opened came first
    } else {
      established(link);
    }
  }

  private void failed(ControlAttempt attempt, Throwable cause) {
    boolean isOpen = attempt.lost != null && attempt.lost.isOpen();
    boolean ended = cause instanceof ControlDial.ReplacedException || isRefused(cause) && !isOpen;
    if (cause instanceof ControlDial.DuplicateException) {
      attempt.duplicate = cause;
    }
    boolean retry = cause instanceof ControlDial.DuplicateException || attempt.lost != null && !ended;
    if (retry && deadline(RETRY_MILLIS) - attempt.deadlineNanos < 0) {
      host.schedule(() -> dial(attempt), Math.min(attempt.retries.pauseMillis(), remainingMillis(attempt) - 1), TimeUnit.MILLISECONDS);
      return;
    }
    attempts.remove(attempt.peer.nodeId());
    attempt.fail(plain(attempt.duplicate != null && ControlDial.isNoAnswer(cause) ? attempt.duplicate : cause));
    if (attempt.lost != null) {
      String how = isOpen ? "it is silent" : "its control connection ended";
      drop(attempt.lost);
      died(attempt.lost, false, ended, ended ? "its process ended"
        : how + " and it can no longer be reached (" + plain(cause).getMessage() + ")");
    }
    attempt.requeue(this::link);
  }

  private static Throwable plain(Throwable cause) {
    String words = JdkFailures.words(cause);
    return cause instanceof ConnectException && !words.equals(String.valueOf(cause.getMessage()))
      ? new ConnectException(words).initCause(cause) : cause;
  }

  /** Returns whether the address refused. Native transports throw ConnectException for timeouts and local errors too. */
  private static boolean isRefused(Throwable cause) {
    return cause instanceof ConnectException && !(cause instanceof ConnectTimeoutException)
      && SystemError.of(cause) != SystemError.ETIMEDOUT && !NOT_REFUSED.matcher(String.valueOf(cause.getMessage())).find();
  }

  private ControlLink replace(ControlLink link) {
    ControlLink current = open.remove(link.nodeId());
    if (current != null) {
      current.socket.close();
      if (current.isWith(link.peer())) {
        current.closed("node " + link.nodeId() + " has opened a new control connection");
      } else {
        died(current, false, true, "it has restarted");
      }
    }
    return current;
  }

  private void fulfilled(ControlAttempt attempt, ControlLink link, ControlLink replaced) {
    attempt.cancel();
    if (attempt.lost != null && attempt.lost != replaced && !attempt.lost.isWith(link.peer())) {
      died(attempt.lost, false, true, "it has restarted");
    }
    attempt.complete(link);
    attempt.requeue(this::link);
  }

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
    ControlAttempt attempt = attempts.get(link.nodeId());
    if (attempt == null || attempt.lost != link) {
      verify(link, deadline(settings.deadMillis()));
    }
  }

  void silent(ControlLink link) {
    ControlAttempt attempt = attempts.get(link.nodeId());
    // An attempt at another process, which claims the id, proves nothing about the silent one.
    if ((attempt == null || attempt.lost == null) && link.peer().controlPort() != 0) {
      verify(link, link.receivedNanos + TimeUnit.MILLISECONDS.toNanos(settings.deadMillis()));
    }
  }

  void resumed(ControlLink link) {
    ControlAttempt attempt = attempts.get(link.nodeId());
    if (attempt != null && attempt.lost == link) {
      attempts.remove(link.nodeId());
      attempt.cancel();
      attempt.requeue(this::link);
    }
  }

  /** Dials a peer until it answers, its address refuses, or the deadline passes. */
  private void verify(ControlLink link, long deadlineNanos) {
    ControlAttempt attempt = new ControlAttempt(link.peer().withEpoch(0), link, deadlineNanos);
    ControlAttempt before = attempts.put(link.nodeId(), attempt);
    if (before != null) {
      before.requeue((peer, promise) -> add(attempt, peer, promise));
      before.cancel();
    }
    dial(attempt);
  }

  void peerClosed(ControlLink link, String cause) {
    drop(link);
    died(link, true, true, cause);
  }

  private void drop(ControlLink link) {
    open.remove(link.nodeId(), link);
    link.socket.close();
  }

  private void died(ControlLink link, boolean orderly, boolean certain, String cause) {
    link.closed("node " + link.nodeId() + (orderly ? " left: " : " is dead: ") + cause);
    if (certain) {
      writtenOff.remove(link.nodeId());
    } else {
      writtenOff.put(link.nodeId(), link.id);
      if (writtenOff.size() > MAX_WRITTEN_OFF) {
        writtenOff.remove(writtenOff.keySet().iterator().next());
      }
    }
    if (!closed) {
      report(link, orderly, certain, false, cause);
    }
  }

  private void reportWrittenOff(ControlLink link) {
    report(link, false, false, true, "it declared this node dead, after this node had not acknowledged anything for its "
      + "deadTimeout. Both nodes now connect again");
    link.formerEpochs.clear();
  }

  private void report(ControlLink link, boolean orderly, boolean certain, boolean writtenOff, String cause) {
    link.formerEpochs.forEach(epoch -> control.died(new PeerDeath(link.nodeId(), epoch, orderly, certain, writtenOff, cause)));
    control.died(new PeerDeath(link.nodeId(), link.epoch(), orderly, certain, writtenOff, cause));
  }

  /**
   * Returns null to accept a peer, or DUPLICATE to make it try again. Only a peer that knows the random id of its open connection replaces
   * it.
   *
   * @param identityNanos time at which this node sent IDENTITY
   * @param address of the peer, for messages
   */
  Byte refusal(Join join, long identityNanos, String address) {
    String nodeId = join.self().nodeId();
    ControlLink current = open.get(nodeId);
    if (current != null && !closed && !current.isWith(join.self())) {
      control.claimed(current, address);
    }
    if (current != null && (!current.isWith(join.self()) || current.id != join.replaces())) {
      return ControlSocket.DUPLICATE;
    }
    ControlAttempt attempt = attempts.get(nodeId);
    ControlLink before = attempt == null ? null : attempt.lost;
    // The join may come from an earlier process of the peer, which was killed.
    boolean late = before != null && !before.isWith(join.self()) && before.establishedNanos - identityNanos >= 0;
    // If both sides connect, the attempt of the smaller node id is used.
    boolean ownAttemptCounts = attempt != null && attempt.dial != null && self.get().nodeId().compareTo(nodeId) < 0;
    return closed || late || ownAttemptCounts ? ControlSocket.DUPLICATE : null;
  }

  void established(ControlLink link) {
    ControlLink current = replace(link);
    ControlAttempt attempt = attempts.get(link.nodeId());
    ControlLink before = current != null ? current : attempt == null ? null : attempt.lost;
    if (before != null && before.isWith(link.peer())) {
      link.addEpochs(before);
      if (link.writtenOff) {
        reportWrittenOff(link);
      }
    }
    link.receivedNanos = host.nanoTime();
    link.socket.handlers((type, payload) -> control.frame(link, type, payload), cause -> lost(link, cause));
    open.put(link.nodeId(), link);
    writtenOff.remove(link.nodeId());
    ControlAttempt ended = attempts.remove(link.nodeId());
    if (ended != null) {
      fulfilled(ended, link, current);
    }
    control.opened(link);
  }

  Future<Void> close() {
    closed = true;
    List<Future<?>> sent = new ArrayList<>();
    List<ControlLink> links = open();
    for (ControlLink link : links) {
      sent.add(link.socket.write(ControlSocket.GOODBYE, Buffer.buffer("it was closed")).onComplete(done -> link.socket.close()));
      link.closed("this node closed the connection");
    }
    open.clear();
    List<ControlAttempt> cancelled = List.copyOf(attempts.values());
    attempts.clear();
    cancelled.forEach(attempt -> {
      attempt.requeue(this::link);
      attempt.cancel();
    });
    // Closing a socket fails its unsent frames, so that this future completes.
    Deadline limit = host.schedule(() -> links.forEach(link -> link.socket.close()), GOODBYE_MILLIS, TimeUnit.MILLISECONDS);
    return Future.join(sent).<Void>mapEmpty().onComplete(done -> limit.cancel());
  }

  private long remainingMillis(ControlAttempt attempt) {
    return Math.max(1, TimeUnit.NANOSECONDS.toMillis(attempt.deadlineNanos - host.nanoTime()));
  }

  private long deadline(long millis) {
    return host.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
  }

  /** Attempt to connect to a peer, with the callers that wait for the connection. */
  private static final class ControlAttempt {
    final NodeEntry peer;
    /** Link that was lost or is silent; null if the attempt replaces none. */
    final ControlLink lost;
    /** Time at which the attempt fails, and the peer of a lost link is declared dead. */
    long deadlineNanos;
    /** Time at which the peer's process first answered; 0 before. */
    long answeredNanos;
    final Attempts retries = new Attempts(RETRIES);
    private final List<Waiting> waiting = new ArrayList<>();
    ControlDial dial;
    /** The last answer of the peer that it has another connection. Retries continue until no time is left for an answer. */
    Throwable duplicate;

    private record Waiting(NodeEntry wanted, Promise<ControlLink> promise) {
    }

    ControlAttempt(NodeEntry peer, ControlLink lost, long deadlineNanos) {
      this.peer = peer;
      this.lost = lost;
      this.deadlineNanos = deadlineNanos;
    }

    void add(NodeEntry wanted, Promise<ControlLink> promise) {
      waiting.add(new Waiting(wanted, promise));
    }

    void cancel() {
      if (dial != null) {
        dial.cancel();
      }
    }

    void complete(ControlLink link) {
      take(one -> link.isWith(one.wanted)).forEach(one -> one.promise.tryComplete(link));
    }

    /** Fails the callers that want this address, and after a ReplacedException only those that want this epoch. */
    void fail(Throwable cause) {
      boolean ofRun = cause instanceof ControlDial.ReplacedException;
      take(one -> one.wanted.controlHost().equals(peer.controlHost()) && one.wanted.controlPort() == peer.controlPort()
        && (one.wanted.epoch() == peer.epoch() || !ofRun)).forEach(one -> one.promise.tryFail(cause));
    }

    void requeue(BiConsumer<NodeEntry, Promise<ControlLink>> next) {
      take(one -> true).stream().filter(one -> !one.promise.future().isComplete()).forEach(one -> next.accept(one.wanted, one.promise));
    }

    /** Removes the callers before they are notified, because their handlers may add others. */
    private List<Waiting> take(Predicate<Waiting> which) {
      List<Waiting> taken = waiting.stream().filter(which).toList();
      waiting.removeAll(taken);
      return taken;
    }
  }

  /** Connects to an address whose node is unknown. Begins an attempt when it knows the node's id. */
  private final class Probe {
    private final Promise<String> promise;
    private final ControlDial dial;
    private NodeEntry found;
    private ControlAttempt attempt;

    Probe(Promise<String> promise, String address, int port) {
      this.promise = promise;
      this.dial = new ControlDial(host, secret, null, address, port, this::join);
    }

    void start() {
      dial.start(settings.connectTimeoutMillis(), settings.connectTimeoutMillis()).onComplete(this::done);
    }

    /** Returns null if no connection is needed. @throws IllegalArgumentException if another process has the id of this node */
    private Join join(NodeEntry node) {
      NodeEntry me = self.get();
      boolean isOwnId = node.nodeId().equals(me.nodeId());
      if (isOwnId && node.epoch() != me.epoch() && !node.process().sameProcess(me.process())) {
        throw new IllegalArgumentException(sameIdMessage(me));
      }
      found = node;
      if (closed || isOwnId || open.containsKey(node.nodeId()) || attempts.containsKey(node.nodeId())) {
        return null;
      }
      attempt = begin(node);
      attempt.dial = dial;
      return LinkTable.this.join(attempt, null);
    }

    private void done(AsyncResult<ControlLink> done) {
      boolean isConnected = done.cause() instanceof ControlDial.DuplicateException;
      if (attempt != null) {
        attempt.dial = null;
        if (done.succeeded()) {
          connected(attempt, done.result());
        } else if (isCurrent(attempt)) {
          Promise<ControlLink> link = Promise.promise();
          link.future().map(ControlLink::nodeId).onComplete(promise);
          attempt.add(attempt.peer, link);
          failed(attempt, done.cause());
          return;
        }
        // The attempt may have ended because the peer's own connection was opened first.
        isConnected = done.succeeded() || open.containsKey(found.nodeId());
      }
      if (isConnected) {
        promise.complete(found.nodeId());
      } else {
        promise.fail(done.cause());
      }
    }
  }
}
