package io.github.vertxrdma.cluster.impl;

import static io.github.vertxrdma.cluster.Clusters.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastException;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.LifecycleEvent.LifecycleState;
import com.hazelcast.instance.impl.LifecycleServiceImpl;
import com.hazelcast.map.listener.EntryUpdatedListener;
import io.github.vertxrdma.cluster.Clusters;
import io.github.vertxrdma.cluster.HazelcastDirectory;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryEvent.Type;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.LogLines;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An instance that was created for a directory ends with it, even if opening or closing fails. */
@Timeout(300)
class FailingInstanceTest {
  private static HazelcastInstance member;

  private final Vertx vertx = Vertx.vertx();
  private final Set<String> failing = ConcurrentHashMap.newKeySet();
  private final Map<String, CountDownLatch> held = new ConcurrentHashMap<>();
  /** Calls that wait, or have failed. */
  private final Set<String> waiting = ConcurrentHashMap.newKeySet();
  private final CountDownLatch blocked = new CountDownLatch(1);
  private final List<String> answered = new CopyOnWriteArrayList<>();
  private final AtomicInteger ended = new AtomicInteger();

  @BeforeAll
  static void start() throws Exception {
    int port = Clusters.freePorts();
    member = Hazelcast.newHazelcastInstance(QuietHazelcast.loopback("failing-" + port, port, 1));
  }

  @AfterAll
  static void end() {
    member.getLifecycleService().terminate();
  }

  @AfterEach
  void close() throws Exception {
    failing.clear();
    release();
    blocked.countDown();
    await(vertx.close());
  }

