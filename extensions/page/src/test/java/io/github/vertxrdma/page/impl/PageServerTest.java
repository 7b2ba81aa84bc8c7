package io.github.vertxrdma.page.impl;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import java.lang.reflect.Proxy;
import java.util.BitSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PageServerTest {
  private static final int MOST = 256;
  private static final int MOST_OPEN = 512;

  private final Vertx vertx = Vertx.vertx();
  private final PageServer server = new PageServer(new Figures(vertx, null, 1_000), null);
  private final BitSet closed = new BitSet();

  @AfterEach
  void close() throws Exception {
    vertx.close().await(20, TimeUnit.SECONDS);
  }

  /** Opens a connection whose peer reads nothing, so that it does not end when the server closes it. */
  private void open(int number) {
    server.opened((HttpConnection) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {HttpConnection.class},
      (proxy, method, arguments) -> switch (method.getName()) {
        case "close" -> {
          closed.set(number);
          yield Future.succeededFuture();
        }
        case "equals" -> proxy == arguments[0];
        case "hashCode" -> number;
        default -> proxy;
      }));
  }

  @Test
  void newConnectionIsClosedIfTooManyClosedOnesAreUnread() {
    for (int i = 0; i < MOST; i++) {
      open(i);
    }
    assertEquals(0, closed.cardinality());
    for (int i = MOST; i < MOST_OPEN; i++) {
      open(i);
      assertEquals(i - MOST + 1, closed.nextClearBit(0), "the oldest ones are closed");
    }
    open(MOST_OPEN);
    assertEquals(MOST_OPEN - MOST, closed.nextClearBit(0), "no other one is closed");
    assertEquals(MOST_OPEN, closed.length() - 1, "the new one is closed");
  }
}
