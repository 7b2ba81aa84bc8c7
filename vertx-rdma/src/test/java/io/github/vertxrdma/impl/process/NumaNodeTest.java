package io.github.vertxrdma.impl.process;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NumaNodeTest {
  @TempDir
  Path folder;

  /** Columns: processors that a thread may use, processors of the nodes, and the node to which the thread is bound. */
  @ParameterizedTest
  @CsvSource({
    "0-3, 0-3;4-7, 0",
    "5, 0-3;4-7, 1",
    "0-7, 0-3;4-7, -1",
    "'1,3', '0,2,4;1,3,5', 1",
    "'0-1,8-9', '0-3,8-11;4-7,12-15', 0",
    "0-3, 0-3, -1",
    "'', 0-3;4-7, -1",
    "nonsense, 0-3;4-7, -1",
    "0-3, 0-7;'', 0",
  })
  void theNodeIs(String allowed, String nodes, int node) throws IOException {
    Path status = Files.writeString(folder.resolve("status"), "Name:\tjava\nCpus_allowed:\tff\nCpus_allowed_list:\t" + allowed + "\n");
    String[] lists = nodes.split(";");
    for (int i = 0; i < lists.length; i++) {
      Path one = Files.createDirectories(folder.resolve("nodes/node" + i));
      Files.writeString(one.resolve("cpulist"), lists[i].replace("'", "") + "\n");
    }
    Files.createDirectory(folder.resolve("nodes/power"));
    assertEquals(node, NumaNode.of(status, folder.resolve("nodes")));
  }

  @Test
  void aMachineThatDoesNotTellHasNone() {
    assertEquals(NumaNode.NONE, NumaNode.of(folder.resolve("none"), folder.resolve("none")));
  }
}
