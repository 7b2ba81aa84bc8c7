package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.base.PeerText;
import io.github.vertxrdma.directory.FabricAddress;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.peers.ControlLink;
import io.github.vertxrdma.impl.peers.ControlLinks;
import io.github.vertxrdma.impl.peers.Questions;
import io.github.vertxrdma.provider.EndpointAddress;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Proves that a TCP connection ends at a service of the expected peer. Thread-safe. See docs/protocol.adoc. */
public final class PathProofs {
  /** Maximum number of announced TCP connections per peer. Further announcements are refused. */
  static final int MOST = 128;
  static final long HOLD_MILLIS = 2_000;
  static final long ARRIVAL_MILLIS = 5_000;
  /** Time in ms after a RELEASE request in which a late TCP connection is still recognized. */
  private static final long LATE_MILLIS = 500;
  private static final long OPEN_MILLIS = 2_000;
  private static final int ASK = 9;
  private static final int ANSWER = 10;
  private static final int MOST_NAME = 512;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Node node;
  private final Questions questions;
  private final EventLoop loop;
  /** Announced connections by id, oldest first. Guarded by this. */
  private final Map<Long, Announcement> announced = new LinkedHashMap<>();
  /** True while there are announcements. Each accept reads this first, to avoid the lock. */
  private volatile boolean hasAnnouncements;

  /**
   * @param port local port of the announced connection
   * @param service target of the connection
   * @param id id of the announcement; 0 in {@code ANNOUNCE}
   */
  public record Question(Kind kind, int port, String service, long id) {
    public enum Kind {
      ANNOUNCE, AWAIT, RELEASE
    }

    public static Question read(Buffer bytes) {
      Kind kind = bytes.length() == 0 || bytes.getByte(0) < 0 || bytes.getByte(0) >= Kind.values().length ? null
        : Kind.values()[bytes.getByte(0)];
      if (kind == Kind.ANNOUNCE && bytes.length() > 1 + Short.BYTES && bytes.length() <= 1 + Short.BYTES + MOST_NAME) {
        return new Question(kind, bytes.getUnsignedShort(1), PeerText.of(bytes.getString(1 + Short.BYTES, bytes.length())), 0);
      }
      if (kind == null || kind == Kind.ANNOUNCE || bytes.length() != 1 + Long.BYTES) {
        throw new IllegalArgumentException("invalid length of a request about a TCP connection: " + bytes.length() + " bytes");
      }
      return new Question(kind, 0, "", bytes.getLong(1));
    }

    public Buffer encode() {
      Buffer bytes = Buffer.buffer().appendByte((byte) kind.ordinal());
      return kind == Kind.ANNOUNCE ? bytes.appendUnsignedShort(port).appendString(service) : bytes.appendLong(id);
    }
  }

  /** Results of a RELEASE request, in the order of their wire numbers. */
  public enum Outcome {
    /** The connection did not arrive: another process may have accepted it. */
    ABSENT,
    DELIVERED,
    REPLACED,
    /** The application has a connection from the announced port, but the address is not known as the peer's. */
    UNKNOWN_SOURCE
  }

  @FunctionalInterface
  public interface Held {
    /** Passes the connection to the application if {@code delivered}, otherwise closes it. Called once, on any thread. */
    void release(boolean delivered);
  }

  private enum State {
    AWAITED, HELD, DELIVERED, REPLACED, RELEASED
  }

  private static final class Announcement {
    final String nodeId;
    /** Control connection with the announcing node; null if it is this node. */
    final ControlLink link;
    final Question question;
    final Promise<Buffer> arrival = Promise.promise();
    /** Reply to RELEASE requests. */
    final Promise<Buffer> outcome = Promise.promise();
    boolean awaited;
    boolean unknownSource;
    volatile State state = State.AWAITED;
    Held held;
    ScheduledFuture<?> expiry;

    Announcement(String nodeId, ControlLink link, Question question) {
      this.nodeId = nodeId;
      this.link = link;
      this.question = question;
    }

    void end(Outcome end) {
      outcome.tryComplete(Buffer.buffer().appendByte((byte) end.ordinal()));
    }
  }

