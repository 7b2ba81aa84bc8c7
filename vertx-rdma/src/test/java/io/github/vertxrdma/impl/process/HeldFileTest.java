package io.github.vertxrdma.impl.process;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.directory.ProcessIdentity;
import io.github.vertxrdma.impl.process.HeldFile.State;
import io.github.vertxrdma.provider.contract.ChildJvm;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Files whose locks show whether a process lives. */
@Timeout(120)
class HeldFileTest {
  private static final List<String> LIMITED = List.of("sh", "-c", "ulimit -n 256 && exec \"$@\"", "sh");

  @TempDir
  Path temporary;
  private Path folder;

  @BeforeEach
  void makeFolder() throws IOException {
    folder = RuntimeFolder.ensure(temporary.resolve("run"));
    assumeTrue(HeldFile.seesLocks(folder.resolve("file")), "SKIPPED locks: the temporary folder is on a file system of several kernels");
  }

  /** Holds a file until it is killed. Argument: the file. */
  static final class Holder {
    public static void main(String[] arguments) throws Exception {
      HeldFile.create(Path.of(arguments[0]), new byte[1]);
      System.out.println("held");
      System.in.read();
    }
  }

  @Test
  void socketAnswersEachOfManyQuestions() throws Exception {
    long process = ProcessIdentity.current().process() ^ 1;
    try (LivenessSocket socket = LivenessSocket.open(process)) {
      Path path = RuntimeFolder.paths().getFirst().toAbsolutePath().resolve(LivenessSocket.PREFIX + HexFormat.of().toHexDigits(process));
      for (int i = 0; i < 8; i++) {
        assertTrue(LivenessSocket.answers(path, false), "question " + i);
      }
      assertFalse(LivenessSocket.answers(path.resolveSibling("live-nothing"), false));
    }
  }

  @Test
  void stoppedProcessHoldsItsFileAndKilledOneDoesNot() throws Exception {
    Path file = folder.resolve("file");
    assertEquals(State.UNKNOWN, HeldFile.state(file));
    try (ChildJvm child = ChildJvm.start(Holder.class, file.toString())) {
      child.await("held");
      assertEquals(State.HELD, HeldFile.state(file));
      child.signal("STOP");
      assertEquals(State.HELD, HeldFile.state(file));
      child.kill();
      until("the lock is free", () -> HeldFile.state(file) == State.FREE);
    }
  }

  /** Other code of the process may read the file, which releases its lock, fcntl_locking(2). */
  @Test
  void processWithoutItsLockLivesWhileItsSocketAnswers() throws Exception {
    System.setProperty(RuntimeFolder.PROPERTY, folder.toString());
    try (ChildJvm child = ChildJvm.start(Reader.class, folder.toString())) {
      Path file = Path.of(child.await("released"));
      assertEquals(State.HELD, HeldFile.state(file));
      child.signal("STOP");
      assertEquals(State.HELD, HeldFile.state(file));
      child.kill();
      until("the process is dead", () -> HeldFile.state(file) == State.FREE);
      try (Stream<Path> left = Files.list(folder)) {
        assertEquals(List.of(file), left.toList());
      }
    } finally {
      System.clearProperty(RuntimeFolder.PROPERTY);
    }
  }

  /** Holds a file, reads it in another way, and prints its name. Argument: the folder. */
  static final class Reader {
    public static void main(String[] arguments) throws Exception {
      System.setProperty(RuntimeFolder.PROPERTY, arguments[0]);
      Path file = Path.of(arguments[0], ProcessName.own().file("held"));
      HeldFile.create(file, new byte[1]);
      Files.readAllBytes(file);
      System.out.println("released " + file);
      System.in.read();
    }
  }

  @Test
  void removedSocketIsRestoredWithTheFile() throws Exception {
    System.setProperty(RuntimeFolder.PROPERTY, folder.toString());
    Path file = folder.resolve(ProcessName.own().file("held"));
    try (HeldFile own = HeldFile.create(file, new byte[1])) {
      Path socket = folder.resolve("live-" + HexFormat.of().toHexDigits(ProcessName.own().process()));
      Files.delete(socket);
      assertFalse(own.restore(new byte[1]));
      assertTrue(LivenessSocket.lives(socket));
    } finally {
      System.clearProperty(RuntimeFolder.PROPERTY);
    }
    try (Stream<Path> left = Files.list(folder)) {
      assertEquals(List.of(), left.toList());
    }
  }

  /** The lock would end with the first closed descriptor of the file in this process. */
  @Test
  void fileOfThisProcessStaysLockedWhenItIsAskedFor() throws Exception {
    Path file = folder.resolve("file");
    try (HeldFile own = HeldFile.create(file, new byte[1]); ChildJvm child = ChildJvm.start(Asker.class, file.toString())) {
      child.await("ready");
      assertEquals(State.HELD, HeldFile.state(file));
      child.send("ask");
      assertEquals("HELD", child.await("state"));
      assertTrue(own.isThere());
    }
    assertFalse(Files.exists(file));
  }

  /** Prints the state of a file for each line of input. */
  static final class Asker {
    public static void main(String[] arguments) throws Exception {
      System.out.println("ready");
      System.in.read();
      System.out.println("state " + HeldFile.state(Path.of(arguments[0])));
    }
  }

  @Test
  void removedFileIsRestoredWithItsFolder() throws Exception {
    Path file = folder.resolve("file");
    try (HeldFile own = HeldFile.create(file, new byte[1])) {
      assertFalse(own.restore(new byte[2]));
      Files.delete(file);
      Files.delete(folder);
      assertFalse(own.isThere());
      assertTrue(own.restore(new byte[2]));
      assertEquals(2, Files.size(file));
      assertEquals(State.HELD, HeldFile.state(file));
    }
  }

  /** Otherwise files of living processes would be removed. */
  @Test
  void processWithoutDescriptorsTakesNoOtherForDead() throws Exception {
    assumeTrue(Files.isReadable(Path.of("/dev/zero")), "it needs /dev/zero");
    Path left = Files.createFile(folder.resolve("left"));
    assertEquals(State.FREE, HeldFile.state(left));
    try (ChildJvm child = ChildJvm.startBy(LIMITED, NoDescriptors.class, left.toString())) {
      assertEquals("FREE UNKNOWN", child.await("states"));
      child.waitFor();
    }
  }

  /** Prints the state of a file with descriptors, and without free ones. */
  static final class NoDescriptors {
    public static void main(String[] arguments) throws IOException {
      Path file = Path.of(arguments[0]);
      // Loads the classes while there are descriptors for them.
      State before = HeldFile.state(file);
      HeldFile.state(file.resolveSibling("none"));
      List<FileInputStream> taken = new ArrayList<>();
      try {
        while (true) {
          taken.add(new FileInputStream("/dev/zero"));
        }
      } catch (IOException e) {
        State without = HeldFile.state(file);
        for (FileInputStream each : taken) {
          each.close();
        }
        System.out.println("states " + before + ' ' + without);
      }
    }
  }
}
