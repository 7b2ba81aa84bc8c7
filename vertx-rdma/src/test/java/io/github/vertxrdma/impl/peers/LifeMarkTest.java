package io.github.vertxrdma.impl.peers;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.process.RuntimeFolder;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.vertx.core.Vertx;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A process of another PID namespace that is stopped stays in the same-host directory, and one that was killed does not. */
@Timeout(120)
class LifeMarkTest {
  /** Name of a file of a process that cannot be asked about: no system has a PID namespace of this number. */
  private static final String FOREIGN = "7-1-1-a.node";

  @TempDir
  Path folder;

  /** Publishes a node as a process of another PID namespace does, and takes its mark. Argument: the node's file. */
  static final class Foreign {
    public static void main(String[] args) throws Exception {
      Path file = Path.of(args[0]);
      Files.write(file, SameHostFile.record(NodeEntry.local("foreign", 1)).getBytes());
      LifeMark mark = LifeMark.take(file);
      System.out.println("held");
      System.in.read();
      mark.close();
    }
  }

  @Test
  void stoppedProcessHoldsItsMarkAndKilledOneDoesNot() throws Exception {
    Path file = folder.resolve(FOREIGN);
    assertFalse(LifeMark.isHeld(file));
    try (ChildJvm child = ChildJvm.start(Foreign.class, file.toString())) {
      child.await("held");
      assertTrue(LifeMark.isHeld(file));
      child.signal("STOP");
      assertTrue(LifeMark.isHeld(file));
      child.kill();
      until("its mark is free", () -> !LifeMark.isHeld(file));
    }
  }

  @Test
  void stoppedProcessStaysInDirectoryThoughItsFileIsOld() throws Exception {
    Vertx vertx = Vertx.vertx();
    Path group = RuntimeFolder.ensure(folder.resolve("default"));
    Path file = group.resolve(FOREIGN);
    try (ChildJvm child = ChildJvm.start(Foreign.class, file.toString())) {
      child.await("held");
      child.signal("STOP");
      Files.setLastModifiedTime(file, FileTime.fromMillis(1));
      DirectoryBackend directory = await(DirectoryBackend.open(vertx, new DirectoryOptions().setType(DirectoryOptions.SAME_HOST)
        .setPath(folder.toString()).setGroup("default")));
      assertTrue(directory.node("foreign").isPresent());
      child.kill();
      until("it is gone", () -> directory.node("foreign").isEmpty());
      await(directory.close());
    } finally {
      await(vertx.close());
    }
  }

  @Test
  void nothingIsLeftOfClosedDirectory() throws Exception {
    Vertx vertx = Vertx.vertx();
    try {
      DirectoryBackend directory = await(DirectoryBackend.open(vertx, new DirectoryOptions().setType(DirectoryOptions.SAME_HOST)
        .setPath(folder.toString()).setGroup("default")));
      await(directory.publish(directory.self()));
      await(directory.close());
      try (Stream<Path> files = Files.list(folder.resolve("default"))) {
        assertEquals(List.of(), files.map(file -> file.getFileName().toString()).filter(name -> !name.equals(".lock")).toList());
      }
    } finally {
      await(vertx.close());
    }
  }
}
