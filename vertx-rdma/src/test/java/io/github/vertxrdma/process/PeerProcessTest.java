package io.github.vertxrdma.process;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.*;

import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A peer in another process, over every fabric at once, is stopped for five seconds during traffic, and killed. */
@Timeout(180)
class PeerProcessTest {
  private static final int STOPPED_SECONDS = 5;
  private static final int SOME = 100;

  @TempDir
  Path folder;

  private final Vertx vertx = Vertx.vertx();
  private final Map<String, Traffic> traffic = new LinkedHashMap<>();
  private Fabrics fabrics;
  private ChildJvm peer;

  @BeforeEach
  void startPeer() throws Exception {
    fabrics = new Fabrics(vertx, folder.resolve("directory").toString(), Fabrics.ALL);
    peer = ChildJvm.start(PeerProcess.class, Stream.concat(Stream.of(folder.resolve("directory").toString(), PeerProcess.SERVE),
      Stream.of(fabrics.names())).toArray(String[]::new));
    peer.await("ready");
  }

  private void start(Fabrics nodes) throws Exception {
    for (String fabric : nodes.names()) {
      traffic.put(fabric, await(nodes.nodes().get(fabric).connect("traffic over " + fabric).map(made -> new Traffic(vertx, made))));
    }
    untilAll("there is traffic", t -> t.received() > SOME);
  }

  @AfterEach
  void close() throws Exception {
    peer.close();
    await(vertx.close());
  }

  private void untilAll(String what, Predicate<Traffic> condition) {
    for (Map.Entry<String, Traffic> each : traffic.entrySet()) {
      until(what + " over " + each.getKey(), () -> condition.test(each.getValue()));
    }
  }

  private JsonObject report(String asked) throws Exception {
    peer.send(asked);
    return new JsonObject(peer.await("report"));
  }

  @TestFactory
  Stream<DynamicTest> fiveSecondsStoppedLoseNothing() throws Exception {
    start(fabrics);
    Map<String, RemoteRegion> words = new LinkedHashMap<>();
    for (String fabric : fabrics.names()) {
      words.put(fabric, await(fabrics.nodes().get(fabric).openRegion("word over " + fabric)));
    }
    Map<String, Queue<Future<Long>>> additions = new LinkedHashMap<>();
    words.forEach((fabric, word) -> additions.put(fabric, new ConcurrentLinkedQueue<>()));
    Context adder = vertx.getOrCreateContext();
    Promise<Void> added = Promise.promise();
    AtomicBoolean enough = new AtomicBoolean();
    adder.runOnContext(v -> vertx.setPeriodic(20, id -> {
      if (enough.get()) {
        vertx.cancelTimer(id);
        added.complete();
        return;
      }
      words.forEach((fabric, word) -> {
        if (additions.get(fabric).size() < 200) {
          additions.get(fabric).add(word.fetchAndAdd(8, 1));
        }
      });
    }));

    peer.signal("STOP");
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(STOPPED_SECONDS);
    until("five seconds have passed", () -> System.nanoTime() > end);
    Map<String, Long> before = new LinkedHashMap<>();
    traffic.forEach((fabric, t) -> before.put(fabric, t.received()));
    peer.signal("CONT");
    for (String fabric : fabrics.names()) {
      until("it goes on over " + fabric, () -> traffic.get(fabric).received() > before.get(fabric) + 2 * SOME
        || traffic.get(fabric).failure() != null);
    }
    enough.set(true);
    await(added.future());

    traffic.values().forEach(Traffic::end);
    report("end");
    untilAll("both sides have ended", t -> t.isEnded() || t.failure() != null);
    JsonObject[] report = new JsonObject[1];
    until("the peer has heard the ends", () -> {
      try {
        report[0] = report("report");
      } catch (Exception e) {
        throw new AssertionError(e);
      }
      return report[0].fieldNames().stream().map(report[0]::getJsonObject)
        .allMatch(its -> its.getBoolean("ended") || its.getValue("failure") != null);
    });
    Map<String, Long> sums = new LinkedHashMap<>();
    Map<String, Throwable> failures = new LinkedHashMap<>();
    for (String fabric : words.keySet()) {
      await(Future.join(List.copyOf(additions.get(fabric))).onFailure(e -> failures.put(fabric, e)).otherwiseEmpty());
      sums.put(fabric, await(words.get(fabric).fetchAndAdd(8, 0), -1L));
    }
    return fabrics.each(fabric -> {
      Traffic mine = traffic.get(fabric);
      JsonObject its = report[0].getJsonObject(fabric);
      assertNull(mine.failure());
      assertNull(its.getValue("failure"));
      assertEquals(its.getLong("sent"), mine.received());
      assertEquals(mine.sent(), its.getLong("received"));
      assertNull(failures.get(fabric));
      assertEquals(additions.get(fabric).size(), sums.get(fabric));
      System.out.println(fabric + ": stopped for 5 s, " + mine.sent() + " messages there, " + mine.received() + " back, "
        + sums.get(fabric) + " additions");
    });
  }

  /** The promise is 2 s, in which a busy machine may not run this process at all, so the time is printed. */
  @TestFactory
  Stream<DynamicTest> aKilledPeerIsNoticed() throws Exception {
    start(fabrics);
    Map<String, RemoteRegion> words = new LinkedHashMap<>();
    for (String fabric : fabrics.names()) {
      words.put(fabric, await(fabrics.nodes().get(fabric).openRegion("word over " + fabric)));
    }
    Map<String, Long> millis = kill();
    Map<String, Boolean> fails = new LinkedHashMap<>();
    words.forEach((fabric, word) -> fails.put(fabric, await(word.fetchAndAdd(8, 1).map(false), true)));
    return fabrics.each(fabric -> {
      noticed(fabric, millis);
      assertTrue(fails.get(fabric), "an addition to the memory of the dead");
    });
  }

  @TestFactory
  Stream<DynamicTest> aKilledPeerThatIsKnownByAddressOnlyIsNoticed() throws Exception {
    DirectoryOptions byHand = new DirectoryOptions().setType(DirectoryOptions.STATIC);
    for (String fabric : fabrics.names()) {
      RdmaDirectory directory = await(fabrics.nodes().get(fabric).directory());
      ServiceEntry there = await(directory.awaitServices("traffic over " + fabric, Duration.ofSeconds(20))).getFirst();
      NodeEntry node = directory.node(there.nodeId()).orElseThrow();
      byHand.addEntry(new NodeEntry(node.nodeId(), 0, node.process(), "", 0, "", "", List.of(), ""))
        .addEntry(new ServiceEntry(there.name(), there.nodeId(), 0, 0, there.addresses(), new JsonObject()));
    }
    start(new Fabrics(vertx, byHand, List.of(fabrics.names())));
    Map<String, Long> millis = kill();
    return fabrics.each(fabric -> noticed(fabric, millis));
  }

  /** @return milliseconds until it was noticed, by fabric */
  private Map<String, Long> kill() throws Exception {
    long killed = System.nanoTime();
    peer.kill();
    Map<String, Long> millis = new LinkedHashMap<>();
    until("the loss is noticed over all fabrics", () -> {
      traffic.forEach((fabric, t) -> {
        if (t.isClosed()) {
          millis.putIfAbsent(fabric, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - killed));
        }
      });
      return millis.size() == traffic.size();
    });
    return millis;
  }

  private void noticed(String fabric, Map<String, Long> millis) {
    String failure = traffic.get(fabric).failure();
    System.out.println(fabric + ": its death noticed after " + millis.get(fabric) + " ms: " + failure);
    assertNotNull(failure);
  }
}
