package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.directory.DirectoryBackend;
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

/** Client side of {@link PathProofs}: checks that TCP leads to the node that a fabric reaches. Thread-safe. */
final class ProvenPaths {
  static final long CONFIRMED_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long ANSWER_MILLIS = 1_000;
  private static final long ARRIVED_MILLIS = 4_000;
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

  /** @param tcp announced connection that the fabric replaces, with its id and event loop; null if there is none */
  record Proof(long id, TcpStream tcp, EventLoop loop) {
    private static final Proof CERTAIN = new Proof(0, null, null);

    byte[] replacedTcp() {
      return tcp == null ? NOTHING : Buffer.buffer().appendLong(id).getBytes();
    }

    void close() {
      if (tcp != null) {
        LoopCall.execute(loop, tcp::close);
      }
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
      return running.map(Proof.CERTAIN);
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
    EventLoop loop = dial.channel().eventLoop();
    int timeout = dial.channel().config().getConnectTimeoutMillis();
    // The attempt must end before the application's connect timeout.
    long millis = timeout <= 0 ? ARRIVED_MILLIS : Math.clamp(timeout / 4, 1, ARRIVED_MILLIS);
    return node.openTcp(dial.channel()).compose(tcp -> tcp.bind(dial.local())
      .compose(port -> proofs.announce(server.peer(), server.service(), port, millis))
      .recover(cause -> refused(node, dial, server, cause.getMessage()))
      .compose(id -> LoopCall.on(loop, () -> connect(node, proofs, dial, server, new Proof(id, tcp, loop), millis)))
      .onFailure(cause -> LoopCall.execute(loop, tcp::close)));
  }

  private Future<Proof> connect(TransportNode node, PathProofs proofs, Dial dial, Route.Fabric server, Proof proof, long millis) {
    // Requested first, so that the peer replies as soon as the connection arrives.
    Future<Void> arrival = proofs.arrival(server.peer(), proof.id, ARRIVAL_MILLIS);
    return proof.tcp.connect(dial.remote(), null).onFailure(cause -> proofs.release(server.peer(), proof.id, ANSWER_MILLIS))
      .compose(v -> arrival.timeout(millis, TimeUnit.MILLISECONDS).transform(arrived -> {
        if (arrived.succeeded()) {
          note(server.entry(), false);
          return Future.succeededFuture(proof);
        }
        // The caller waits for the outcome, and retries unless another process has the connection.
        return proofs.release(server.peer(), proof.id, ANSWER_MILLIS).onSuccess(outcome -> {
          if (outcome == Outcome.ABSENT) {
            note(server.entry(), true);
          }
        }).transform(any -> refused(node, dial, server, "the node has not confirmed within " + millis + " ms that a TCP connection to it "
          + "arrived. Use an address that leads to the node itself, in the network of the option host"));
      }));
  }

  private static <T> Future<T> refused(TransportNode node, Dial dial, Route.Fabric server, String why) {
    return Future.failedFuture(FabricRoutes.refusal(dial.target().toString(), node.options.rdma().getFabric(),
      new Route.Tcp(TcpReason.NOT_PROVEN, server.peer(), why)));
  }
}