  PathProofs(Node node, ControlLinks control) {
    this.node = node;
    this.questions = new Questions(node.vertx(), control, ASK, ANSWER)
      .answerer(1, (link, question) -> answer(link.nodeId(), link, Question.read(question)));
    this.loop = node.context.nettyEventLoop();
  }

  public Future<?> open(NodeEntry peer) {
    return peer.nodeId().equals(node.directory().nodeId()) ? Future.succeededFuture()
      : node.control.link(peer).timeout(OPEN_MILLIS, TimeUnit.MILLISECONDS);
  }

  public Future<Long> announce(NodeEntry peer, String service, int port, long millis) {
    return ask(peer, new Question(Question.Kind.ANNOUNCE, port, service, 0), millis).map(answer -> answer.getLong(0));
  }

  public Future<Void> arrival(NodeEntry peer, long id, long millis) {
    return ask(peer, new Question(Question.Kind.AWAIT, 0, "", id), millis).mapEmpty();
  }

  public Future<Outcome> release(NodeEntry peer, long id, long millis) {
    return ask(peer, new Question(Question.Kind.RELEASE, 0, "", id), millis).map(answer -> Outcome.values()[answer.getByte(0)]);
  }

  private Future<Buffer> ask(NodeEntry peer, Question question, long millis) {
    return peer.nodeId().equals(node.directory().nodeId()) ? answer(peer.nodeId(), null, question)
      : questions.ask(peer, question.encode(), millis);
  }

  private Future<Buffer> answer(String nodeId, ControlLink link, Question question) {
    return switch (question.kind) {
      case ANNOUNCE -> announced(new Announcement(nodeId, link, question));
      case AWAIT -> arrival(nodeId, question.id);
      case RELEASE -> released(nodeId, question.id);
    };
  }

  private Future<Buffer> announced(Announcement by) {
    long id;
    synchronized (this) {
      if (!hasRoom(by.nodeId)) {
        return refused("node " + node.directory().nodeId() + " already waits for " + MOST
          + " TCP connections that the asking node announced. Retry later");
      }
      do {
        id = RANDOM.nextLong();
      } while (announced.putIfAbsent(id, by) != null);
      hasAnnouncements = true;
      long key = id;
      by.expiry = loop.schedule(() -> expire(key, by), ARRIVAL_MILLIS, TimeUnit.MILLISECONDS);
    }
    return Future.succeededFuture(Buffer.buffer().appendLong(id));
  }

  /** Returns whether a peer may announce another connection. May remove a finished one. */
  private boolean hasRoom(String nodeId) {
    int count = 0;
    Announcement finished = null;
    for (Announcement each : announced.values()) {
      if (each.nodeId.equals(nodeId)) {
        count++;
        finished = finished == null && each.outcome.future().isComplete() ? each : finished;
      }
    }
    if (count >= MOST && finished != null) {
      announced.values().remove(finished);
      finished.expiry.cancel(false);
    }
    return count < MOST || finished != null;
  }

  private void expire(long id, Announcement of) {
    synchronized (this) {
      if (of.state == State.HELD) {
        of.expiry = loop.schedule(() -> expire(id, of), HOLD_MILLIS, TimeUnit.MILLISECONDS);
        return;
      }
      announced.remove(id, of);
      hasAnnouncements = !announced.isEmpty();
    }
    of.arrival.tryFail(new RdmaException(Reason.UNREACHABLE, "the TCP connection did not arrive within " + ARRIVAL_MILLIS + " ms"));
  }

  /**
   * Holds an announced connection until its release. @return false if the caller keeps it, because it is not announced or already released
   */
  public boolean hold(String service, SocketAddress from, Held connection) {
    if (!hasAnnouncements || !(from instanceof InetSocketAddress remote)) {
      return false;
    }
    Announcement found;
    synchronized (this) {
      found = find(service, remote);
      if (found == null) {
        return false;
      }
      if (found.state == State.RELEASED) {
        found.state = State.DELIVERED;
      } else {
        found.state = State.HELD;
        found.held = connection;
      }
    }
    if (found.held == null) {
      found.end(Outcome.DELIVERED);
      return false;
    }
    loop.schedule(() -> finish(found, State.DELIVERED), HOLD_MILLIS, TimeUnit.MILLISECONDS);
    found.arrival.tryComplete(Buffer.buffer());
    return true;
  }

