package io.github.vertxrdma.impl.peers;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.process.HeldFile;
import io.github.vertxrdma.impl.process.ProcessName;
import io.github.vertxrdma.impl.process.RuntimeFolder;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes are in the same-host directory as long as their processes live, whatever /proc shows. */
@Timeout(120)
class NodeLifeTest {
  @TempDir
  Path folder;

  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void close() throws Exception {
    await(vertx.close());
  }

  /** Returns the file of a process that is not in this /proc, as with hidepid or in another container. */
  private Path file(long namespace) throws IOException {
    return RuntimeFolder.ensure(folder.resolve("default"))
      .resolve(new ProcessName(namespace, Integer.MAX_VALUE, 1).file("a.node"));
  }

  private DirectoryBackend directory() throws Exception {
    return await(DirectoryBackend.open(vertx, new DirectoryOptions().setType(DirectoryOptions.SAME_HOST)
      .setPath(folder.toString()).setGroup("default")));
  }

  /** Publishes a node under the name of a process that is not in /proc. Argument: the node's file. */
  static final class Hidden {
    public static void main(String[] args) throws Exception {
      SameHostFile file = SameHostFile.parse(Path.of(args[0])).orElseThrow();
      HeldFile.create(file.mark(), new byte[0]);
      Files.write(file.path(), SameHostFile.record(NodeEntry.local("hidden", 1)).getBytes());
      System.out.println("held");
      System.in.read();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void stoppedProcessThatProcDoesNotShowStaysAndKilledOneDoesNot(boolean near) throws Exception {
    Path file = file(ProcessName.own().pidNamespace() + (near ? 0 : 1));
    try (ChildJvm child = ChildJvm.start(Hidden.class, file.toString())) {
      child.await("held");
      child.signal("STOP");
      Files.setLastModifiedTime(file, FileTime.fromMillis(1));
      DirectoryBackend directory = directory();
      assertTrue(directory.node("hidden").isPresent());
      child.kill();
      until("it is gone", () -> directory.node("hidden").isEmpty());
      until("its files are gone", () -> {
        try (Stream<Path> files = Files.list(file.getParent())) {
          return files.noneMatch(left -> left.getFileName().toString().startsWith(file.getFileName().toString()));
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      });
      await(directory.close());
    }
  }

  @Test
  void removedMarkAndFolderAreRestored() throws Exception {
    DirectoryBackend a = directory();
    await(a.publish(a.self()));
    Path group = folder.resolve("default");
    for (Path file : files(group)) {
      Files.deleteIfExists(file);
    }
    Files.deleteIfExists(group);
    until("both files are back", () -> files(group).stream().anyMatch(file -> file.toString().endsWith(".node"))
      && files(group).stream().anyMatch(file -> file.toString().endsWith(".node.lock")));
    await(a.close());
  }

  private static List<Path> files(Path group) {
    try (Stream<Path> files = Files.list(group)) {
      return files.toList();
    } catch (IOException e) {
      return List.of();
    }
  }

  @Test
  void nothingIsLeftOfClosedDirectory() throws Exception {
    DirectoryBackend directory = directory();
    await(directory.publish(directory.self()));
    await(directory.close());
    assertEquals(List.of(),
      files(folder.resolve("default")).stream().map(file -> file.getFileName().toString()).filter(name -> !name.equals(".lock")).toList());
  }
}
