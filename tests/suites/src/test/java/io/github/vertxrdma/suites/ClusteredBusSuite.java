package io.github.vertxrdma.suites;

import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.tests.eventbus.ClusteredEventBusTest;
import org.junit.Test;

/** Vert.x's tests of the clustered event bus, but for a time limit that a busy machine exceeds on stock epoll too. */
public abstract class ClusteredBusSuite extends ClusteredEventBusTest {

  /** The same as Vert.x's, whose request waits 500 ms for its reply. Two connections are made in that time. */
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
