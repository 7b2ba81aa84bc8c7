package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.bus.RdmaBusClient;
import io.github.vertxrdma.statistics.ConnectionStatistics;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages for a busy event loop are limited, whichever loop is busy. */
@Timeout(120)
class BusyLoopBusTest extends BusServicePair {
  private static final int MESSAGE = 1 << 20;
  private static final int MOST = 150;

  private final CountDownLatch free = new CountDownLatch(1);
  private final AtomicInteger got = new AtomicInteger();
  private ContextInternal links;
  private ContextInternal home;
  private RdmaBusClient bus;

  @Override
  String fabric() {
    return "memory-rdm";
  }

  @Override
  RdmaOptions options() {
    return super.options().setMaxRdmLoops(1);
  }

  @BeforeEach
  void connect() throws Exception {
    serverVertx.eventBus().consumer("orders", message -> got.incrementAndGet());
    deploy("first");
    deploy("orders");
    links = ((VertxInternal) clientVertx).createEventLoopContext();
    connectOn(links, "first", 20_000);
    do {
      home = ((VertxInternal) clientVertx).createEventLoopContext();
    } while (home.nettyEventLoop() == links.nettyEventLoop());
    bus = connectOn(home, "orders", 20_000);
  }

  @AfterEach
  void goOn() {
    free.countDown();
  }

  private void beBusy() {
    try {
      assertTrue(free.await(60, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** @return the futures before the refused one */
  private static List<Future<Void>> sendAll(Callable<Future<Void>> send) throws Exception {
    List<Future<Void>> sent = new ArrayList<>();
    for (int i = 0; i < MOST; i++) {
      Future<Void> next = send.call();
      if (next.failed()) {
        assertEquals(Reason.LIMIT, reason(next));
        return sent;
      }
      sent.add(next);
    }
    throw new AssertionError(sent.size() + " messages were taken, and none was refused");
  }

  private Future<Void> send() {
    return bus.send(Buffer.buffer(new byte[MESSAGE]));
  }

  private void assertAllCome(List<Future<Void>> sent) throws Exception {
    free.countDown();
    await(Future.all(sent));
    until("all are there", () -> got.get() == sent.size());
    await(send());
  }

  @Test
  void sendFailsOnAThreadWhenTheClientsLoopIsBusy() throws Exception {
    home.runOnContext(v -> beBusy());
    assertAllCome(sendAll(this::send));
  }

  @Test
  void sendFailsWhenTheLoopOfTheConnectionIsBusy() throws Exception {
    links.runOnContext(v -> beBusy());
    Promise<List<Future<Void>>> sent = Promise.promise();
    home.runOnContext(v -> {
      try {
        sent.complete(sendAll(this::send));
      } catch (Throwable e) {
        sent.fail(e);
      }
    });
    assertAllCome(await(sent.future()));
  }

  private long pending() {
    return statistics(client).devices().stream().flatMap(device -> device.connections().stream())
      .mapToLong(ConnectionStatistics::pendingBytes)
      .sum();
  }

  @Test
  void sendFailsWhenTheLoopOfTheServiceIsBusy() throws Exception {
    serverVertx.eventBus().addOutboundInterceptor(delivery -> {
      beBusy();
      delivery.next();
    });
    assertAllCome(sendAll(() -> {
      Promise<Future<Void>> begun = Promise.promise();
      home.runOnContext(v -> begun.complete(send()));
      Future<Void> next = await(begun.future());
      until("it is taken or waits", () -> next.isComplete() || pending() > 0);
      return next;
    }));
  }
}
