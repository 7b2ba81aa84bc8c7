package io.github.vertxrdma.impl.transport;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.Vertx;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

/** A transport of the application, whose handlers are woken, and polled without blocking. */
@Tag("polling")
class NetOverOwnTransportTest extends NetOverFabricTest {
  private final OwnTransport transport = new OwnTransport();

  @Override
  Vertx newVertx() {
    return Vertx.builder().withTransport(transport).build();
  }

  @AfterEach
  void handlersWereCalled() {
    assertTrue(transport.looks.get() > 0, "looks");
    assertTrue(transport.sleeps.get() > 0, "sleeps");
    assertTrue(transport.wakeups.get() > 0, "wake-ups");
  }
}
