package io.github.vertxrdma.differential;

import static io.github.vertxrdma.provider.contract.plants.Plant.answer;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.github.vertxrdma.provider.contract.plants.Plant;
import java.io.IOException;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** A few rows over shared memory find each planted regression, and show no difference without it. */
@Tag("full")
class PlantedRegressionsTest {
  private static final int ATTEMPTS = 3;
  private static final ClassDesc LINK_TABLE = ClassDesc.of("io.github.vertxrdma.impl.peers.LinkTable");
  private static final ClassDesc CONTROL_DIAL = ClassDesc.of("io.github.vertxrdma.impl.peers.ControlDial");
  private static final ClassDesc CONTROL_LINK = ClassDesc.of("io.github.vertxrdma.impl.peers.ControlLink");

  @TempDir
  private Path folder;

  /** @param rows rows that find the regression */
  private record Regression(String what, List<Row> rows, List<Plant> plants) {
    Regression(String what, List<String> rows, Plant... plants) {
      this(what, rows.stream().map(Row::parse).toList(), List.of(plants));
    }

    @Override
    public String toString() {
      return what;
    }
  }

  /** Returns the regressions that the regular expression {@code differential.regressions} selects, or all. */
  private static List<Regression> selected() {
    String selected = System.getProperty("differential.regressions", ".*");
    return regressions().stream().filter(regression -> regression.what().matches(selected)).toList();
  }

  private static List<Regression> regressions() {
    return List.of(
      new Regression("a write completes when taken", List.of("net | 20K many await | halt | paused"),
        new Plant("", "impl.transport.MovedOutput.retire", "isReported", answer(true))),
      new Regression("no flush at close", List.of("channel | 1M | close | slow", "channel | 1M | shutdown | slow"),
        new Plant("", "impl.transport.MoveHandler.close", "isDone|isSubmitted", answer(true))),
      new Regression("the tail is dropped at a death", List.of("net | 20K few await | halt, reader stopped"),
        new Plant("", "provider.shm.QueueLink.ended", "readToTheEnd", (code, call) -> code.pop())),
      new Regression("the tail is dropped at the death of a paused reader's writer", List.of("net | 20K await | halt | paused"),
        new Plant("", "impl.transport.MoveHandler.checkEnd", "isEmpty", answer(true))),
      new Regression("held messages are dropped after 10 s of silence", List.of("publish | 64 | reader stopped 12 s"),
        new Plant("", "impl.peers.Heartbeat.<init>", "deadMillis", millis(10_000)),
        new Plant("", "impl.peers.Heartbeat.<init>", "verifyMillis", millis(10_000)),
        new Plant("", "impl.peers.LinkTable.silent", "verify", PlantedRegressionsTest::declareDead)),
      new Regression("a connection of the event bus stays on TCP", List.of("publish | 64 | connect by TCP, move"),
        new Plant("", "impl.transport.TransportNode.client", "mayMove", answer(false))),
      new Regression("a hook closes the node", List.of("http1 | 64 await | reader's vertx.close, request in progress"),
        new Plant("", "impl.transport.TransportNode.<init>", "addCloseHook",
          (code, call) -> code.aload(0).invokestatic(ClassDesc.of(ClosingHook.class.getName()), "add",
            MethodTypeDesc.of(ConstantDescs.CD_void, ClassDesc.of("io.vertx.core.internal.VertxInternal"),
              ClassDesc.of("io.vertx.core.Closeable"), ConstantDescs.CD_Object)))),
      new Regression("a time of 1.5 s to verify a peer judges a stopped process", List.of("publish | 64 | reader stopped 5 s"),
        new Plant("", "impl.peers.Heartbeat.<init>", "deadMillis", millis(3_000)),
        new Plant("", "impl.peers.Heartbeat.<init>", "verifyMillis", millis(1_500)),
        new Plant("", "impl.peers.LinkTable.silent", "deadMillis", millis(3_000)),
        new Plant("", "impl.peers.LinkTable.dial", "start", PlantedRegressionsTest::limitDial)),
      new Regression("the end of a peer is an exception", List.of("net | 20K await | exit"),
        new Plant("", "impl.transport.LinkStream.closed", "hasPeerEnded", answer(false))));
  }

  private static Plant.Instead millis(long millis) {
    return (code, call) -> code.pop().loadConstant(millis);
  }

  /** Limits the handshake of the dial on the stack, if it has no limit. */
  private static void limitDial(CodeBuilder code, InvokeInstruction call) {
    if (call.typeSymbol().parameterCount() == 1) {
      code.loadConstant(1_500L).invokevirtual(CONTROL_DIAL, "start",
        call.typeSymbol().insertParameterTypes(1, ConstantDescs.CD_long));
    } else {
      code.with(call);
    }
  }

  /** Declares the peer of the control connection on the stack dead, whose deadline is above it. */
  private static void declareDead(CodeBuilder code, InvokeInstruction call) {
    code.pop2().dup2().invokevirtual(LINK_TABLE, "drop", MethodTypeDesc.of(ConstantDescs.CD_void, CONTROL_LINK)).iconst_0().iconst_0()
      .loadConstant("it has been silent for too long").invokevirtual(LINK_TABLE, "died", MethodTypeDesc.of(ConstantDescs.CD_void,
        CONTROL_LINK, ConstantDescs.CD_boolean, ConstantDescs.CD_boolean, ConstantDescs.CD_String));
  }

  @TestFactory
  Stream<DynamicTest> each() throws Exception {
    Archive archive = Archive.shared();
    List<Row> rows = selected().stream().flatMap(regression -> regression.rows().stream()).distinct().toList();
    DifferentialRun without = new DifferentialRun(Map.of(Lane.SHM, rows));
    without.run(new Suite(archive.classPath(), archive.options(), folder));
    Map<Regression, Future<List<Difference>>> found = new LinkedHashMap<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      selected().forEach(regression -> found.put(regression, threads.submit(() -> find(regression, archive, without))));
    }
    List<DynamicTest> tests = new ArrayList<>();
    tests.add(DynamicTest.dynamicTest("without a regression", () -> assertEquals(List.of(), without.differences(Lane.SHM))));
    found.forEach((regression, differences) -> tests.add(DynamicTest.dynamicTest(regression.what(), () -> {
      assertFalse(differences.get().isEmpty(), regression + " was not found by " + regression.rows());
    })));
    return tests.stream();
  }

  private List<Difference> find(Regression regression, Archive archive, DifferentialRun without)
    throws IOException, InterruptedException {
    Path planted = folder.resolve("planted-" + Integer.toHexString(regression.what().hashCode()));
    for (Plant plant : regression.plants()) {
      plant.write(planted);
    }
    List<String> options = new ArrayList<>(archive.options());
    options.add("-D" + Program.PLANTS + '=' + planted);
    Suite suite = new Suite(archive.classPath(), options, folder);
    List<Difference> found = List.of();
    // On a busy machine a connection may take TCP, which proves nothing.
    for (int i = 0; i < ATTEMPTS && found.stream().allMatch(Difference::timing); i++) {
      found = without.differences(suite, Lane.SHM, regression.rows());
      System.out.println(regression + ": " + found);
    }
    return found.stream().filter(difference -> !difference.timing()).toList();
  }
}
