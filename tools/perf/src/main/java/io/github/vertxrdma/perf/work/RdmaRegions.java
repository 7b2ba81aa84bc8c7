package io.github.vertxrdma.perf.work;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.perf.work.TimedOperations.Exchange;
import io.github.vertxrdma.perf.work.TimedOperations.Operation;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Remote memory: reads, writes, atomics, and notified writes that are answered by a notified write. */
final class RdmaRegions extends End {
  private static final String BACK = "perf-back";
  private static final long SIZE = 64L << 20;

  private RemoteRegion remote;
  private Future<RemoteRegion> back;
  private Exchange exchange;

  RdmaRegions(Setup setup) {
    super(setup);
  }

  @Override
  public void serve() throws Exception {
    MemoryRegion region = share(NAME);
    if (setup.mode().equals("notify")) {
      onContext(() -> {
        region.notificationHandler(n -> {
          if (back == null) {
            back = rdma().openRegion(BACK);
          }
          back.onSuccess(r -> r.writeNotify(0, Buffer.buffer(new byte[(int) n.length()]), n.tag()));
        });
        return Future.succeededFuture();
      });
    }
  }

  private MemoryRegion share(String name) throws Exception {
    return onContext(() -> rdma().createRegion(new RegionOptions().setName(name).setSize(SIZE).addFabric(setup.fabric())
      .setAccess(RegionAccess.READ, RegionAccess.WRITE, RegionAccess.ATOMIC)));
  }

  @Override
  public void connect() throws Exception {
    remote = onContext(() -> rdma().openRegion(NAME));
    if (setup.mode().equals("notify")) {
      MemoryRegion region = share(BACK);
      onContext(() -> {
        region.notificationHandler(n -> exchange.replied());
        return Future.succeededFuture();
      });
    }
  }

  @Override
  public Sample run(int size, long nanos) throws Exception {
    if (setup.mode().equals("notify")) {
      exchange = new Exchange(this, request -> remote.writeNotify(0, request, 1).onFailure(exchange::fail), size, 1);
      return TimedOperations.run(this, size, nanos, exchange.operations());
    }
    return TimedOperations.run(this, size, nanos, IntStream.range(0, underWay()).mapToObj(i -> Operation.of(operation(size, i))).toList());
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
}
