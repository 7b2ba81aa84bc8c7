package io.github.vertxrdma.cli;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.provider.contract.ChildJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two members of a cluster, of one user on one host, whose runtime folders differ, as with {@code PrivateTmp=} of systemd. */
@Timeout(180)
@Tag("full")
class SeparateFoldersTest {
  @TempDir
  Path folder;

  private ChildJvm member(int port, String name) throws IOException {
    return ChildJvm.startBy(List.of("env", "-u", "VERTX_RDMA_SECRET", "-u", "VERTX_RDMA_SECRET_FILE", "VERTX_RDMA_RUNTIME="
      + folder.resolve(name)), Member.class, Integer.toString(port), name);
  }

  @Test
  void bothMembersNameTheFoldersAndTheRemedy() throws Exception {
    assumeTrue(System.getProperty("os.name").equals("Linux"), "folders have device and inode on Linux");
    int port = Member.freePorts();
    try (ChildJvm first = member(port, "one")) {
      first.await("node ");
      try (ChildJvm second = member(port, "two")) {
        for (ChildJvm each : List.of(second, first)) {
          String line = each.await("WARNING: Node ");
          assertTrue(line.contains("of this user and host has another cluster secret") && line.contains("its runtime folder is ")
            && line.contains("Name one folder for both with VERTX_RDMA_RUNTIME"), line);
        }
      }
    }
  }
}
