package io.github.vertxrdma.examples;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionGrant;
import io.github.vertxrdma.RegionOpenOptions;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Set;

/** The code of docs/remote-memory.adoc. */
final class RegionExamples {
  private RegionExamples() {
  }

  // tag::view[]
  static Future<Long> sum(RemoteRegion samples) {
    return samples.view(0, samples.size()).map(view -> view.elements(ValueLayout.JAVA_LONG)
      .mapToLong(word -> word.get(ValueLayout.JAVA_LONG, 0)).sum());
  }
  // end::view[]

  // tag::copy[]
  /** Copies a whole remote region into memory of this process. */
  static Future<MemoryRegion> copy(Rdma rdma, RemoteRegion remote) {
    return rdma.createRegion(new RegionOptions().setSize(remote.size()))
      .compose(local -> remote.read(0, local, 0, remote.size()).map(local));
  }
  // end::copy[]

  // tag::reopen[]
  /** Passes on the region, and each one that replaces it. */
  static Future<RemoteRegion> follow(Rdma rdma, Handler<RemoteRegion> use) {
    return rdma.openRegion("prices", new RegionOpenOptions().setReconnectAttempts(-1).setTimeout(Duration.ofSeconds(1)))
      .onSuccess(prices -> use(prices, use));
  }

  private static void use(RemoteRegion prices, Handler<RemoteRegion> use) {
    prices.reconnectHandler(next -> use(next, use));
    use.handle(prices);
  }
  // end::reopen[]

  // tag::grant[]
  /** On one side of a connection: a mebibyte, for a minute, to be written to. */
  static Future<RegionGrant> grant(Rdma rdma, RdmaConnection connection) {
    return rdma.createRegion(new RegionOptions().setSize(1 << 20).setAccess(RegionAccess.WRITE))
      .onSuccess(room -> room.notificationHandler(written -> System.out.println(written.length() + " bytes are there")))
      .compose(room -> connection.grant(room, Set.of(RegionAccess.WRITE), Duration.ofMinutes(1)));
  }

  /** On the other side. */
  static void fill(RdmaConnection connection, Buffer data) {
    connection.grantHandler(room -> room.writeNotify(0, data, 1));
  }
  // end::grant[]
}
