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
import org.junit.jupiter.api.io.TempDir;

/** Files of nodes, in a folder that containers may share. */
@Timeout(60)
class PublishedStatisticsTest {
  private static final long PID = ProcessHandle.current().pid();
  private static final int LENGTH = 20_000;

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

  /**
   * Writes a file like that of another process, without a lock.
   * @param part of the name that differs
   */
  private static Path ofAnother(Path own, int part) throws IOException {
    String[] name = own.getFileName().toString().split("-");
    name[part] = Long.toString(Long.parseLong(name[part]) + 1);
    return Files.write(own.resolveSibling(String.join("-", name)), new byte[16]);
  }

  @Test
  void eachProcessIsReadByItsId() throws IOException {
    try (PublishedStatistics one = PublishedStatistics.create(); PublishedStatistics other = PublishedStatistics.create()) {
      one.write("one");
      other.write("other");
      assertEquals(List.of("one", "other"), PublishedStatistics.read(PID));
      assertEquals(List.of(PID), PublishedStatistics.processes());
    }
    assertEquals(List.of(), PublishedStatistics.read(PID));
  }

  @Test
  void whatIsTooLongIsRefusedByName() throws IOException {
    try (PublishedStatistics own = PublishedStatistics.create()) {
      String longest = "x".repeat(PublishedStatistics.MOST);
      own.write(longest);
      RdmaException refused = assertThrows(RdmaException.class, () -> own.write(longest + "x"));
      assertTrue(
        refused.reason() == RdmaException.Reason.LIMIT && refused.getMessage().startsWith("its statistics have 1048561 bytes, and"),
        refused.toString());
      assertEquals(List.of(longest), PublishedStatistics.read(PID));
    }
  }

  /** The nodes' numbers have one digit or two. */
  @Test
  void nodesOfAProcessAreListedInTheirOrder() throws IOException {
    List<PublishedStatistics> nodes = new ArrayList<>();
    List<String> words = IntStream.range(0, 12).mapToObj(Integer::toString).toList();
    try {
      for (String word : words) {
        nodes.add(PublishedStatistics.create());
        nodes.getLast().write(word);
      }
      assertEquals(words, PublishedStatistics.read(PID));
    } finally {
      for (PublishedStatistics node : nodes) {
        node.close();
      }
    }
  }

  /** Publishes statistics under the name of a process of another container, which is not in this /proc. Arguments: its folder, its name. */
  static final class Contained {
    public static void main(String[] arguments) throws Exception {
      HeldFile.create(Path.of(arguments[0], arguments[1]), new byte[16]);
      System.out.println("held");
      System.in.read();
    }
  }

  /** In two containers one process id is usual, and neither sees the other in its /proc. */
  @Test
  void livingProcessOfAnotherContainerWithTheSameIdIsLeftAlone() throws Exception {
    try (PublishedStatistics own = PublishedStatistics.create()) {
      own.write("own");
      String[] name = only().getFileName().toString().split("-");
      name[0] += "1";
      Path theirs = only().resolveSibling(String.join("-", name));
      try (ChildJvm child = ChildJvm.start(Contained.class, theirs.getParent().toString(), theirs.getFileName().toString())) {
        child.await("held");
        assertEquals(List.of("own"), PublishedStatistics.read(PID));
        assertEquals(List.of(PID), PublishedStatistics.processes());
        assertTrue(Files.exists(theirs));
      }
    }
  }

  /** As with hidepid of proc(5): the process lives, and this one does not see it. */
  @Test
  void livingProcessThatProcDoesNotShowIsRead() throws Exception {
    try (PublishedStatistics own = PublishedStatistics.create()) {
      own.write("own");
      String[] name = only().getFileName().toString().split("-");
      name[1] = Integer.toString(Integer.MAX_VALUE);
      Path theirs = only().resolveSibling(String.join("-", name));
      try (ChildJvm child = ChildJvm.start(Contained.class, theirs.getParent().toString(), theirs.getFileName().toString())) {
        child.await("held");
        assertTrue(PublishedStatistics.processes().contains((long) Integer.MAX_VALUE), "it is listed");
        assertTrue(Files.exists(theirs));
      }
    }
  }

  @Test
  void removedFileIsRestoredByTheNextWrite() throws IOException {
    try (PublishedStatistics own = PublishedStatistics.create()) {
      own.write("before");
      Files.delete(only());
      own.write("after");
      assertEquals(List.of("after"), PublishedStatistics.read(PID));
      assertTrue(Files.exists(only()));
    }
  }

  /** Prints the statistics of a process. Arguments: the runtime folder, the process, and how often. */
  static final class Reader {
    public static void main(String[] arguments) throws Exception {
      System.setProperty("vertx.rdma.runtime", arguments[0]);
      for (int whole = 0; whole < Integer.parseInt(arguments[2]);) {
        List<String> texts = PublishedStatistics.read(Long.parseLong(arguments[1]));
        if (texts.isEmpty()) {
          // The writer stood still in the middle of a text.
          continue;
        }
        String text = texts.getFirst();
        if (text.chars().distinct().count() != 1 || text.length() != LENGTH * (text.charAt(0) - 'a' + 1)) {
          System.out.println("torn " + text.length());
        }
        whole++;
      }
      System.out.println("done");
    }
  }

  @Test
  void otherProcessReadsEachTextWhole() throws Exception {
    try (PublishedStatistics own = PublishedStatistics.create()) {
      own.write("a".repeat(LENGTH));
      try (ChildJvm child = ChildJvm.start(Reader.class, folder.resolve("run").toString(), Long.toString(PID), "2000")) {
        for (int i = 0; !child.hasPrinted("done") && !child.hasPrinted("torn"); i++) {
          own.write(Character.toString('a' + i % 3).repeat(LENGTH * (i % 3 + 1)));
          Thread.yield();
        }
        assertEquals(List.of(), child.printed("torn"));
      }
    }
  }

  @Test
  void aNewNodeRemovesTheFilesOfKilledProcesses() throws IOException {
    try (PublishedStatistics own = PublishedStatistics.create()) {
      own.write("own");
      Path theirs = ofAnother(only(), 2);
      try (PublishedStatistics next = PublishedStatistics.create()) {
        next.write("next");
        assertFalse(Files.exists(theirs));
        assertEquals(List.of("own", "next"), PublishedStatistics.read(PID));
      }
    }
  }

  @Test
  void aProcessThatHadTheIdBeforeIsGone() throws IOException {
    try (PublishedStatistics own = PublishedStatistics.create()) {
      own.write("own");
      Path before = ofAnother(only(), 2);
      assertEquals(List.of("own"), PublishedStatistics.read(PID));
      assertEquals(List.of(PID), PublishedStatistics.processes());
      assertFalse(Files.exists(before));
    }
  }
}
