package io.github.vertxrdma.functions;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaServer;
import io.github.vertxrdma.RdmaServerOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A server that sends the protocol by hand, so that it can break it, or be silent. */
final class RawManager {
  private final BlockingQueue<Asked> requests = new LinkedBlockingQueue<>();
  /** Whether it reads no more than one request of a client. */
  volatile boolean takesOne;
  /** Answers requests on the event loop; null to queue them. */
  volatile Consumer<Asked> answers;

  record Asked(RdmaConnection by, JsonObject request) {

    void answer(JsonObject answer) {
      by.write(answer.put("request", request.getLong("request")).toBuffer());
    }

    void grant(String function, String worker) {
      grant(function, true, worker);
    }

    void grant(String function, boolean idempotent, String worker) {
      answer(new JsonObject().put("version", 1).put("lease", "1").put("secret", "2").put("startMillis", 0).put("millis", 60_000)
        .put("workers", new JsonArray().add(worker))
        .put("functions", new JsonArray().add(new JsonObject().put("name", function).put("id", 1).put("idempotent", idempotent))));
    }

    void refuse(String words) {
      answer(new JsonObject().put("refused", FunctionException.Reason.NO_CAPACITY.name()).put("words", words));
    }

    void grant(long millis, String... workers) {
      JsonArray names = new JsonArray();
      for (String worker : workers) {
        names.add(worker);
      }
      answer(new JsonObject().put("version", 1).put("lease", "1").put("secret", "2").put("startMillis", 0).put("millis", millis)
        .put("workers", names)
        .put("functions", new JsonArray()));
    }
  }

  static RawManager listen(Rdma rdma, String name, Object freeCores) throws Exception {
    return listen(rdma, name, freeCores, 1L << 30);
  }

  static RawManager listen(Rdma rdma, String name, Object freeCores, Object freeMemory) throws Exception {
    RawManager manager = new RawManager();
    Nodes.await(server(rdma, freeCores, freeMemory)
      .connectHandler(client -> client.handler(message -> manager.asked(client, message.toJsonObject()))).listen(name));
    return manager;
  }

  private void asked(RdmaConnection client, JsonObject request) {
    if (takesOne) {
      client.pause();
    }
    Consumer<Asked> now = answers;
    if (now == null) {
      requests.add(new Asked(client, request));
    } else {
      now.accept(new Asked(client, request));
    }
  }

  /** Offers cores, and neither accepts nor refuses connections. */
  static void listenDeaf(Rdma rdma, String name, int freeCores) throws Exception {
    Nodes.await(server(rdma, freeCores, 1L << 30).handshakeHandler(request -> {}).connectHandler(client -> {}).listen(name));
  }

  private static RdmaServer server(Rdma rdma, Object freeCores, Object freeMemory) {
    return rdma.createServer(new RdmaServerOptions().setMetadata(new JsonObject().put("functions", FunctionServer.DEFAULT_SERVICE)
      .put("freeCores", freeCores).put("freeMemory", freeMemory).put("cold", true)));
  }

  int waiting() {
    return requests.size();
  }

  Asked askedAtLast(String op) throws InterruptedException {
    Asked next;
    do {
      next = requests.poll(20, TimeUnit.SECONDS);
    } while (next != null && !op.equals(next.request.getString("op")));
    if (next == null) {
      throw new AssertionError("was not asked to " + op);
    }
    return next;
  }

  Asked asked(String op) throws InterruptedException {
    Asked next = requests.poll(20, TimeUnit.SECONDS);
    if (next == null || !op.equals(next.request.getString("op"))) {
      throw new AssertionError("was not asked to " + op + ", but " + next);
    }
    return next;
  }
}
