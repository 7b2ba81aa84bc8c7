package io.github.vertxrdma.examples;

// tag::all[]
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnectOptions;
import io.github.vertxrdma.RdmaException;
import io.vertx.core.Vertx;
import java.time.Duration;

/** Connects to a service that no node offers, and decides by the reason of the failure. */
public class Absent {
  public static void main(String... arguments) {
    Vertx vertx = Vertx.vertx();
    Rdma.create(vertx).connect("orders", new RdmaConnectOptions().setLookupTimeout(Duration.ofSeconds(1)))
      .onFailure(cause -> {
        RdmaException failure = (RdmaException) cause;
        System.out.println(switch (failure.reason()) {
          case NOT_FOUND -> "nobody offers it";
          case REJECTED, ACCESS_DENIED, NOT_AUTHENTIC -> "this node may not use it";
          default -> failure.isEffectUnknown() ? "it may have had an effect" : "it had no effect";
        });
      })
      .eventually(vertx::close);
  }
}
// end::all[]
