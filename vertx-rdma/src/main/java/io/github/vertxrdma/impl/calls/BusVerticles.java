package io.github.vertxrdma.impl.calls;

import io.vertx.core.Deployable;
import java.util.concurrent.Callable;

/** Creates verticles of names such as {@code rdma:orders} and {@code rdma:orders?connect}. */
public final class BusVerticles {
  private static final String CONNECT = "connect";

  private BusVerticles() {
  }

  /** @throws IllegalArgumentException if the identifier is invalid */
  public static Callable<Deployable> of(String identifier) {
    String rest = identifier.substring(identifier.indexOf(':') + 1);
    int mark = rest.indexOf('?');
    String name = mark < 0 ? rest : rest.substring(0, mark);
    String query = mark < 0 ? null : rest.substring(mark + 1);
    if (name.isEmpty() || query != null && !query.equals(CONNECT)) {
      throw new IllegalArgumentException("'" + identifier + "' is no service: rdma:name serves one, rdma:name?connect uses one");
    }
    return query == null ? () -> new ServerVerticle(name) : () -> new ClientVerticle(name);
  }
}
