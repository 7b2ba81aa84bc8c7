package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.directory.FabricAddress;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.link.IncomingLink;
import io.github.vertxrdma.impl.node.ConnectionPrefix.Ends;
import io.github.vertxrdma.impl.peers.ControlLink;
import io.github.vertxrdma.impl.peers.ControlLinks;
import io.github.vertxrdma.impl.peers.EntryJson;
import io.github.vertxrdma.impl.peers.Questions;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.github.vertxrdma.provider.Device;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Finds out whether a TCP connection of this node ends at a peer, by the connection's addresses and first bytes, and where the peer accepts
 * a stream for it. Thread-safe. See docs/protocol.adoc.
 */
public final class ConnectionProofs {
  /** Service that links for such streams request. */
  public static final String SERVICE = "connections";
  /** Maximum number of connections per peer for which a stream is expected. */
  private static final int MOST = 128;
  private static final long STREAM_MILLIS = 10_000;
  private static final int ASK = 11;
  private static final int ANSWER = 12;
  private static final int NONCE = 16;
  private static final int MAC = 32;
  private static final int LONGEST = 2 * (1 + 16 + 2) + 4 + NONCE + MAC;
  /** Verdicts of answers. */
  private static final byte NOT_YET = 0;
  private static final byte YES = 1;
  private static final byte UNKNOWN = 2;
  private static final byte NEVER = 3;
  private static final long LISTEN_AGAIN_MILLIS = 10_000;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Node node;
  private final Questions questions;
  private final EventLoop loop;
  private final Map<Ends, Accepted> accepted = new ConcurrentHashMap<>();
  private final Map<Listener, Future<ListeningService>> listening = new ConcurrentHashMap<>();
  /** Streams that were promised, by number, oldest first. Guarded by this. */
  private final Map<Long, Grant> grants = new LinkedHashMap<>();

  /** @param bySockets whether it also listens on fabrics that use sockets of the kernel */
  private record Listener(EventLoop loop, boolean bySockets) {
  }

  /**
   * Connection that this node accepted. Its methods are called on its event loop, except {@link #service}, {@link #asked} and
   * {@link #loop}.
   */
  public interface Accepted {
    /** Returns the name for {@link io.github.vertxrdma.RdmaAuthorizer#mayConnect}. */
    String service();

    /** Called when a node asks for a stream. @return completes when the connection has an event loop */
    Future<Void> asked();

    EventLoop loop();

    boolean isMovable();

    /** Returns whether it can never move. */
    boolean stays();

    ConnectionPrefix prefix();

    /** Keeps the connection on TCP. */
    void stay();

    /** Called on the link's loop. Accepts or refuses the link. */
    void opened(IncomingLink link);
  }

  private record Grant(String nodeId, Accepted connection, ScheduledFuture<?> expiry) {
  }

  /** @param data of the link's greeting */
  public record Offer(byte[] data, List<FabricAddress> addresses) {
  }

  /**
   * @param local address of the connecting node's end
   * @param sent number of bytes in the connecting node's prefix, like {@code received}
   * @param mac of the connecting node over both, so that a node that does not know the bytes learns nothing from the answer
   */
  public record Question(InetSocketAddress local, InetSocketAddress remote, int sent, int received, byte[] nonce, byte[] mac) {
    public static Question read(byte[] bytes) {
      Cursor in = Cursor.reading("a question about a TCP connection", bytes);
      return new Question(address(in), address(in), in.u16(), in.u16(), in.bytes(NONCE), in.bytes(MAC));
    }

    private static InetSocketAddress address(Cursor in) {
      try {
        return new InetSocketAddress(InetAddress.getByAddress(in.block(1)), in.u16());
      } catch (UnknownHostException e) {
        throw new IllegalArgumentException("an address has neither 4 nor 16 bytes", e);
      }
    }

    public byte[] encode() {
      return Cursor.writing(LONGEST).block(1, local.getAddress().getAddress()).u16(local.getPort())
        .block(1, remote.getAddress().getAddress()).u16(remote.getPort()).u16(sent).u16(received).bytes(nonce)
        .bytes(mac).toArray();
    }

