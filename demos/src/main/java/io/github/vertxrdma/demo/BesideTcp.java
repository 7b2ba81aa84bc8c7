package io.github.vertxrdma.demo;

import static io.github.vertxrdma.demo.Main.await;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.commands.Demo;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.parsetools.RecordParser;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Two demos that compare a fabric with TCP. In the key-value store, gets are remote reads that use no CPU time of the server. The HTTP
 * server has one address for the fabric and one for TCP.
 */
final class BesideTcp {
  /** Bytes of a slot of the table: record header, key, a zero byte, value. */
  private static final int PLACE = 256;
  private static final String LOCAL = "127.0.0.1";

  static void kv(DemoPair pair, Demo.Kv arguments) throws Exception {
    Vertx vertx = Vertx.vertx();
    Rdma rdma = Rdma.create(vertx, pair.options());
    if (pair.isClient()) {
      get(vertx, rdma, Integer.parseInt(pair.startServer()), arguments.keys, arguments.gets);
    } else {
      DemoPair.serve(Integer.toString(keep(vertx, rdma, arguments.keys)));
    }
    await(vertx.close());
  }

  /** Returns the offset of the slot to try for a key, after {@code attempt} slots had other keys. */
  private static long offset(String key, int attempt, long size) {
    return Math.floorMod(key.hashCode() * 0x9e3779b9L + attempt, size / PLACE) * PLACE;
  }

  /** Serves the table: puts are messages, gets over TCP are lines. Returns the TCP port. */
  private static int keep(Vertx vertx, Rdma rdma, int keys) throws Exception {
    RegionOptions shared = new RegionOptions().setName("kv").setSize(2L * keys * PLACE).setAccess(RegionAccess.READ);
    MemoryRegion table = await(rdma.createRegion(shared));
    Map<Long, String> taken = new ConcurrentHashMap<>();
    Map<String, String> values = new ConcurrentHashMap<>();
    AtomicLong asked = new AtomicLong();
    await(rdma.createServer().connectHandler(connection -> connection.requestHandler(message -> {
      JsonObject put = message.toJsonObject();
      String key = put.getString("put");
      for (int attempt = 0; key != null; attempt++) {
        long offset = offset(key, attempt, table.size());
        if (taken.computeIfAbsent(offset, none -> key).equals(key)) {
          table.putRecord(offset, Buffer.buffer(key + '\0' + values.compute(key, (k, before) -> put.getString("value"))));
          break;
        }
      }
      return Future.succeededFuture(new JsonObject().put("asked", asked.get()).toBuffer());
    })).listen("kv"));
    return await(vertx.createNetServer().connectHandler(socket -> socket.handler(RecordParser.newDelimited("\n", line -> {
      asked.incrementAndGet();
      socket.write(values.get(line.toString()) + "\n");
    }))).listen(0, LOCAL)).actualPort();
  }

  private static void get(Vertx vertx, Rdma rdma, int port, int keys, int gets) throws Exception {
    RdmaConnection connection = await(rdma.connect("kv"));
    for (int i = 0; i < keys; i++) {
      ask(connection, new JsonObject().put("put", "key " + i).put("value", "value " + i));
    }
    System.out.println(keys + " keys were put, by messages over " + connection.fabric());
    RemoteRegion table = await(rdma.openRegion("kv"));
    Context context = vertx.getOrCreateContext();
    long before = ask(connection, new JsonObject());
    long[] reads = DemoPair.time(context, gets, i -> get(table, "key " + i % keys, 0).compose(value -> check(value, "value " + i % keys)));
    long between = ask(connection, new JsonObject());
    NetClient client = vertx.createNetClient();
    NetSocket socket = await(Future.<NetSocket>future(opened -> context.runOnContext(v -> client.connect(port, LOCAL).onComplete(opened))));
    long[] tcp = DemoPair.time(context, gets, i -> Future.<Buffer>future(answer -> socket
      .handler(RecordParser.newDelimited("\n", answer::tryComplete)).write("key " + i % keys + "\n"))
      .compose(line -> check(line.toString(), "value " + i % keys)));
    DemoPair.print(gets + " gets, one after the other", "remote reads", reads, "TCP", tcp);
    DemoPair.line("  over", table.fabric(), "TCP");
    DemoPair.line("  answered by the server's code", between - before, ask(connection, new JsonObject()) - between);
    await(client.close());
    System.out.println("done: every value was what had been put");
  }

  /** Gets the value of a key by remote reads. */
  private static Future<String> get(RemoteRegion table, String key, int attempt) {
    return table.readRecord(offset(key, attempt, table.size()), PLACE - 16).transform((record, cause) -> {
      String text = cause == null ? record.toString() : "";
      return cause != null ? Future.failedFuture(cause) : text.startsWith(key + '\0')
        ? Future.succeededFuture(text.substring(key.length() + 1)) : get(table, key, attempt + 1);
    });
  }

  /** Sends a message and returns the number of TCP requests that the server's code has answered. */
  private static long ask(RdmaConnection connection, JsonObject message) throws Exception {
    return await(connection.request(message.toBuffer())).toJsonObject().getLong("asked");
  }

  static Future<Void> check(Object value, Object expected) {
    return expected.equals(value) ? Future.succeededFuture() : Future.failedFuture(new IOException("got " + value + ", not " + expected));
  }

  static void http(DemoPair pair, Demo.Http arguments) throws Exception {
    RdmaOptions options = pair.forNetworkStack();
    Vertx vertx = Vertx.vertx();
    Rdma rdma = Rdma.create(vertx, options);
    Buffer page = Buffer.buffer(new byte[arguments.size]);
    if (!pair.isClient()) {
      int port = Main.freePorts(2);
      for (SocketAddress address : new SocketAddress[] {Rdma.address(LOCAL, port), SocketAddress.inetSocketAddress(port + 1, LOCAL)}) {
        await(vertx.createHttpServer().requestHandler(request -> request.response().end(page)).listen(address));
      }
      DemoPair.serve(Integer.toString(port));
      return;
    }
    int port = Integer.parseInt(pair.startServer());
    HttpClient http = vertx.createHttpClient();
    long[][] times = new long[2][];
    // The first two rounds warm up the JIT compiler.
    for (int round = 0; round < 4; round++) {
      SocketAddress server = round % 2 == 0 ? Rdma.address(LOCAL, port) : SocketAddress.inetSocketAddress(port + 1, LOCAL);
      times[round % 2] = DemoPair.time(vertx.getOrCreateContext(), arguments.requests,
        i -> http.request(new RequestOptions().setServer(server))
          .compose(request -> request.send()).compose(HttpClientResponse::body).compose(body -> check(body, page)));
    }
    DemoPair.print(arguments.requests + " GETs of " + arguments.size + " bytes, in a row", DemoPair.fabric(rdma), times[0], "TCP",
      times[1]);
    await(vertx.close());
  }
}
