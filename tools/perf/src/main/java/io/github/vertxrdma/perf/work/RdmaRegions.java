package io.github.vertxrdma.perf.work;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/** Remote memory: reads, writes, atomics, and notified writes that are answered by a notified write. */
final class RdmaRegions extends RdmaEnd {
  private static final String BACK = "perf-back";
  private static final long SIZE = 64L << 20;

  private RemoteRegion remote;
  private Future<RemoteRegion> back;
  private Exchange exchange;

  RdmaRegions(Setup setup) {
    super(setup);
  }

  @Override
  public JsonObject serve() throws Exception {
    MemoryRegion region = share(NAME);
    if (setup.mode().equals("notify")) {
      onContext(() -> {
        region.notificationHandler(n -> {
          if (back == null) {
            back = rdma.openRegion(BACK);
          }
          back.onSuccess(r -> r.writeNotify(0, Buffer.buffer(new byte[(int) n.length()]), n.tag()));
        });
        return Future.succeededFuture();
      });
    }
    return nothing();
  }

  private MemoryRegion share(String name) throws Exception {
    return onContext(() -> rdma.createRegion(new RegionOptions().setName(name).setSize(SIZE).addFabric(setup.fabric())
      .setAccess(RegionAccess.READ, RegionAccess.WRITE, RegionAccess.ATOMIC)));
  }

  @Override
  public void connect(JsonObject server) throws Exception {
    remote = onContext(() -> rdma.openRegion(NAME));
    if (setup.mode().equals("notify")) {
      MemoryRegion region = share(BACK);
      onContext(() -> {
        region.notificationHandler(n -> exchange.answered());
        return Future.succeededFuture();
      });
    }
  }

  @Override
  public Sample run(int size, long nanos) throws Exception {
    if (setup.mode().equals("notify")) {
      exchange = new Exchange(Buffer.buffer(new byte[size]), nanos);
      context.runOnContext(v -> exchange.start());
      return FutureAwait.await(exchange.done.future());
    }
    return TimedOperations.run(this, size, nanos, IntStream.range(0, underWay()).mapToObj(i -> operation(size, i)).toList());
  }

  private Supplier<Future<?>> operation(int size, int index) {
    Buffer buffer = Buffer.buffer(new byte[size]);
    long offset = (long) index * Math.max(size, 8) % (SIZE - size) & -8L;
    return switch (setup.mode()) {
      case "read" -> () -> remote.read(offset, buffer, 0, size);
      case "write" -> () -> remote.write(offset, buffer);
      default -> () -> remote.fetchAndAdd(offset, 1);
    };
  }

  /** Notified writes there and back. */
  private final class Exchange {
    private final Buffer data;
    private final long nanos;
    private final Histogram histogram = Sample.histogram();
    private final Promise<Sample> done = Promise.promise();
    private long begin;
    private long sent;

    Exchange(Buffer data, long nanos) {
      this.data = data;
      this.nanos = nanos;
    }

    void start() {
      begin = System.nanoTime();
      sent = begin;
      remote.writeNotify(0, data, 1).onFailure(done::tryFail);
    }

    void answered() {
      long now = System.nanoTime();
      histogram.recordValue(now - sent);
      sent = now;
      if (now - begin < nanos) {
        remote.writeNotify(0, data, 1).onFailure(done::tryFail);
      } else {
        done.tryComplete(Sample.of(histogram, now - begin, data.length()));
      }
    }
  }
}
