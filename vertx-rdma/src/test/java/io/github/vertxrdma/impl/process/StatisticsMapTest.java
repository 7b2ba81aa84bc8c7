package io.github.vertxrdma.impl.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.provider.contract.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Files of nodes, in a folder that containers may share. */
@Timeout(60)
class StatisticsMapTest {
  private static final long PID = ProcessHandle.current().pid();

  @TempDir
  Path folder;

  @BeforeEach
  void ownFolder() {
    System.setProperty("vertx.rdma.runtime", folder.resolve("run").toString());
  }

  @AfterEach
  void commonFolder() {
    System.clearProperty("vertx.rdma.runtime");
  }

  private Path only() throws IOException {
    try (Stream<Path> files = Files.list(folder.resolve("run").resolve("stat"))) {
      return files.reduce((a, b) -> {
        throw new AssertionError(a + " and " + b);
      }).orElseThrow();
    }
  }

  /** The same file, as if another process had made it. @param part of the name that differs */
  private static Path ofAnother(Path own, int part) throws IOException {
    String[] name = own.getFileName().toString().split("-");
    name[part] = Long.toString(Long.parseLong(name[part]) + 1);
    return Files.copy(own, own.resolveSibling(String.join("-", name)));
  }

  @Test
  void eachProcessIsReadByItsId() throws IOException {
    try (StatisticsMap one = StatisticsMap.create(); StatisticsMap other = StatisticsMap.create()) {
      one.write("one");
      other.write("other");
      assertEquals(List.of("one", "other"), StatisticsMap.read(PID));
      assertEquals(List.of(PID), StatisticsMap.processes());
    }
    assertEquals(List.of(), StatisticsMap.read(PID));
  }

  @Test
  void whatIsTooLongIsRefusedByName() throws IOException {
    try (StatisticsMap own = StatisticsMap.create()) {
      String longest = "x".repeat(StatisticsMap.MOST);
      own.write(longest);
      RdmaException refused = assertThrows(RdmaException.class, () -> own.write(longest + "x"));
      assertTrue(
        refused.reason() == RdmaException.Reason.LIMIT && refused.getMessage().startsWith("its statistics have 1048561 bytes, and"),
        refused.toString());
      assertEquals(List.of(longest), StatisticsMap.read(PID));
    }
  }

  /** Their numbers are of one digit and of two. */
  @Test
  void nodesOfAProcessAreToldInTheOrderTheyCame() throws IOException {
    List<StatisticsMap> nodes = new ArrayList<>();
    List<String> words = IntStream.range(0, 12).mapToObj(Integer::toString).toList();
    try {
      for (String word : words) {
        nodes.add(StatisticsMap.create());
        nodes.getLast().write(word);
      }
      assertEquals(words, StatisticsMap.read(PID));
    } finally {
      nodes.forEach(StatisticsMap::close);
    }
  }

  /** In two containers one process id is usual. */
  @Test
  void aProcessOfAnotherContainerWithTheSameIdIsLeftAlone() throws IOException {
    try (StatisticsMap own = StatisticsMap.create()) {
      own.write("own");
      Path theirs = ofAnother(only(), 0);
      assertEquals(List.of("own"), StatisticsMap.read(PID));
      assertEquals(List.of(PID), StatisticsMap.processes());
      assertTrue(Files.exists(theirs));
    }
  }

  @Test
  void aNewNodeRemovesTheFilesOfKilledProcesses() throws IOException {
    try (StatisticsMap own = StatisticsMap.create()) {
      own.write("own");
      Path theirs = ofAnother(only(), 2);
      try (StatisticsMap next = StatisticsMap.create()) {
        next.write("next");
        assertFalse(Files.exists(theirs));
        assertEquals(List.of("own", "next"), StatisticsMap.read(PID));
      }
    }
  }

  /** In a process whose files may have 256 KiB, less than a map has. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void aFileThatCannotBeMappedIsNotLeft() throws Exception {
    List<String> limit = List.of("sh", "-c", "ulimit -f 512 && exec \"$0\" \"$@\"");
    try (ChildJvm child = ChildJvm.startBy(limit, StatisticsMapTest.class, folder.resolve("run").toString())) {
      assertEquals("[]", child.await("left "));
    }
  }

  /** Makes the file of a node, which fails, and says what is there. */
  public static void main(String[] arguments) throws IOException {
    System.setProperty("vertx.rdma.runtime", arguments[0]);
    try (StatisticsMap made = StatisticsMap.create()) {
      System.out.println("left a map");
    } catch (IOException e) {
      try (Stream<Path> files = Files.list(Path.of(arguments[0], "stat"))) {
        System.out.println("left " + files.toList());
      }
    }
  }

  @Test
  void aProcessThatHadTheIdBeforeIsGone() throws IOException {
    try (StatisticsMap own = StatisticsMap.create()) {
      own.write("own");
      Path before = ofAnother(only(), 2);
      assertEquals(List.of("own"), StatisticsMap.read(PID));
      assertEquals(List.of(PID), StatisticsMap.processes());
      assertFalse(Files.exists(before));
    }
  }
}