  private <T> T faulty(Class<T> type, T behind) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
      if (failing.contains(method.getName())) {
        waiting.add(method.getName());
        throw new HazelcastException(method.getName() + " fails");
      }
      if (held.containsKey(method.getName())) {
        waiting.add(method.getName());
        held.get(method.getName()).await();
      }
      Object result;
      try {
        result = method.invoke(behind, arguments);
      } catch (InvocationTargetException e) {
        throw e.getCause();
      }
      answered.add(method.getName());
      if (failing.contains("answer of " + method.getName())) {
        throw new HazelcastException("the answer of " + method.getName() + " is lost");
      }
      return switch (method.getName()) {
        case "getCluster", "getLifecycleService", "getClientService", "getMap" -> faulty(result, method.getReturnType());
        default -> result;
      };
    }));
  }

  private <T> Object faulty(Object behind, Class<T> type) {
    return faulty(type, type.cast(behind));
  }

  private void hold(String call) {
    held.put(call, new CountDownLatch(1));
    Await.until(call + " waits", () -> waiting.contains(call));
  }

  private void release() {
    held.values().forEach(CountDownLatch::countDown);
  }

  private static void awaitRenewals(int times) throws Exception {
    CountDownLatch renewals = new CountDownLatch(times);
    EntryUpdatedListener<String, byte[]> listener = event -> renewals.countDown();
    UUID listening = member.<String, byte[]>getMap("vertx-rdma.directory.default").addEntryListener(listener, "n/one", false);
    assertTrue(renewals.await(20, TimeUnit.SECONDS), () -> renewals.getCount() + " of " + times + " renewals did not come");
    member.getMap("vertx-rdma.directory.default").removeEntryListener(listening);
  }

  private Future<DirectoryBackend> open() {
    return ClusterDirectory.open(vertx, faulty(HazelcastInstance.class, member), new DirectoryOptions().setNodeId("one")
      .setLeaseTime(Duration.ofMillis(1500)), ended::incrementAndGet);
  }

  @ParameterizedTest
  @ValueSource(strings = {"getLocalEndpoint", "getMap", "addMembershipListener", "addLifecycleListener", "addClientListener"})
  void openingThatFailsEndsIt(String call) throws Exception {
    failing.add(call);
    Throwable cause = assertThrows(ExecutionException.class, () -> await(open())).getCause();
    assertEquals(call + " fails", cause.getMessage());
    assertEquals(1, ended.get());
    failing.clear();
    DirectoryBackend again = await(open());
    assertEquals("one", again.nodeId(), "its node id is free again");
    await(again.close());
    assertEquals(2, ended.get());
  }

  @ParameterizedTest
  @ValueSource(strings = {"removeMembershipListener", "removeLifecycleListener", "removeClientListener"})
  void closingThatFailsEndsIt(String call) throws Exception {
    DirectoryBackend directory = await(open());
    failing.add(call);
    assertThrows(ExecutionException.class, () -> await(directory.close()));
    assertEquals(1, ended.get());
  }

  @Test
  void instanceThatDoesNotRunIsShutDown() throws Exception {
    assertThrows(ExecutionException.class, () -> await(ClusterDirectory.open(vertx, null, new DirectoryOptions(), ended::incrementAndGet)));
    assertEquals(1, ended.get());
  }

  /** The map does not answer in time, as while its partitions move. */
  @ParameterizedTest
  @ValueSource(strings = {"put", "answer of put", "set", "entrySet"})
  void aNodeThatCannotBeStoredAsItRejoinsIsStoredLater(String call) throws Exception {
    DirectoryBackend one = await(open());
    await(one.publish(one.self()));
    await(one.publish(new ServiceEntry("orders", "one", one.epoch(), 0, List.of(), new JsonObject())));
    LogLines log = new LogLines(ClusterDirectory.class);
    Promise<Long> renewed = Promise.promise();
    one.watchEpoch(renewed::tryComplete);
    failing.add(call);
    ((LifecycleServiceImpl) member.getLifecycleService()).fireLifecycleEvent(LifecycleState.MERGED);
    long epoch = await(renewed.future());
    failing.clear();
    DirectoryBackend two = await(ClusterDirectory.open(vertx, member, new DirectoryOptions().setNodeId("two"), () -> {}));
    CountDownLatch seen = new CountDownLatch(2);
    two.watch(event -> {
      if (event.type() == Type.ADDED && event.entry().nodeId().equals("one") && event.entry().epoch() == epoch) {
        seen.countDown();
      }
    });
    assertTrue(seen.await(20, TimeUnit.SECONDS), () -> "the others know of " + two.nodes() + " and " + two.services());
    awaitRenewals(2);
    log.close();
    assertTrue(log.lines().stream().noneMatch(line -> line.contains("the same node id as this process")), log.lines().toString());
    await(two.close());
    await(one.close());
  }

  /** A stopped member does not answer until the cluster gives it up: longer than a lease. */
  @Test
  void nodeStaysVisibleWhileItsReadWaits() throws Exception {
    DirectoryBackend one = await(open());
    await(one.publish(one.self()));
    DirectoryBackend two = await(ClusterDirectory.open(vertx, member, new DirectoryOptions().setNodeId("two"), () -> {}));
    hold("entrySet");
    awaitRenewals(8);
    await(two.awaitNode("one", Duration.ofSeconds(20)));
    release();
    await(two.close());
    await(one.close());
  }

  @Test
  void waitingRenewalDoesNotRestoreWithdrawnNode() throws Exception {
    DirectoryBackend one = await(open());
    await(one.publish(one.self()));
    hold("put");
    answered.clear();
    await(one.withdraw(one.self()));
    release();
    // An earlier removal may be of entries that other tests have left.
    Await.until("both are done", () -> answered.contains("put") && answered.indexOf("put") < answered.lastIndexOf("remove"));
    Await.until("the node is not there", () -> !member.getMap("vertx-rdma.directory.default").containsKey("n/one"));
    await(one.close());
  }

  @Test
  void closeOfVertxEndsTheWaitForClusterAndShutsTheClientDown() throws Exception {
    Vertx closing = Vertx.vertx();
    blockWorkers(closing);
    DirectoryOptions options = new DirectoryOptions().setType(HazelcastDirectory.TYPE).setSettings(new JsonObject().put("cluster", "nobody")
      .put("members", new JsonArray().add("127.0.0.1:" + Clusters.freePorts())));
    Future<DirectoryBackend> opening = new HazelcastDirectoryFactory().open(closing, options);
    Await.until("the client waits", () -> !HazelcastClient.getAllHazelcastClients().isEmpty());
    long start = System.nanoTime();
    blocked.countDown();
    await(closing.close());
    Await.until("the client ends", () -> HazelcastClient.getAllHazelcastClients().isEmpty());
    assertTrue(System.nanoTime() - start < TimeUnit.SECONDS.toNanos(10), "it waited for the cluster");
    assertTrue(!opening.succeeded());
  }

  private void blockWorkers(Vertx of) {
    CountDownLatch running = new CountDownLatch(VertxOptions.DEFAULT_WORKER_POOL_SIZE);
    for (int i = 0; i < VertxOptions.DEFAULT_WORKER_POOL_SIZE; i++) {
      of.executeBlocking(() -> {
        running.countDown();
        blocked.await();
        return null;
      }, false);
    }
    Await.until("all workers are blocked", () -> running.getCount() == 0);
  }

  @Test
  void directoryOpensWhileAllWorkersAreBlocked() throws Exception {
    blockWorkers(vertx);
    await(await(open()).close());
  }

  @Test
  void outageIsLoggedOnceAndItsEndOnce() throws Exception {
    DirectoryBackend one = await(open());
    await(one.publish(one.self()));
    try (LogLines log = new LogLines(ClusterDirectory.class)) {
      failing.addAll(Set.of("put", "entrySet"));
      for (int refresh = 0; refresh < 5; refresh++) {
        waiting.clear();
        ((ClusterDirectory) one).partitionLost(null);
        Await.until("the map was read in vain", () -> waiting.contains("entrySet"));
      }
      failing.remove("put");
      waiting.clear();
      Await.until("the map was read in vain", () -> waiting.contains("entrySet"));
      failing.clear();
      Await.until("the outage ends", () -> log.lines().size() > 1);
      assertEquals(List.of("The directory of node one cannot read or write its map in Hazelcast: FAILURE. It retries, and finds the nodes "
        + "that it knew before", "The directory of node one reads and writes its map in Hazelcast again"),
        log.lines().stream().map(line -> line.replaceFirst("(put|entrySet) fails", "FAILURE")).toList());
    }
    await(one.close());
  }

  /** A member that has lost its connection with a client does not know the client's other connections. */
  @Test
  void nodeTakenForDeadRestoresAllItsEntries() throws Exception {
    DirectoryBackend one = await(ClusterDirectory.open(vertx, member, new DirectoryOptions().setNodeId("one")
      .setLeaseTime(Duration.ofMinutes(10)), () -> {}));
    await(one.publish(one.self()));
    await(one.publish(new ServiceEntry("orders", "one", one.epoch(), 0, List.of(), new JsonObject())));
    DirectoryBackend two = await(ClusterDirectory.open(vertx, member, new DirectoryOptions().setNodeId("two"), () -> {}));
    CountDownLatch gone = new CountDownLatch(2);
    CountDownLatch back = new CountDownLatch(4);
    two.watch(event -> (event.type() == Type.REMOVED ? gone : back).countDown());
    ((ClusterDirectory) two).removeStoredBy(member.getLocalEndpoint().getUuid());
    assertTrue(gone.await(20, TimeUnit.SECONDS));
    assertTrue(back.await(20, TimeUnit.SECONDS), () -> "sooner than a third of a lease: " + two.nodes() + " and " + two.services());
    await(two.close());
    await(one.close());
  }
}