  private Announcement find(String service, InetSocketAddress from) {
    Announcement released = null;
    for (Announcement each : announced.values()) {
      if (each.question.port != from.getPort() || each.state != State.AWAITED && each.state != State.RELEASED
        || !each.question.service.equals(service)) {
        continue;
      }
      if (!isFrom(each.link, withoutScope(from.getAddress()))) {
        each.unknownSource = true;
      } else if (each.state == State.AWAITED) {
        return each;
      } else {
        released = each;
      }
    }
    return released;
  }

  /** Returns whether an address belongs to a peer's host. */
  private static boolean isFrom(ControlLink link, InetAddress from) {
    if (link == null) {
      return isOwn(from);
    }
    InetAddress control = link.remoteAddress() instanceof InetSocketAddress inet ? withoutScope(inet.getAddress()) : null;
    return from.equals(control) || control != null && isOwn(control) && isOwn(from)
      || from.getHostAddress().equals(link.peer().controlHost())
      || link.peer().addresses().stream().map(FabricAddress::address)
        .anyMatch(address -> address.format().equals(EndpointAddress.INET) && address.toInet().getAddress().equals(from));
  }

  private static boolean isOwn(InetAddress address) {
    try {
      return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
    } catch (SocketException e) {
      return false;
    }
  }

  private static InetAddress withoutScope(InetAddress address) {
    try {
      return InetAddress.getByAddress(address.getAddress());
    } catch (UnknownHostException e) {
      return address;
    }
  }

  private Future<Buffer> arrival(String nodeId, long id) {
    synchronized (this) {
      Announcement of = announced.get(id);
      if (of == null || !of.nodeId.equals(nodeId) || of.awaited) {
        return refused("the TCP connection was not announced, or another request already waits for it");
      }
      of.awaited = true;
      return of.arrival.future();
    }
  }

  private Future<Buffer> released(String nodeId, long id) {
    Announcement of;
    synchronized (this) {
      of = announced.get(id);
      if (of == null || !of.nodeId.equals(nodeId)) {
        return refused("the TCP connection was not announced");
      }
      if (of.state == State.AWAITED) {
        of.state = State.RELEASED;
        // Waits, because the connection may be in the accept queue.
        loop.schedule(() -> absent(of), LATE_MILLIS, TimeUnit.MILLISECONDS);
      }
    }
    finish(of, State.DELIVERED);
    return of.outcome.future();
  }

  private void absent(Announcement of) {
    boolean unknownSource;
    synchronized (this) {
      unknownSource = of.unknownSource;
    }
    of.end(unknownSource ? Outcome.UNKNOWN_SOURCE : Outcome.ABSENT);
  }

  /**
   * Closes the announced TCP connection, which a fabric connection replaces.
   *
   * @return false to refuse the fabric connection: the announcement is unknown, or the application already has the TCP connection
   */
  public boolean replace(String nodeId, long id) {
    Announcement of;
    synchronized (this) {
      of = announced.get(id);
      if (of == null || !of.nodeId.equals(nodeId)) {
        return false;
      }
    }
    finish(of, State.REPLACED);
    return of.state == State.REPLACED;
  }

  private void finish(Announcement of, State end) {
    Held held;
    synchronized (this) {
      if (of.state != State.HELD) {
        return;
      }
      of.state = end;
      held = of.held;
    }
    try {
      held.release(end == State.DELIVERED);
    } finally {
      of.end(end == State.DELIVERED ? Outcome.DELIVERED : Outcome.REPLACED);
    }
  }

  private static <T> Future<T> refused(String why) {
    return Future.failedFuture(new RdmaException(Reason.UNREACHABLE, why));
  }

  void close() {
    questions.close();
  }
}