    private Ends ends() {
      return new Ends(local, remote);
    }
  }

  ConnectionProofs(Node node, ControlLinks control) {
    this.node = node;
    this.loop = node.context.nettyEventLoop();
    this.questions = new Questions(node.vertx(), control, ASK, ANSWER)
      .answerer(1, (link, bytes) -> {
        Question question = Question.read(bytes.getBytes());
        return mayHave(link, question.local.getAddress(), question.remote.getAddress()) ? answer(link.nodeId(), question)
          : verdict(UNKNOWN);
      });
  }

  /** Registers a connection that this node accepted, until {@link #removeAccepted}. */
  public void addAccepted(InetSocketAddress local, InetSocketAddress remote, Accepted connection) {
    accepted.put(new Ends(local, remote), connection);
  }

  /** Registers a connection that has ended, unless there is a newer one. */
  public void addClosed(InetSocketAddress local, InetSocketAddress remote, Accepted connection) {
    accepted.putIfAbsent(new Ends(local, remote), connection);
  }

  public void removeAccepted(InetSocketAddress local, InetSocketAddress remote, Accepted connection) {
    accepted.remove(new Ends(local, remote), connection);
  }

  /**
   * Asks a peer for a stream for a connection to it. Must be called on the connection's event loop, where the future completes. Without a
   * byte in the prefix, the peer recognizes the connection by its addresses alone: this side must send nothing before it has the stream.
   *
   * @return null if the peer does not know yet; fails with NOT_FOUND if the peer has not accepted the connection, with CLOSED if this
   * connection cannot move, and with another reason if no connection to the peer can
   */
  public Future<Offer> ask(NodeEntry peer, InetSocketAddress local, InetSocketAddress remote, ConnectionPrefix prefix, EventLoop on,
    long millis) {
    byte[] nonce = new byte[NONCE];
    RANDOM.nextBytes(nonce);
    int sent = prefix.sentLength();
    int received = prefix.receivedLength();
    Ends ends = new Ends(local, remote);
    byte[] expected = prefix.mac(nonce, false, true, ends, sent, received);
    Question question = new Question(local, remote, sent, received, nonce, prefix.mac(nonce, true, true, ends, sent, received));
    boolean isOwn = peer.nodeId().equals(node.directory().nodeId());
    return (isOwn ? answer(peer.nodeId(), question) : questions.ask(peer, Buffer.buffer(question.encode()), millis))
      .compose(answer -> LoopCall.on(on, () -> Future.succeededFuture(answered(peer, question, expected, answer.getBytes()))));
  }

  private static Offer answered(NodeEntry peer, Question question, byte[] expected, byte[] answer) {
    Cursor in = Cursor.reading("an answer about a TCP connection", answer);
    int verdict = in.u8();
    if (verdict == NOT_YET) {
      return null;
    }
    if (verdict == UNKNOWN) {
      throw new RdmaException(Reason.NOT_FOUND, "node " + peer.nodeId() + " has no connection from " + question.local + " at "
        + question.remote + ". Use an address that leads to the node itself, without a proxy or translation of addresses");
    }
    if (verdict == NEVER) {
      throw new RdmaException(Reason.CLOSED, "node " + peer.nodeId() + " cannot move its end of the connection: it has "
        + "closed it, or added a handler that may change its bytes, such as that of TLS. Use TLS from the start");
    }
    if (!MessageDigest.isEqual(in.bytes(MAC), expected)) {
      throw new RdmaException(Reason.NOT_FOUND, "node " + peer.nodeId() + " saw other bytes on its TCP connection from "
        + question.local + ". Use an address that leads to the node itself, without a proxy");
    }
    byte[] id = in.bytes(Long.BYTES);
    return new Offer(id, new JsonArray(Buffer.buffer(in.rest())).stream().map(each -> FabricAddress.fromJson((JsonObject) each)).toList());
  }

  /** Returns whether a peer can have a connection between two addresses: one within a network namespace begins there. */
  private static boolean mayHave(ControlLink link, InetAddress from, InetAddress to) {
    return !from.isLoopbackAddress() && !to.isLoopbackAddress() && !from.equals(to) || link.isNear();
  }

