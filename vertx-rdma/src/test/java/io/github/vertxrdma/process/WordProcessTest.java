package io.github.vertxrdma.process;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.github.vertxrdma.referee.Use;
import io.github.vertxrdma.referee.WordClient;
import io.github.vertxrdma.simulator.referee.CallHistory;
import io.github.vertxrdma.simulator.referee.WordCall;
import io.github.vertxrdma.simulator.referee.WordCall.Kind;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(180)
@Tag("full")
class WordProcessTest {
  /** Lines of a history after which its process is killed or stopped: two for each call. */
  private static final int SOME = 200;
  private static final Long LOST = -1L;

  @TempDir
  Path folder;

  private final Vertx vertx = Vertx.vertx();
  private final List<ChildJvm> processes = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    processes.forEach(ChildJvm::close);
    await(vertx.close());
  }

  private Path history(int process) {
    return folder.resolve("history " + process);
  }

  private void start(String fabric, Use use, int number) throws Exception {
    processes.add(ChildJvm.start(WordProcess.class, folder.resolve("directory").toString(), fabric, "word",
      String.valueOf(1 + number * WordProcess.CLIENTS), history(number).toString(), use.name()));
  }

  private void untilCalled(int process) {
    until("process " + process + " has called", () -> {
      try (var lines = Files.lines(history(process))) {
        return lines.count() > SOME;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    });
  }

  private static WordCall look(MemoryRegion region) {
    long called = System.nanoTime();
    long found = region.getAcquire(0);
    return new WordCall(WordCall.OWNER, Kind.READ, 0, 0, called, System.nanoTime(), found);
  }

  @ParameterizedTest
  @ValueSource(strings = {"shm", "nio"})
  void aHistoryOfKilledAndStoppedClientsIsLinearizable(String fabric) throws Exception {
    killAndStop(fabric, Use.ATOMIC);
  }

  @ParameterizedTest
  @ValueSource(strings = {"shm", "nio"})
  @Tag("long")
  void aHistoryOfTheirPlainReadsAndWritesIsRegular(String fabric) throws Exception {
    killAndStop(fabric, Use.PLAIN);
  }

  private void killAndStop(String fabric, Use use) throws Exception {
    Fabrics fabrics = new Fabrics(vertx, folder.resolve("directory").toString(), List.of(fabric));
    MemoryRegion region = await(fabrics.nodes().get(fabric).createRegion(new RegionOptions().setName("word").setSize(64)
      .setAccess(RegionAccess.READ, use == Use.PLAIN ? RegionAccess.WRITE : RegionAccess.ATOMIC)));
    for (int i = 0; i < 2; i++) {
      start(fabric, use, i);
    }
    for (ChildJvm process : processes) {
      process.await("ready");
    }
    for (ChildJvm process : processes) {
      process.send("go");
    }
    CallHistory mine = new CallHistory();
    Future<Void> own = new WordClient(vertx, WordClient.byName(fabrics.nodes().get(fabric), "word"), use, mine, 1 + 2 * WordProcess.CLIENTS,
      0).run();
    untilCalled(0);
    processes.get(0).kill();
    untilCalled(1);
    ChildJvm stopped = processes.get(1);
    stopped.signal("STOP");
    List<WordCall> calls = new ArrayList<>();
    calls.add(look(region));
    long called = System.nanoTime();
    await(region.revoke(Duration.ofMillis(500)));
    calls.add(new WordCall(WordCall.OWNER, Kind.REVOKE, 0, 0, called, System.nanoTime(), 0));
    calls.add(look(region));
    stopped.signal("CONT");
    stopped.await("over");
    await(own);
    calls.add(look(region));
    calls.addAll(mine.calls());
    for (int i = 0; i < processes.size(); i++) {
      calls.addAll(CallHistory.read(history(i)));
    }
    judge(fabric, use, "killed and stopped clients", calls);
  }

  private static void judge(String fabric, Use use, String what, List<WordCall> calls) {
    assertNull(use.judge(calls));
    System.out.println(
      fabric + ", " + use + ", " + what + ": " + calls.size() + " calls, of which " + calls.stream().filter(call -> !call.isKnown()).count()
        + " had no answer");
  }

  private ChildJvm owner(String fabric) throws Exception {
    ChildJvm owner = ChildJvm.start(WordOwnerProcess.class, folder.resolve("directory").toString(), fabric, "word");
    processes.add(owner);
    owner.await("ready");
    return owner;
  }

  private Future<Void> clients(Rdma rdma, CallHistory history, int first) {
    List<Future<Void>> all = new ArrayList<>();
    for (int i = first; i < first + WordProcess.CLIENTS; i++) {
      all.add(new WordClient(vertx, WordClient.byName(rdma, "word"), Use.ATOMIC, history, i, first).run());
    }
    return Future.all(all).mapEmpty();
  }

  /** The next owner's word with the same name is another one: no call on the first reaches it. */
  @ParameterizedTest
  @Tag("full")
  @ValueSource(strings = {"shm", "nio"})
  void aHistoryWithAKilledOwnerIsLinearizableAndEndsWithIt(String fabric) throws Exception {
    Rdma rdma = new Fabrics(vertx, folder.resolve("directory").toString(), List.of(fabric)).nodes().get(fabric);
    ChildJvm first = owner(fabric);
    RemoteRegion old = await(rdma.openRegion("word"));
    RdmaDirectory directory = await(rdma.directory());
    String killed = directory.region("word").orElseThrow().nodeId();
    start(fabric, Use.ATOMIC, 0);
    ChildJvm others = processes.getLast();
    others.await("ready");
    others.send("go");
    untilCalled(0);
    CallHistory mine = new CallHistory();
    mine.when(SOME, first::kill);
    Future<Void> own = clients(rdma, mine, 1 + WordProcess.CLIENTS);
    await(own);
    others.await("over");
    first.kill();
    first.waitFor();
    List<WordCall> calls = new ArrayList<>(mine.calls());
    calls.addAll(CallHistory.read(history(0)));
    judge(fabric, Use.ATOMIC, "a killed owner", calls);

    owner(fabric);
    until("the next owner is known", () -> directory.region("word").stream().anyMatch(entry -> !entry.nodeId().equals(killed)));
    until("its loss is known", () -> LOST.equals(await(old.fetchAndAdd(0, 0), LOST)));
    CallHistory next = new CallHistory();
    Future<Void> later = clients(rdma, next, 1);
    assertEquals(LOST, await(old.fetchAndAdd(0, 1L << 50), LOST));
    await(later);
    assertFalse(next.calls().isEmpty());
    judge(fabric, Use.ATOMIC, "the next owner", next.calls());
  }
}
