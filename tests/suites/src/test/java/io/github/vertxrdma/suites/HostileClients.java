package io.github.vertxrdma.suites;

import static io.github.vertxrdma.suites.HostileMember.soon;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.functions.CallOptions;
import io.github.vertxrdma.functions.FunctionClient;
import io.github.vertxrdma.grpc.RdmaGrpcClient;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.grpc.common.GrpcMessage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import java.util.zip.GZIPOutputStream;

/** The clients of {@link AttackedServices} of a {@link HostileMember}, whose library changes what they send. */
final class HostileClients {
  private static final int CALLS = 20;
  private static final int LONGEST = 20_000;
  private static final int OPEN = 8;
  private static final int WORKERS = 3;
  private static final int ZERO_MEBIBYTES = 160;
  private static final int KINDS = 5;

  private final Rdma node;
  private final NetClient streams;
  private final RdmaGrpcClient contracts;
  private final Deque<NetSocket> open = new ArrayDeque<>();
  private Buffer zeros;

  HostileClients(Rdma node) {
    this.node = node;
    streams = node.vertx().createNetClient(new NetClientOptions().setConnectTimeout(500));
    contracts = AttackedServices.contracts(node);
  }

  void play(int game, Random random) throws Exception {
    for (int i = 0; i < KINDS; i += 2) {
      attack((game + i) % KINDS, random);
    }
  }

  private void attack(int kind, Random random) throws Exception {
    switch (kind) {
      case 0 -> callFunctions(random);
      case 1 -> abandonLease();
      case 2 -> callContract(random);
      case 3 -> sendCompressed();
      default -> useStreams(random);
    }
  }

  private static Buffer bytes(Random random) {
    byte[] bytes = new byte[random.nextInt(random.nextInt(4) == 0 ? LONGEST : 1000)];
    random.nextBytes(bytes);
    return Buffer.buffer(bytes);
  }

  private void callFunctions(Random random) {
    FunctionClient functions = FunctionClient.create(node);
    if (soon(functions.lease(AttackedServices.leaseOptions().setDuration(Duration.ofSeconds(5))
      .setWaitTimeout(Duration.ofMillis(500)))) != null) {
      Future<?> last = null;
      for (int i = random.nextInt(CALLS); i >= 0; i--) {
        last = functions.invoke(AttackedServices.FUNCTIONS.get(random.nextInt(2)), bytes(random),
          CallOptions.DEFAULT.withTimeout(Duration.ofMillis(500)));
      }
      soon(last);
    }
    if (random.nextBoolean()) {
      soon(functions.close());
    } else {
      functions.close();
    }
  }

  /** Leases workers for an hour, and disconnects without the end of the lease. */
  private void abandonLease() throws Exception {
    for (ServiceEntry each : TestCluster.await(node.directory()).services()) {
      RdmaConnection connection = each.metadata().containsKey("functions") ? soon(node.connect(each.name(), HostileMember.ONCE)) : null;
      if (connection != null) {
        Promise<Void> leased = Promise.promise();
        connection.handler(answer -> leased.tryComplete());
        connection.write(new JsonObject().put("op", "lease").put("versions", "1-1").put("workers", WORKERS).put("memory", 1 << 16)
          .put("slots", 4).put("millis", 3_600_000).put("mode", "WARM").toBuffer());
        soon(leased.future());
        soon(connection.close());
      }
    }
  }

  private void callContract(Random random) {
    Future<?> last = null;
    for (int i = random.nextInt(CALLS); i >= 0; i--) {
      last = AttackedServices.call(contracts, bytes(random));
    }
    soon(last);
  }

  /** Sends a message that is longer than half the heap of the pair after decompression. */
  private void sendCompressed() {
    if (zeros == null) {
      zeros = zeros();
    }
    soon(AttackedServices.request(contracts).compose(request -> request.encoding("gzip").endMessage(GrpcMessage.message("gzip", zeros))
      .compose(v -> request.response())));
  }

  private static Buffer zeros() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    byte[] part = new byte[1 << 20];
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      for (int i = 0; i < ZERO_MEBIBYTES; i++) {
        gzip.write(part);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Buffer.buffer(out.toByteArray());
  }

  /** Opens a stream to a server of the others. Those of the latest games stay open. */
  private void useStreams(Random random) throws Exception {
    for (String name : TestCluster.await(node.directory()).services().stream().map(each -> each.name())
      .filter(each -> each.startsWith("tcp/" + AttackedServices.HOST + ':')).toList()) {
      NetSocket socket = soon(streams.connect(Integer.parseInt(name.substring(name.lastIndexOf(':') + 1)), AttackedServices.HOST));
      if (socket != null) {
        for (int i = random.nextInt(CALLS); i >= 0; i--) {
          socket.write(bytes(random));
        }
        if (random.nextBoolean()) {
          socket.pause();
        }
        open.add(socket);
      }
    }
    while (open.size() > OPEN) {
      open.remove().close();
    }
  }
}