  private Future<Buffer> answer(String nodeId, Question question) {
    Accepted connection = accepted.get(question.ends().mirrored());
    if (connection == null) {
      return verdict(UNKNOWN);
    }
    String refusal = node.authorization.refuseConnect(nodeId, connection.service());
    return refusal != null ? Future.failedFuture(new RdmaException(Reason.UNREACHABLE, refusal))
      : connection.asked().compose(v -> LoopCall.on(connection.loop(), () -> answer(nodeId, question, connection)));
  }

  private static Future<Buffer> verdict(byte verdict) {
    return Future.succeededFuture(Buffer.buffer().appendByte(verdict));
  }

  private Future<Buffer> answer(String nodeId, Question question, Accepted connection) {
    ConnectionPrefix prefix = connection.prefix();
    if (!connection.isMovable()) {
      return verdict(connection.stays() ? NEVER : NOT_YET);
    }
    int most = Math.max(question.sent, question.received);
    // The asking node must know all bytes that have arrived here.
    if (question.sent != prefix.receivedLength() || question.received > prefix.sentLength() || most > 0 && most < ConnectionPrefix.LEAST) {
      return verdict(NOT_YET);
    }
    byte[] expected = prefix.mac(question.nonce, true, false, question.ends(), question.sent, question.received);
    if (!MessageDigest.isEqual(question.mac, expected)) {
      // Ends the attempts, so that no node can guess.
      connection.stay();
      return verdict(NEVER);
    }
    byte[] own = prefix.mac(question.nonce, false, false, question.ends(), question.sent, question.received);
    Future<ListeningService> service = listen(new Listener(connection.loop(), most == 0));
    if (!service.isComplete()) {
      return verdict(NOT_YET);
    }
    return service.map(listener -> {
      long id = grant(nodeId, connection);
      return id == 0 ? Buffer.buffer().appendByte(NOT_YET) : Buffer.buffer().appendByte(YES).appendBytes(own).appendLong(id)
        .appendBuffer(EntryJson.array(listener.addresses(), FabricAddress::toJson).toBuffer());
    });
  }

  /** Listens on the node's event loop, so that the directory can state where this node is reached. */
  public Future<ListeningService> listen() {
    return listen(new Listener(loop, true));
  }

  /** Listens on an event loop, from the first question about one of its connections on. */
  private Future<ListeningService> listen(Listener key) {
    return listening.computeIfAbsent(key, by -> {
      Predicate<Device> used = device -> by.bySockets || !device.capabilities().kernelSocket();
      Future<ListeningService> made = ListeningService.byService(node, node.vertx().contextBuilder().withEventLoop(by.loop).build(),
        SERVICE,
        this::accept, used, used);
      // Waits, since each attempt may log why it failed.
      made.onFailure(cause -> LoopCall.execute(loop, () -> loop.schedule(() -> listening.remove(by, made),
        LISTEN_AGAIN_MILLIS, TimeUnit.MILLISECONDS)));
      return made;
    });
  }

  /** Returns the number of the stream; 0 if too many are expected. */
  private synchronized long grant(String nodeId, Accepted connection) {
    if (grants.values().stream().filter(each -> each.nodeId.equals(nodeId)).count() >= MOST) {
      return 0;
    }
    long id;
    do {
      id = RANDOM.nextLong();
    } while (id == 0 || grants.containsKey(id));
    long key = id;
    grants.put(id, new Grant(nodeId, connection, loop.schedule(() -> take(key), STREAM_MILLIS, TimeUnit.MILLISECONDS)));
    return id;
  }

  private synchronized Grant take(long id) {
    Grant grant = grants.remove(id);
    if (grant != null) {
      grant.expiry.cancel(false);
    }
    return grant;
  }

  private void accept(IncomingLink link) {
    byte[] data = link.greeting().data();
    Grant grant = data.length == Long.BYTES ? take(Buffer.buffer(data).getLong(0)) : null;
    if (grant == null || !grant.nodeId.equals(link.greeting().nodeId())) {
      link.refuse("no stream is expected for this connection");
    } else {
      grant.connection.opened(link);
    }
  }

  void close() {
    questions.close();
  }
}
