package io.github.vertxrdma.suites;

import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.tests.eventbus.ClusteredEventBusTest;
import org.junit.Test;

public abstract class ClusteredBusSuite extends ClusteredEventBusTest {

  /** Vert.x's request waits 500 ms for its reply, too short for two connections on a busy machine. */
  @Override
  @Test
  public void testLocalOnlyDoesNotApplyToReplies() {
    startNodes(2);
    vertices[1].eventBus().consumer(ADDRESS1).handler(message -> message.reply("pong", new DeliveryOptions().setLocalOnly(true)))
      .completion().onComplete(onSuccess(registered -> vertices[0].eventBus().request(ADDRESS1, "ping")
        .onComplete(onSuccess(reply -> testComplete()))));
    await();
  }
}
