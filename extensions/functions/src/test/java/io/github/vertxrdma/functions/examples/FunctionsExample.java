package io.github.vertxrdma.functions.examples;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.functions.Call;
import io.github.vertxrdma.functions.CallOptions;
import io.github.vertxrdma.functions.CodeOptions;
import io.github.vertxrdma.functions.FunctionClient;
import io.github.vertxrdma.functions.FunctionException;
import io.github.vertxrdma.functions.FunctionOptions;
import io.github.vertxrdma.functions.FunctionServer;
import io.github.vertxrdma.functions.FunctionServerOptions;
import io.github.vertxrdma.functions.Lease;
import io.github.vertxrdma.functions.LeaseOptions;
import io.github.vertxrdma.functions.RemoteFunction;
import io.github.vertxrdma.functions.SignedCode;
import io.github.vertxrdma.functions.TypedFunction;
import io.github.vertxrdma.functions.WorkerMode;
import io.vertx.core.Future;
import io.vertx.core.ThreadingModel;
import io.vertx.core.buffer.Buffer;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.time.Duration;
import java.util.List;
import java.util.zip.CRC32C;

/** The code of docs/functions.adoc. */
public final class FunctionsExample {
  private FunctionsExample() {
  }

  // tag::offer[]
  static Future<FunctionServer> offer(Rdma rdma) {
    return FunctionServer.create(rdma, new FunctionServerOptions().setCores(4))
      .register("checksum", new FunctionOptions().setIdempotent(true), RemoteFunction.of(bytes -> checksum(bytes)))
      .register("echo", new FunctionOptions().setThreading(ThreadingModel.EVENT_LOOP), RemoteFunction.of(bytes -> bytes))
      .listen();
  }

  private static Buffer checksum(Buffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.getBytes());
    return Buffer.buffer().appendLong(crc.getValue());
  }
  // end::offer[]

  // tag::call[]
  static Future<Buffer> call(Rdma rdma, Buffer file) {
    FunctionClient client = FunctionClient.create(rdma);
    return client.lease(new LeaseOptions().setWorkers(2).setMemory(4 << 20).setMode(WorkerMode.HOT))
      .compose(leases -> client.invoke("checksum", file, CallOptions.DEFAULT.withTimeout(Duration.ofMillis(500))))
      .eventually(() -> client.close());
  }
  // end::call[]

  // tag::cancel[]
  static Future<Buffer> first(FunctionClient client, Buffer file, Future<?> abandoned) {
    Call call = client.call("checksum", file, CallOptions.DEFAULT);
    abandoned.onSuccess(v -> call.cancel());
    return call.result().recover(cause -> switch (((FunctionException) cause).reason()) {
      case CANCELLED, TIMEOUT -> Future.succeededFuture(Buffer.buffer());
      default -> Future.failedFuture(cause);
    });
  }
  // end::cancel[]

  // tag::pool[]
  static Future<List<Lease>> pool(FunctionClient client) {
    client.leaseHandler(lease -> System.out.println(
      (lease.isActive() ? "new worker on node " : "lost worker of node ") + lease.nodeName()));
    return client.lease(new LeaseOptions().setWorkers(4).setKeep(true));
  }
  // end::pool[]

  // tag::typed[]
  record Text(String words) {}

  record Counted(int words) {}

  static Future<Counted> count(FunctionServer server, FunctionClient client) {
    TypedFunction<Text, Counted> count = TypedFunction.json("count", Text.class, Counted.class);
    count.register(server, new FunctionOptions(), text -> new Counted(text.words().split(" ").length));
    return client.lease(new LeaseOptions()).compose(leases -> count.invoke(client, new Text("more or less")));
  }
  // end::typed[]

  // tag::cold[]
  static FunctionServerOptions coldWorkers(RdmaOptions rdma) {
    return new FunctionServerOptions().setColdWorkerRdma(rdma).setColdJvmOptions(List.of("-Xmx256m"));
  }

  static Future<List<Lease>> leaseCold(FunctionClient client) {
    return client.lease(new LeaseOptions().setMode(WorkerMode.COLD));
  }
  // end::cold[]

  // tag::code[]
  static FunctionServerOptions takesCode(RdmaOptions rdma, String keyInBase64) {
    return coldWorkers(rdma)
      .setCode(new CodeOptions().setSecretFile("/etc/vertx-rdma/secret").addPublicKey(keyInBase64).setMaxBytes(4 << 20));
  }

  static Future<List<Lease>> sendCode(FunctionClient client, Buffer jar, PrivateKey key) throws GeneralSecurityException {
    return client.lease(new LeaseOptions().setMode(WorkerMode.COLD), SignedCode.withKey(jar, key));
  }
  // end::code[]
}
