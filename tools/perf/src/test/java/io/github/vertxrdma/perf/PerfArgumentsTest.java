package io.github.vertxrdma.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.commands.Mode;
import io.github.vertxrdma.commands.UsageException;
import io.github.vertxrdma.perf.work.Sample;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class PerfArgumentsTest {

  /** Returns the arguments for each combination of workers and connections. */
  private static List<PerfArguments> parseAll(List<String> line) {
    return PerfArguments.of(PerfArguments.command(line), 5, 1);
  }

  static PerfArguments parse(List<String> line) {
    return parseAll(line).getFirst();
  }

  @Test
  void readsEverything() {
    PerfArguments a = parse(List.of("rate", "--size=64,4k-64k,1m", "--fabric", "tcp,shm", "--against", "c,tcp", "--runs", "3",
      "--poll", "busy", "--window", "8", "--option", "bufferSize=65536", "--json"));
    assertEquals(Mode.RATE, a.mode());
    assertEquals(List.of(64, 4096, 16384, 65536, 1 << 20), a.sizes());
    assertEquals(List.of("tcp", "shm"), a.fabrics());
    assertEquals(List.of("c", "tcp"), a.against());
    assertEquals(65536, a.options().getInteger("bufferSize"));
  }

  @Test
  void withoutAModeAllAreNamed() {
    for (List<String> line : List.of(List.of("--runs", "3"), List.of("swim"))) {
      String message = assertThrows(UsageException.class, () -> parse(line)).getMessage();
      assertTrue(message.contains("latency, ping, rate, regions, connect, bus, http, call, start, builds"), message);
    }
  }

  @Test
  void everyGoalCanBeMeasured() {
    for (Goal goal : Goal.ALL) {
      PerfArguments arguments = parse(List.of(goal.command().split(" ")));
      assertFalse(goal.peer() != null && arguments.against().isEmpty(), goal.command());
    }
  }

  @ParameterizedTest
  @CsvSource({"ping, latency", "regions, read", "regions notify, notify", "connect, connection", "connect stream, stream", "call, contract",
    "call function, function", "start, start", "start idle, bus"})
  void pairOfProcessesDoesTheKindOfTheMode(String line, String workload) {
    assertEquals(workload, parse(List.of(line.split(" "))).workload());
  }

  @Test
  void atomicsHaveTheirOwnSize() {
    assertEquals(List.of(8), parse(List.of("regions", "atomic")).sizes());
  }

  @ParameterizedTest
  @CsvSource({"bus, false, 0", "bus --loops 2, false, 2", "bus --pinned, true, 1", "bus --pinned --loops 2, true, 2",
    "call function --pinned --connections 3, true, 3", "ping, false, 0", "call --pinned --connections 3, true, 1"})
  void processesArePlainUnlessPinned(String line, boolean pinned, int loops) {
    assertEquals(new PairPlacement(pinned, loops), parse(List.of(line.split(" "))).placement());
  }

  @ParameterizedTest
  @CsvSource({"rate, ''", "rate --zero-copy --fabric tcp, zeroCopy", "rate --touch --against c, touch",
    "rate --zero-copy --touch, zeroCopy touch", "rate --apart --fabric nio, apart"})
  void messagesAreSentAndReadAsTheOptionsSay(String line, String options) {
    PerfArguments arguments = parse(List.of(line.split(" ")));
    assertEquals(options, String.join(" ", arguments.messageOptions()));
    assertEquals(options.contains("touch"), arguments.touch());
    Row row = new Row(arguments, "shm", 64, Sample.NONE, null, null);
    assertEquals((arguments.mode().word() + " " + options.replace("zeroCopy", "zero-copy")).strip(), row.what());
    for (String option : List.of("zeroCopy", "touch", "apart")) {
      assertEquals(options.contains(option), row.toJson().getBoolean(option, false), option);
    }
  }

  @Test
  void workersAndTheirNumbersAreCombined() {
    List<PerfArguments> all = parseAll(List.of("call", "function", "--worker", "hot,warm", "--connections", "1-2,4",
      "--json"));
    assertEquals(List.of("hot 1", "hot 2", "hot 4", "warm 1", "warm 2", "warm 4"),
      all.stream().map(each -> each.worker() + " " + each.connections()).toList());
    assertTrue(all.getFirst().json());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "swim", "latency rate", "latency --size", "latency --size x", "latency --size -1", "latency --size 65m",
    "latency --fabric ,", "latency --runs 0", "latency --runs many", "latency --poll lazy", "latency --against nobody", "latency --wind 3",
    "latency --option bufferSize", "latency --option bufersize=1", "latency --connections 0", "latency --connections 3-1",
    "latency --worker hot", "call function --worker lukewarm", "call function --work -1", "latency --zero-copy", "regions --apart",
    "latency --touch", "rate --touch --against fi_pingpong", "rate --touch --size 4", "rate --touch --size 100", "latency --every -1",
    "latency --loops 0", "latency --fabric none", "rate --every 20", "ping --against c", "sparse", "regions swap", "latency read",
    "builds", "builds --before x --runs 1", "--report x --json", "latency --before x"})
  void saysInOneLineWhatIsWrong(String line) {
    UsageException e = assertThrows(UsageException.class, () -> parse(List.of(line.split(" "))));
    assertFalse(e.getMessage().contains("\n"), e.getMessage());
  }
}
