package io.github.vertxrdma.suites;

import static io.github.vertxrdma.suites.TestCluster.await;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.functions.FunctionClient;
import io.github.vertxrdma.functions.FunctionOptions;
import io.github.vertxrdma.functions.FunctionServer;
import io.github.vertxrdma.functions.FunctionServerOptions;
import io.github.vertxrdma.functions.Lease;
import io.github.vertxrdma.functions.LeaseOptions;
import io.github.vertxrdma.functions.RemoteFunction;
import io.github.vertxrdma.grpc.RdmaGrpcClient;
import io.github.vertxrdma.grpc.RdmaGrpcClientOptions;
import io.github.vertxrdma.grpc.RdmaGrpcServer;
import io.vertx.core.Future;
import io.vertx.core.ThreadingModel;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetSocket;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.common.ServiceName;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Functions, a contract and a server of streams at one node, and their clients at another. All return what they receive. */
final class AttackedServices {
  static final String HOST = "127.0.0.1";
  static final String CONTRACT = "contract";
  static final List<String> FUNCTIONS = List.of("echo", "slow echo");
  private static final ServiceName SERVICE = ServiceName.create("vertxrdma.test.Echo");
  /** More workers than attackers lease. */
  private static final int CORES = 16;
  private static final int SECONDS = 20;

  private final Rdma client;
  private final FunctionClient functions;
  private final Lease kept;
  private final RdmaGrpcClient contracts;
  private final NetClient streams;
  private final int port;
  private final Stream stream;
  /** TCP connection to the server of streams that stays idle. */
  private final Socket idle;

  /** A connection of a client, and what it has received. */
  private record Stream(NetSocket socket, BlockingQueue<Buffer> received) {
    void exchange(Buffer message) throws Exception {
      socket.write(message);
      Buffer all = Buffer.buffer();
      while (all.length() < message.length()) {
        Buffer part = received.poll(SECONDS, TimeUnit.SECONDS);
        if (part == null) {
          throw new AssertionError("bytes of a stream have not come back");
        }
        all.appendBuffer(part);
      }
      check("a stream", message, all);
    }
  }

  AttackedServices(Rdma server, Rdma client) throws Exception {
    this.client = client;
    FunctionServer offered = FunctionServer.create(server, new FunctionServerOptions().setCores(CORES).setLoadProviders(false));
    offered.register(FUNCTIONS.getFirst(), new FunctionOptions().setThreading(ThreadingModel.EVENT_LOOP), RemoteFunction.of(a -> a));
    offered.register(FUNCTIONS.getLast(), RemoteFunction.of(a -> a));
    await(offered.listen());
    RdmaGrpcServer contract = RdmaGrpcServer.create(server);
    contract.callHandler(ServiceMethod.server(SERVICE, "Echo", GrpcMessageEncoder.IDENTITY, GrpcMessageDecoder.IDENTITY),
      call -> call.handler(message -> call.response().end(message)));
    await(contract.listen(CONTRACT));
    port = await(server.vertx().createNetServer().connectHandler(socket -> socket.exceptionHandler(e -> {
    }).pipeTo(socket)).listen(0, HOST)).actualPort();
    functions = FunctionClient.create(client);
    kept = lease(functions);
    contracts = contracts(client);
    streams = client.vertx().createNetClient();
    await(await(client.directory()).awaitServices("tcp/" + HOST + ':' + port, Duration.ofSeconds(SECONDS)));
    stream = connect();
    idle = new Socket(HOST, port);
  }

  int port() {
    return port;
  }

  int idlePort() {
    return idle.getLocalPort();
  }

  static RdmaGrpcClient contracts(Rdma rdma) {
    return RdmaGrpcClient.create(rdma, new RdmaGrpcClientOptions().setServer(CONTRACT));
  }

  static LeaseOptions leaseOptions() {
    return new LeaseOptions().setMemory(1 << 17).setSlots(4);
  }

  private static Lease lease(FunctionClient by) throws Exception {
    return await(by.lease(leaseOptions().setDuration(Duration.ofHours(1)).setAutoRenew(true))).getFirst();
  }

  static Future<GrpcClientRequest<Buffer, Buffer>> request(RdmaGrpcClient client) {
    return client.request(ServiceMethod.client(SERVICE, "Echo", GrpcMessageEncoder.IDENTITY, GrpcMessageDecoder.IDENTITY));
  }

  static Future<Buffer> call(RdmaGrpcClient client, Buffer message) {
    return request(client).compose(request -> request.send(message)).compose(response -> response.last());
  }

  private Stream connect() throws Exception {
    BlockingQueue<Buffer> received = new LinkedBlockingQueue<>();
    return new Stream(await(streams.connect(port, HOST).onSuccess(socket -> socket.handler(received::add))), received);
  }

  /** Calls a function by a worker that stays leased, and by a new one. */
  void callFunctions(Buffer arguments) throws Exception {
    for (String each : FUNCTIONS) {
      check("a function", arguments, await(functions.invoke(each, arguments)));
    }
    if (!kept.isActive()) {
      throw new AssertionError("a lease has ended");
    }
    FunctionClient more = FunctionClient.create(client);
    lease(more);
    check("a function", arguments, await(more.invoke(FUNCTIONS.getFirst(), arguments)));
    await(more.close());
  }

  void callContract(Buffer message) throws Exception {
    check("a contract", message, await(call(contracts, message)));
  }

  /** Sends by a stream that stays open, and by a new one. */
  void useStreams(Buffer message) throws Exception {
    stream.exchange(message);
    Stream more = connect();
    more.exchange(message);
    await(more.socket.close());
  }

  private static void check(String what, Buffer sent, Buffer received) {
    if (!sent.equals(received)) {
      throw new AssertionError(what + " has changed a message");
    }
  }
}
