package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.FabricAddress;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.control.ControlLink;
import io.github.vertxrdma.impl.control.ControlLinks;
import io.github.vertxrdma.impl.control.Numbered;
import io.github.vertxrdma.impl.control.Questions;
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

/**
 * Proves that a TCP connection leads to a service of a peer. The connecting side announces the port that it connects from. The accepting
 * side holds the connection from that port back, unread, and confirms it. A fabric connection that names the announcement replaces it.
 * Thread-safe.
 *
 * <pre>
 * ask     number 4, 0, port 2, name of the service in UTF-8: a TCP connection from that port follows
 * answer  number 4, 0, id of the announcement 8
 * ask     number 4, 1, id 8: is the connection held back?
 * answer  number 4, 0: it is. Sent when it has arrived
 * ask     number 4, 2, id 8: the connection is the application's
 * answer  number 4, 0, {@link Outcome} 1
 * any     number 4, 1, the reason of a refusal in UTF-8
 * </pre>
 */
public final class PathProofs {
  /** Announcements of one peer that are remembered; with so many unfinished ones another is refused. */
  static final int MOST = 128;
  /** Time for which a connection is held back. */
  static final long HOLD_MILLIS = 2_000;
  /** Time in which an announced connection has to arrive. */
  static final long ARRIVAL_MILLIS = 5_000;
  /** Time in which a connection that was released before it arrived is still recognized. */
  private static final long LATE_MILLIS = 500;
  private static final long OPEN_MILLIS = 2_000;
  private static final int ASK = 9;
  private static final int ANSWER = 10;
  /** Bytes of the name of a service. */
  private static final int MOST_NAME = 512;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Node node;
  private final Questions questions;
  private final EventLoop loop;
  /** By id, oldest first. Guarded by this. */
  private final Map<Long, Announced> announced = new LinkedHashMap<>();
  /** Whether there are announcements, so that servers without any accept as stock ones do. */
  private volatile boolean any;

  /**
   * A question to the accepting side.
   *
   * @param kind what is asked
   * @param port the local port of the TCP connection that is announced, otherwise 0
   * @param service the service that it is to, otherwise empty
   * @param id the announcement of other questions, otherwise 0
   */
  public record Question(Kind kind, int port, String service, long id) {
    /** Kinds, in the order of their numbers. */
    public enum Kind {
      ANNOUNCE, AWAIT, RELEASE
    }

    /** @throws IllegalArgumentException if it is none */
    public static Question read(Buffer bytes) {
      Kind kind = bytes.length() == 0 || bytes.getByte(0) < 0 || bytes.getByte(0) >= Kind.values().length ? null
        : Kind.values()[bytes.getByte(0)];
      if (kind == Kind.ANNOUNCE && bytes.length() > 1 + Short.BYTES && bytes.length() <= 1 + Short.BYTES + MOST_NAME) {
        return new Question(kind, bytes.getUnsignedShort(1), bytes.getString(1 + Short.BYTES, bytes.length()), 0);
      }
      if (kind == null || kind == Kind.ANNOUNCE || bytes.length() != 1 + Long.BYTES) {
        throw new IllegalArgumentException("a question of " + bytes.length() + " bytes about a TCP connection");
      }
      return new Question(kind, 0, "", bytes.getLong(1));
    }

    public Buffer encode() {
      Buffer bytes = Buffer.buffer().appendByte((byte) kind.ordinal());
      return kind == Kind.ANNOUNCE ? bytes.appendUnsignedShort(port).appendString(service) : bytes.appendLong(id);
    }
  }

  /** States of a connection when its client takes it for the application. */
  public enum Outcome {
    /** It has not arrived here: another process accepted it, or nobody yet. */
    ABSENT,
    /** The application has it. */
    DELIVERED,
    /** A fabric connection has replaced it, and it was closed. */
    REPLACED,
    /** The application has a connection from that port and an address that is not known as one of the client's host. */
    UNKNOWN_SOURCE
  }

  /** A TCP connection that is held back. */
  @FunctionalInterface
  public interface Held {
    /** Gives the connection to the application, or closes it if a fabric connection has replaced it. Called once, on any thread. */
    void release(boolean delivered);
  }

  private enum State {
    AWAITED, HELD, DELIVERED, REPLACED, RELEASED
  }

