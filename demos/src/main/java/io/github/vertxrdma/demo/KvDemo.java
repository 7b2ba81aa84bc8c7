package io.github.vertxrdma.demo;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.commands.Demo;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetSocket;
import io.vertx.core.parsetools.RecordParser;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A key-value store in remote memory: puts are messages to the server, gets are remote reads, which the server's process has no part in.
 * Beside it the same gets over TCP.
 */
final class KvDemo {
  private static final String NAME = "kv";

  private KvDemo() {
  }

  static void run(Pair pair, Demo.Kv arguments) throws Exception {
    Vertx vertx = Vertx.vertx();
    Rdma rdma = Rdma.create(vertx, pair.options());
    int keys = arguments.keys;
    if (pair.isClient()) {
      int port = Integer.parseInt(pair.startServer());
      client(vertx, rdma, port, keys, arguments.gets);
    } else {
      Pair.serve(server(vertx, rdma, keys));
    }
    DemoNode.await(vertx.close());
  }

  /** @return the TCP port */
  private static String server(Vertx vertx, Rdma rdma, int keys) throws Exception {
    MemoryRegion region = DemoNode.await(rdma.createRegion(new RegionOptions().setName(NAME).setSize(2L * keys * KvStore.PLACE)
      .setAccess(RegionAccess.READ)));
    KvStore store = new KvStore(region);
    AtomicLong asked = new AtomicLong();
    DemoNode.await(rdma.createServer().connectHandler(connection -> connection.handler(message -> {
      JsonObject json = message.toJsonObject();
      if (json.containsKey("put")) {
        store.put(json.getString("put"), json.getString("value"));
      }
      connection.write(new JsonObject().put("asked", asked.get()).toBuffer());
    })).listen(NAME));
    int port = DemoNode.await(vertx.createNetServer().connectHandler(socket -> socket.handler(RecordParser.newDelimited("\n", line -> {
      asked.incrementAndGet();
      socket.write(store.get(line.toString()) + "\n");
    }))).listen(0, "127.0.0.1")).actualPort();
    return Integer.toString(port);
  }

  private static void client(Vertx vertx, Rdma rdma, int port, int keys, int gets) throws Exception {
    RdmaConnection connection = DemoNode.await(rdma.connect(NAME));
    for (int i = 0; i < keys; i++) {
      ask(connection, new JsonObject().put("put", key(i)).put("value", value(i)));
    }
    System.out.println(keys + " keys were put, by messages over " + connection.fabric());
    RemoteRegion table = DemoNode.await(rdma.openRegion(NAME));
    long before = ask(connection, new JsonObject());
    Context context = vertx.getOrCreateContext();
    Latencies oneSided = Latencies.of(context, gets, i -> get(table, key(i % keys)).compose(value -> check(value, value(i % keys))));
    long between = ask(connection, new JsonObject());
    if (DemoNode.await(get(table, "a key that was not put")) != null) {
      throw new IOException("a key was found that nobody has put");
    }
    Latencies tcp = byTcp(vertx, context, port, keys, gets);
    long after = ask(connection, new JsonObject());
    oneSided.print(gets + " gets, one after the other", "remote reads", tcp, "TCP");
    Latencies.line("  over", table.fabric(), "TCP");
    Latencies.line("  answered by the server's code", between - before, after - between);
    System.out.println("done: every value was what had been put");
  }

  /** Finds the value of a key by remote reads alone. @return null if the key was not put */
  private static Future<String> get(RemoteRegion table, String key) {
    return get(table, key, 0);
  }

  private static Future<String> get(RemoteRegion table, String key, int attempt) {
    int places = KvStore.places(table.size());
    if (attempt == places) {
      return Future.succeededFuture();
    }
    return table.readRecord(KvStore.offset(key, attempt, places), KvStore.RECORD).transform((record, cause) -> {
      if (cause instanceof RdmaException e && e.reason() == RdmaException.Reason.NOT_FOUND) {
        return Future.succeededFuture();
      }
      if (cause != null) {
        return Future.failedFuture(cause);
      }
      String value = KvStore.value(record, key);
      return value != null ? Future.succeededFuture(value) : get(table, key, attempt + 1);
    });
  }

  private static Latencies byTcp(Vertx vertx, Context context, int port, int keys, int gets) throws Exception {
    NetClient client = vertx.createNetClient();
    Promise<NetSocket> connected = Promise.promise();
    context.runOnContext(v -> client.connect(port, "127.0.0.1").onComplete(connected));
    NetSocket socket = DemoNode.await(connected.future());
    Latencies latencies = Latencies.of(context, gets, i -> {
      Promise<Buffer> answer = Promise.promise();
      socket.handler(RecordParser.newDelimited("\n", answer::tryComplete));
      socket.write(key(i % keys) + "\n");
      return answer.future().compose(line -> check(line.toString(), value(i % keys)));
    });
    DemoNode.await(client.close());
    return latencies;
  }

  /** @return how often the server was asked by TCP */
  private static long ask(RdmaConnection connection, JsonObject message) throws Exception {
    Promise<Buffer> answer = Promise.promise();
    connection.handler(answer::tryComplete);
    connection.write(message.toBuffer());
    return DemoNode.await(answer.future()).toJsonObject().getLong("asked");
  }

  private static Future<Void> check(String value, String expected) {
    return expected.equals(value) ? Future.succeededFuture()
      : Future.failedFuture(new IOException("got '" + value + "' instead of '" + expected + "'"));
  }

  private static String key(int i) {
    return "key " + i;
  }

  private static String value(int i) {
    return "the value of number " + i;
  }
}
