package io.github.vertxrdma.impl.calls;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.FabricChoice;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.bus.RdmaBusClientOptions;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.device.Reasons;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.poll.EventLoopHost;
import io.github.vertxrdma.provider.ProviderException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BusClientTest {
  private final VertxInternal vertx = (VertxInternal) Vertx.vertx();
  private final Model model = new Model();
  private BusClient client;

  private static final class Model implements BusInstances {
    final Map<Integer, Queue<Future<?>>> answers = new HashMap<>();
    final Queue<Integer> asked = new ConcurrentLinkedQueue<>();
    String suspected;

    void instance(Future<?>... said) {
      answers.put(answers.size(), new ArrayDeque<>(List.of(said)));
    }

    @Override
    public int closeMillis() {
      return 1000;
    }

    @Override
    public boolean isSuspected(String nodeId) {
      return nodeId.equals(suspected);
    }

    @Override
    public Future<List<ServiceEntry>> await(long millis) {
      return Future
        .succeededFuture(IntStream.range(0, answers.size()).mapToObj(i -> new ServiceEntry("orders", "node " + i, 1, i, List.of(),
          new JsonObject().put(BusServer.PROTOCOL, BusWire.PROTOCOL))).toList());
    }

    @Override
    public <T> Future<T> connect(ServiceEntry instance, BiFunction<Link, FabricChoice, T> opened) {
      asked.add(instance.instance());
      Queue<Future<?>> said = answers.get(instance.instance());
      return (said.size() > 1 ? said.poll() : said.element()).mapEmpty();
    }

    long asked(int instance) {
      return asked.stream().filter(each -> each == instance).count();
    }
  }

  private static Future<?> failed(Reason reason) {
    return Future.failedFuture(new RdmaException(reason, "says " + reason));
  }

  private Future<?> open() {
    return open(Duration.ofHours(1));
  }

  private Future<?> open(Duration lookupTimeout) {
    client = new BusClient(new EventLoopHost(vertx.createEventLoopContext()), () -> Future.succeededFuture(model), "orders",
      new RdmaBusClientOptions().setLookupTimeout(lookupTimeout));
    return client.open();
  }

  private static RdmaException failure(Future<?> future) {
    return assertInstanceOf(RdmaException.class, assertThrows(ExecutionException.class, () -> await(future)).getCause());
  }

  @AfterEach
  void close() throws Exception {
    await(vertx.close());
  }

  @Test
  void clientRefusedForGoodDoesNotRetry() {
    model.instance(failed(Reason.REJECTED));
    model.instance(failed(Reason.REJECTED));
    assertEquals("says REJECTED", failure(open()).getMessage());
    assertEquals(List.of(0, 1), model.asked.stream().sorted().toList());
  }

  @Test
  void anInstanceThatDoesNotAnswerIsAskedAgainAndOneThatRefusedIsNot() {
    model.instance(failed(Reason.REJECTED));
    model.instance(failed(Reason.UNREACHABLE), failed(Reason.CONNECTION_LOST), failed(Reason.REJECTED));
    assertEquals(Reason.REJECTED, failure(open()).reason());
    assertEquals(1, model.asked(0));
    assertEquals(3, model.asked(1));
  }

  @Test
  void pausesBetweenAttemptsGrow() {
    model.instance(failed(Reason.UNREACHABLE));
    assertEquals("says UNREACHABLE", failure(open(Duration.ofSeconds(2))).getMessage());
    // The attempts come after 0, 50, 150, 350, 750, 1550 and 2000 ms.
    assertTrue(model.asked(0) <= 8, () -> model.asked(0) + " attempts");
  }

  @Test
  void silentInstanceIsAskedLast() {
    for (int i = 0; i < 5; i++) {
      model.instance(failed(Reason.REJECTED));
    }
    model.suspected = "node 2";
    failure(open());
    assertEquals(List.of(0, 1, 2, 3, 4), model.asked.stream().sorted().toList());
    assertEquals(2, List.copyOf(model.asked).getLast());
  }

  @Test
  void refusalsThatMayPassAreNone() {
    ProviderException full = new ProviderException(ProviderException.Reason.REJECTED, "full");
    model.instance(failed(Reason.NOT_FOUND), failed(Reason.LIMIT),
      Future.failedFuture(new RdmaException(Reasons.ofEnd(full.reason()), "full", full)),
      failed(Reason.REJECTED));
    assertEquals("says REJECTED", failure(open()).getMessage());
    assertEquals(4, model.asked(0));
  }

  @Test
  void aLongSearchAmongManyEndsWithWhatTheLastOneSaid() {
    for (int i = 0; i < 200; i++) {
      model.instance(failed(Reason.UNREACHABLE));
    }
    assertEquals("says UNREACHABLE", failure(open(Duration.ofSeconds(3))).getMessage());
  }

  @Test
  void closeEndsAnAttemptThatIsUnderWay() throws Exception {
    model.instance(Promise.promise().future());
    Future<?> opened = open();
    until("it is asked", () -> model.asked(0) == 1);
    await(client.close());
    RdmaException cause = failure(opened);
    assertEquals(Reason.CLOSED, cause.reason());
    assertEquals("the client of service 'orders' is closed", cause.getMessage());
  }

  @Test
  void nobodyIsAskedAfterTheClose() throws Exception {
    Promise<Object> answer = Promise.promise();
    model.instance(answer.future(), failed(Reason.NOT_AUTHENTIC));
    model.instance(answer.future(), failed(Reason.NOT_AUTHENTIC));
    Future<?> opened = open();
    until("one is asked", () -> model.asked.size() == 1);
    await(client.close());
    answer.fail(failed(Reason.UNREACHABLE).cause());
    assertEquals(Reason.CLOSED, failure(opened).reason());
    assertEquals(1, model.asked.size(), "the answer found nobody who wanted to know");
  }
}
