package io.github.vertxrdma.functions.impl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.functions.Bill;
import io.github.vertxrdma.functions.FunctionException;
import io.github.vertxrdma.functions.FunctionException.Reason;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.lang.reflect.Proxy;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests over a connection that lives, but sends nothing. */
class ServerLinkTest {
  private static final Future<Void> REFUSED = Future.failedFuture(new RdmaException(RdmaException.Reason.TOO_LARGE, "no memory for it"));

  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void close() throws Exception {
    vertx.close().await(20, TimeUnit.SECONDS);
  }

  @Test
  void aRequestThatCannotBeSentFailsAtOnce() {
    assertFails(asking(null, REFUSED));
  }

  @Test
  void aRequestWhoseCodeCannotBeSentFailsAtOnce() {
    assertFails(asking(Buffer.buffer("code"), Future.succeededFuture(), REFUSED));
  }

  private static void assertFails(Future<JsonObject> answer) {
    FunctionException e = assertThrows(FunctionException.class, () -> answer.await(20, TimeUnit.SECONDS));
    assertEquals(Reason.WORKER_LOST, e.reason());
    assertTrue(e.getMessage().contains("server s of node n") && e.getMessage().contains("no memory for it"), e.getMessage());
  }

  private Future<JsonObject> asking(Buffer announced, Future<?>... writes) {
    int[] written = {0};
    RdmaConnection connection = (RdmaConnection) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {RdmaConnection.class},
      (proxy, method, arguments) -> method.getName().equals("write") ? writes[written[0]++] : proxy);
    LeaseLink link = new LeaseLink(vertx, connection, "s of node n", new LeaseLink.Owner() {
      @Override
      public void ended(Reason reason, String words, Bill bill) {
      }

      @Override
      public void lost(Throwable cause) {
      }
    });
    return link.ask(new JsonObject().put("op", "lease"), announced, TimeUnit.SECONDS.toMillis(130));
  }
}
