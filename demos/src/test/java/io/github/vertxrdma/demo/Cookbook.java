package io.github.vertxrdma.demo;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaServer;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.functions.CallOptions;
import io.github.vertxrdma.functions.FunctionClient;
import io.github.vertxrdma.functions.FunctionOptions;
import io.github.vertxrdma.functions.FunctionServer;
import io.github.vertxrdma.functions.FunctionServerOptions;
import io.github.vertxrdma.functions.LeaseOptions;
import io.github.vertxrdma.functions.RemoteFunction;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.file.CopyOptions;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.Supplier;

/** The code of docs/cookbook.adoc. */
final class Cookbook {
  private Cookbook() {
  }

  // tag::stream[]
  /** Sends a quote to each reader every 100 ms, until the reader ends. */
  static Future<RdmaServer> quotes(Rdma rdma, Supplier<Buffer> quote) {
    Vertx vertx = rdma.vertx();
    return rdma.createServer().connectHandler(reader -> {
      long timer = vertx.setPeriodic(100, id -> {
        if (!reader.writeQueueFull()) {
          reader.write(quote.get());
        }
      });
      reader.endHandler(ended -> reader.end()).closeHandler(closed -> vertx.cancelTimer(timer));
    }).listen("quotes");
  }
  // end::stream[]

  // tag::cache[]
  private static final int SLOTS = 1024;
  private static final int SLOT_BYTES = 256;
  private static final int RECORD_BYTES = SLOT_BYTES - 16;

  private static long slot(String key) {
    return (long) Math.floorMod(key.hashCode(), SLOTS) * SLOT_BYTES;
  }

  /** The owner computes values on request, and keeps the last one of each slot in a region. */
  static Future<RdmaServer> cacheOwner(Rdma rdma, Function<String, String> compute) {
    return rdma.createRegion(new RegionOptions().setName("cache").setSize((long) SLOTS * SLOT_BYTES).setAccess(RegionAccess.READ))
      .compose(region -> rdma.createServer().connectHandler(connection -> connection.requestHandler(key -> {
        String value = compute.apply(key.toString());
        Buffer record = Buffer.buffer(key + "=" + value);
        if (record.length() <= RECORD_BYTES) {
          region.putRecord(slot(key.toString()), record);
        }
        return Future.succeededFuture(Buffer.buffer(value));
      })).listen("cache"));
  }

  /** Reads the value from the owner's memory, and asks the owner only if it is not there. */
  static Future<String> get(RemoteRegion cache, RdmaConnection owner, String key) {
    return cache.readRecord(slot(key), RECORD_BYTES).compose(record -> {
      if (record != null && record.toString().startsWith(key + "=")) {
        return Future.succeededFuture(record.toString().substring(key.length() + 1));
      }
      return owner.request(Buffer.buffer(key)).map(Buffer::toString);
    });
  }
  // end::cache[]

  // tag::restart[]
  /** Shares the content of a file, and saves the region there each second. */
  static Future<MemoryRegion> table(Rdma rdma, String file) {
    Vertx vertx = rdma.vertx();
    return vertx.fileSystem().exists(file)
      .compose(saved -> rdma.createRegion(
        new RegionOptions().setName("table").setSize(4096).setAccess(RegionAccess.READ).setFile(saved ? file : null)))
      .onSuccess(table -> vertx.setPeriodic(1000, id -> save(vertx, table, file)));
  }

  /** A process that is killed meanwhile leaves the file as it was. */
  static Future<Void> save(Vertx vertx, MemoryRegion table, String file) {
    return vertx.fileSystem().writeFile(file + ".new", table.read(0, 4096))
      .compose(written -> vertx.fileSystem().move(file + ".new", file, new CopyOptions().setReplaceExisting(true)));
  }
  // end::restart[]

  // tag::pool[]
  static Future<FunctionServer> workers(Rdma rdma) {
    return FunctionServer.create(rdma, new FunctionServerOptions().setCores(2))
      .register("shout", new FunctionOptions().setIdempotent(true),
        RemoteFunction.of(text -> Buffer.buffer(text.toString().toUpperCase())))
      .listen();
  }

  /** Keeps a worker leased, of any server that has a free one. */
  static Future<FunctionClient> pool(Rdma rdma) {
    FunctionClient client = FunctionClient.create(rdma);
    return client.lease(new LeaseOptions().setKeep(true)).map(client);
  }

  /** Waits up to 10 s for a worker and its answer. */
  static Future<Buffer> shout(FunctionClient pool, String text) {
    return pool.invoke("shout", Buffer.buffer(text), CallOptions.DEFAULT.withTimeout(Duration.ofSeconds(10)));
  }
  // end::pool[]
}
