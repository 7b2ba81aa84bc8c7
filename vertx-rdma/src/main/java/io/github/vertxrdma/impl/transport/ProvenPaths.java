package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.node.PathProofs;
import io.github.vertxrdma.impl.node.PathProofs.Outcome;
import io.github.vertxrdma.impl.node.TcpReason;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.github.vertxrdma.impl.transport.TransportNode.Dial;
import io.netty.channel.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Client side of {@link PathProofs}: checks that TCP leads to the node that a fabric reaches. Thread-safe. */
final class ProvenPaths {
  static final long CONFIRMED_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long ANSWER_MILLIS = 1_000;
  private static final long FORCED_MILLIS = 4_000;
  private static final long ARRIVAL_MILLIS = 10_000;
  private static final byte[] NOTHING = {};

  private final DirectoryBackend directory;
  private final LongSupplier nanoTime;
  private final Map<ServiceEntry, Verdict> verdicts = new ConcurrentHashMap<>();
  private final Map<ServiceEntry, Future<Proof>> pending = new ConcurrentHashMap<>();

  private record Verdict(boolean foreign, long atNanos) {
  }

  ProvenPaths(DirectoryBackend directory, LongSupplier nanoTime) {
    this.directory = directory;
    this.nanoTime = nanoTime;
  }

  /**
   * @param confirmed makes the peer accept the TCP connection that it delays for the check; null if there is none
   * @param tcp null if no TCP connection was made
   * @param fallback TCP route to use if the check failed; otherwise null
   */
  record Proof(Supplier<Future<Outcome>> confirmed, long id, TcpStream tcp, EventLoop loop, Route.Tcp fallback) {
    static final Proof CERTAIN = new Proof(null, 0, null, null, null);

    private static Proof failed(TcpStream tcp, EventLoop loop, Route.Tcp fallback) {
      return new Proof(null, 0, tcp, loop, fallback);
    }

    byte[] replacedTcp() {
      return confirmed == null ? NOTHING : Buffer.buffer().appendLong(id).getBytes();
    }

    void close() {
      if (tcp != null) {
        LoopCall.execute(loop, tcp::close);
      }
    }

    /** Returns the TCP connection for the application, or null if another one must be opened. */
    Future<ByteStream> release() {
      if (confirmed == null) {
        return Future.succeededFuture(tcp);
      }
      return confirmed.get().transform(outcome -> LoopCall.on(loop, () -> {
        if (outcome.succeeded() ? outcome.result() != Outcome.REPLACED : !tcp.hasEnded()) {
          return Future.succeededFuture(tcp);
        }
        tcp.close();
        return Future.succeededFuture();
      }));
    }
  }

  boolean isConfirmed(ServiceEntry entry) {
    Verdict verdict = verdicts.get(entry);
    return verdict != null && !verdict.foreign && nanoTime.getAsLong() - verdict.atNanos < CONFIRMED_NANOS;
  }

  boolean isForeign(ServiceEntry entry) {
    Verdict verdict = verdicts.get(entry);
    return verdict != null && verdict.foreign;
  }

  void note(ServiceEntry entry, boolean foreign) {
    verdicts.keySet().removeIf(each -> !directory.services(each.name()).contains(each));
    verdicts.put(entry, new Verdict(foreign, nanoTime.getAsLong()));
  }

  Future<Proof> prove(TransportNode node, Dial dial, Route.Fabric server) {
    ServiceEntry entry = server.entry();
    if (dial.target().rdma() || !server.isUnproven() || isConfirmed(entry)) {
      return Future.succeededFuture(Proof.CERTAIN);
    }
    Future<Proof> running = pending.get(entry);
    if (running != null) {
      return running.map(proof -> Proof.failed(null, null, proof.fallback));
    }
    // Opens the device first, so that the peer delays the connection only briefly.
    Future<Proof> made = node.prepare(server, dial.channel().eventLoop()).compose(n -> make(node, n.paths(), dial, server));
    if (!made.isComplete()) {
      pending.put(entry, made);
      made.onComplete(done -> pending.remove(entry, made));
    }
    return made;
  }

  private Future<Proof> make(TransportNode node, PathProofs proofs, Dial dial, Route.Fabric server) {
    NodeEntry peer = server.peer();
    FabricRoutes routes = dial.routes();
    RdmaChannel channel = dial.channel();
    EventLoop loop = channel.eventLoop();
    long patience = node.isForced() ? FORCED_MILLIS : ANSWER_MILLIS;
    int timeout = channel.config().getConnectTimeoutMillis();
    // The application must get the connection before its connect timeout.
    long millis = timeout <= 0 ? patience : Math.clamp(timeout / 4, 1, patience);
    return node.openTcp(channel)
      .compose(tcp -> tcp.bind(dial.local()).compose(port -> proofs.announce(peer, server.service(), port, millis))
        .transform(announced -> LoopCall.on(loop, () -> {
          if (announced.failed()) {
            return tcp.connect(dial.remote(), null)
              .map(v -> Proof.failed(tcp, loop, routes.failed(server, TcpReason.NOT_PROVEN, announced.cause())));
          }
          long id = announced.result();
          // Requested first, so that the peer replies as soon as the connection arrives.
          Future<Void> arrival = proofs.arrival(peer, id, ARRIVAL_MILLIS);
          Supplier<Future<Outcome>> release = () -> proofs.release(peer, id, ANSWER_MILLIS);
          return tcp.connect(dial.remote(), null).onFailure(cause -> release.get())
            .compose(v -> arrival.timeout(millis, TimeUnit.MILLISECONDS).transform(arrived -> arrived.succeeded()
              ? confirmed(new Proof(release, id, tcp, loop, null), server)
              : unconfirmed(node.isForced(), routes, server, release, tcp, loop, millis)));
        })));
  }

  private Future<Proof> confirmed(Proof proof, Route.Fabric server) {
    note(server.entry(), false);
    return Future.succeededFuture(proof);
  }

  private Future<Proof> unconfirmed(boolean forced, FabricRoutes routes, Route.Fabric server, Supplier<Future<Outcome>> release,
    TcpStream tcp, EventLoop loop, long millis) {
    // After ABSENT, later connections use TCP. If a fabric is forced, the caller waits for the outcome and retries.
    Future<Outcome> released = release.get().onSuccess(outcome -> {
      if (outcome == Outcome.ABSENT) {
        note(server.entry(), true);
      }
    });
    Proof failed = Proof.failed(tcp, loop, routes.failed(server, TcpReason.NOT_PROVEN, new RdmaException(Reason.UNREACHABLE,
      "the node has not confirmed within " + millis + " ms that a TCP connection to it arrived. Use an address that leads "
        + "to the node itself, in the network of the option host")));
    return forced ? released.transform(any -> Future.succeededFuture(failed)) : Future.succeededFuture(failed);
  }
}