  /** An announcement by a peer. Guarded by the outer object. */
  private static final class Announced {
    final String nodeId;
    /** Connection over which it came; null for this node's own. */
    final ControlLink link;
    final String service;
    final int port;
    final Promise<Buffer> arrival = Promise.promise();
    /** Answer to a release that came before the connection. */
    final Promise<Buffer> late = Promise.promise();
    boolean asked;
    /** Whether a connection came from the port and an unknown address. */
    boolean unknownSource;
    volatile State state = State.AWAITED;
    Held held;
    ScheduledFuture<?> expiry;

    Announced(String nodeId, ControlLink link, String service, int port) {
      this.nodeId = nodeId;
      this.link = link;
      this.service = service;
      this.port = port;
    }

    boolean isFinished() {
      return state == State.DELIVERED || state == State.REPLACED || state == State.RELEASED && late.future().isComplete();
    }
  }

  /** Before the control connections listen. */
  PathProofs(Node node, ControlLinks control) {
    this.node = node;
    this.questions = new Questions(node.vertx(), control, ASK, ANSWER);
    this.loop = node.context.nettyEventLoop();
    control.messageHandler(ASK, this::answer);
  }

  // ---- connecting side

  /** Opens the control connection over which a peer is asked, for at most 2 s. */
  public Future<?> open(NodeEntry peer) {
    return peer.nodeId().equals(node.directory().nodeId()) ? Future.succeededFuture()
      : node.control.link(peer).timeout(OPEN_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Announces a TCP connection from a local port to a service of a peer. @return the id of the announcement */
  public Future<Long> announce(NodeEntry peer, String service, int port, long millis) {
    return ask(peer, new Question(Question.Kind.ANNOUNCE, port, service, 0), millis).map(answer -> answer.getLong(0));
  }

  /** Completes when the peer holds the connection back. */
  public Future<Void> arrival(NodeEntry peer, long id, long millis) {
    return ask(peer, new Question(Question.Kind.AWAIT, 0, "", id), millis).mapEmpty();
  }

  /** Gives the connection to the application of the peer. */
  public Future<Outcome> release(NodeEntry peer, long id, long millis) {
    return ask(peer, new Question(Question.Kind.RELEASE, 0, "", id), millis).map(answer -> Outcome.values()[answer.getByte(0)]);
  }

  private Future<Buffer> ask(NodeEntry peer, Question question, long millis) {
    return peer.nodeId().equals(node.directory().nodeId()) ? answer(peer.nodeId(), null, question)
      : questions.ask(peer, question.encode(), millis);
  }

  // ---- accepting side

  private void answer(ControlLink link, Buffer message) {
    Numbered asked = Numbered.question(message, 1);
    answer(link.nodeId(), link, Question.read(asked.rest())).onComplete((answer, cause) -> link.send(ANSWER,
      Numbered.answer(asked.number(), cause != null, cause == null ? answer : Buffer.buffer(cause.getMessage()))));
  }

  private Future<Buffer> answer(String nodeId, ControlLink link, Question question) {
    return switch (question.kind) {
      case ANNOUNCE -> announced(new Announced(nodeId, link, question.service, question.port));
      case AWAIT -> arrival(nodeId, question.id);
      case RELEASE -> released(nodeId, question.id);
    };
  }

  private Future<Buffer> announced(Announced by) {
    long id;
    synchronized (this) {
      if (!hasRoom(by.nodeId)) {
        return refused(MOST + " TCP connections that the node announced have not arrived: it connects again later");
      }
      do {
        id = RANDOM.nextLong();
      } while (announced.putIfAbsent(id, by) != null);
      any = true;
      long key = id;
      by.expiry = loop.schedule(() -> expire(key, by), ARRIVAL_MILLIS, TimeUnit.MILLISECONDS);
    }
    return Future.succeededFuture(Buffer.buffer().appendLong(id));
  }

  /** Returns whether a peer may announce another connection; forgets its oldest finished one if it needs the place. */
  private boolean hasRoom(String nodeId) {
    int count = 0;
    Announced finished = null;
    for (Announced each : announced.values()) {
      if (each.nodeId.equals(nodeId)) {
        count++;
        finished = finished == null && each.isFinished() ? each : finished;
      }
    }
    if (count >= MOST && finished != null) {
      announced.values().remove(finished);
      finished.expiry.cancel(false);
    }
    return count < MOST || finished != null;
  }

  /** Forgets an announcement, unless its connection is held back: then later. */
  private void expire(long id, Announced of) {
    synchronized (this) {
      if (of.state == State.HELD) {
        of.expiry = loop.schedule(() -> expire(id, of), HOLD_MILLIS, TimeUnit.MILLISECONDS);
        return;
      }
      announced.remove(id, of);
      any = !announced.isEmpty();
    }
    of.arrival.tryFail(new RdmaException(Reason.UNREACHABLE, "the TCP connection did not arrive within " + ARRIVAL_MILLIS + " ms"));
  }

  /** Holds a TCP connection back that a peer has announced for a service. @return false if none has: the application gets it at once */
  public boolean hold(String service, SocketAddress from, Held connection) {
    if (!any || !(from instanceof InetSocketAddress remote)) {
      return false;
    }
    Announced found;
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
      found.late.tryComplete(outcome(Outcome.DELIVERED));
      return false;
    }
    loop.schedule(() -> finish(found, State.DELIVERED), HOLD_MILLIS, TimeUnit.MILLISECONDS);
    found.arrival.tryComplete(Buffer.buffer());
    return true;
  }

  /** Finds the announcement of a connection that has not arrived yet. */
  private Announced find(String service, InetSocketAddress from) {
    Announced released = null;
    for (Announced each : announced.values()) {
      if (each.port != from.getPort() || each.state != State.AWAITED && each.state != State.RELEASED || !each.service.equals(service)) {
        continue;
      }
      if (!isFrom(each.link, plain(from.getAddress()))) {
        each.unknownSource = true;
      } else if (each.state == State.AWAITED) {
        return each;
      } else {
        released = each;
      }
    }
    return released;
  }

  /**
   * Returns whether an address is one of a peer's host: that of its control connection, one that its node entry names, and any of this host
   * if the peer is on it.
   */
  private static boolean isFrom(ControlLink link, InetAddress from) {
    if (link == null) {
      return isOwn(from);
    }
    InetAddress control = link.remoteAddress() instanceof InetSocketAddress inet ? plain(inet.getAddress()) : null;
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

  /** Returns the IPv4 address that a mapped IPv6 address stands for, and any other address without a scope. */
  private static InetAddress plain(InetAddress address) {
    try {
      return InetAddress.getByAddress(address.getAddress());
    } catch (UnknownHostException e) {
      return address;
    }
  }

  private Future<Buffer> arrival(String nodeId, long id) {
    synchronized (this) {
      Announced of = announced.get(id);
      if (of == null || !of.nodeId.equals(nodeId) || of.asked) {
        return refused("there is no such announcement, or its connection is awaited already");
      }
      of.asked = true;
      return of.arrival.future();
    }
  }

  private Future<Buffer> released(String nodeId, long id) {
    Announced of;
    synchronized (this) {
      of = announced.get(id);
      if (of == null || !of.nodeId.equals(nodeId)) {
        return refused("there is no such announcement");
      }
      if (of.state == State.AWAITED) {
        of.state = State.RELEASED;
        // Its connection may be in the queue of the server's socket.
        loop.schedule(() -> absent(of), LATE_MILLIS, TimeUnit.MILLISECONDS);
      }
    }
    finish(of, State.DELIVERED);
    return switch (of.state) {
      case DELIVERED -> Future.succeededFuture(outcome(Outcome.DELIVERED));
      case REPLACED -> Future.succeededFuture(outcome(Outcome.REPLACED));
      default -> of.late.future();
    };
  }

  private void absent(Announced of) {
    boolean unknownSource;
    synchronized (this) {
      unknownSource = of.unknownSource;
    }
    of.late.tryComplete(outcome(unknownSource ? Outcome.UNKNOWN_SOURCE : Outcome.ABSENT));
  }

  /**
   * Closes the TCP connection that a fabric connection of a peer names.
   *
   * @return false if the peer has announced none, or the application has it: the fabric connection is to be refused
   */
  public boolean replace(String nodeId, long id) {
    Announced of;
    synchronized (this) {
      of = announced.get(id);
      if (of == null || !of.nodeId.equals(nodeId)) {
        return false;
      }
    }
    finish(of, State.REPLACED);
    // The peer may name it again, over another fabric.
    return of.state == State.REPLACED;
  }

  /** Ends a hold. Does nothing if the connection is not held back. */
  private void finish(Announced of, State end) {
    Held held;
    synchronized (this) {
      if (of.state != State.HELD) {
        return;
      }
      of.state = end;
      held = of.held;
    }
    held.release(end == State.DELIVERED);
  }

  private static Buffer outcome(Outcome outcome) {
    return Buffer.buffer().appendByte((byte) outcome.ordinal());
  }

  private static <T> Future<T> refused(String why) {
    return Future.failedFuture(new RdmaException(Reason.UNREACHABLE, why));
  }

  /** Fails the questions that are not answered. */
  void close() {
    questions.close();
  }
}
