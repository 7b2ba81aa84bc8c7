package io.github.vertxrdma.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.cli.Finding.Level;
import io.github.vertxrdma.impl.poll.NativeEpoll;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeCheckTest {
  @TempDir
  Path folder;

  @AfterEach
  void clear() {
    System.clearProperty("vertx.rdma.runtime");
    System.clearProperty("vertx.rdma.secret.file");
  }

  private static Finding finding(String subject, NativeEpoll.Missing missing) {
    return new NodeCheck(() -> Optional.ofNullable(missing)).run(Machine.local()).stream().filter(f -> f.subject().equals(subject))
      .findFirst().orElseThrow();
  }

  @Test
  void missingEpollFailsWithItsCauseAndRemedy() {
    Finding finding = finding("epoll", new NativeEpoll.Missing("the temporary folder /tmp is mounted noexec", "Mount it with exec"));
    assertEquals(new Finding(Level.FAILURE, "epoll", "the temporary folder /tmp is mounted noexec; event buses and servers use TCP",
      "Mount it with exec"), finding);
    assertEquals(Level.OK, finding("epoll", null).level());
  }

  @Test
  void runtimeFolderOpenToOthersFailsAndNoneIsMade() throws Exception {
    Path runtime = folder.resolve("run");
    System.setProperty("vertx.rdma.runtime", runtime.toString());
    assertEquals(new Finding(Level.OK, "runtime folder", runtime + ", which the first node creates", ""), finding("runtime folder", null));
    assertTrue(Files.notExists(runtime));
    Files.createDirectory(runtime, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    assertEquals(Level.OK, finding("runtime folder", null).level());
    Files.setPosixFilePermissions(runtime, PosixFilePermissions.fromString("rwxr-xr-x"));
    Finding open = finding("runtime folder", null);
    assertEquals(Level.FAILURE, open.level());
    assertTrue(open.words().contains("must belong to the user of this process"), open.toString());
    System.setProperty("vertx.rdma.runtime", Files.createFile(folder.resolve("file")).resolve("run").toString());
    assertTrue(finding("runtime folder", null).words().contains("is not a folder that this user may write"));
  }

  @Test
  void secretThatCannotBeReadOrIsTooShortFails() throws Exception {
    Path file = folder.resolve("secret");
    System.setProperty("vertx.rdma.secret.file", file.toString());
    assertEquals(Level.FAILURE, finding("cluster secret", null).level());
    Files.writeString(file, "short");
    assertTrue(finding("cluster secret", null).words().contains("5 characters"), finding("cluster secret", null).toString());
    Files.writeString(file, "hW8Rq1Zp0uY2mT6bXc4Ld9Kf3Gv7Ns5A");
    Finding right = finding("cluster secret", null);
    assertEquals(Level.OK, right.level(), right.toString());
    assertTrue(right.words().contains(file.toString()), right.toString());
  }
}
