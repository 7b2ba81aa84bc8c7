package io.github.vertxrdma.impl.process;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.github.vertxrdma.provider.contract.GermanWords;
import io.github.vertxrdma.provider.contract.LogLines;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files that are being written, and files whose writers were killed meanwhile. */
class RuntimeFolderTest {
  private static final int WRITERS = 4;
  private static final int LONG = 16 << 20;

  @TempDir
  Path temporary;

  private Set<String> parts() {
    try (Stream<Path> files = Files.list(temporary.resolve("run"))) {
      return files.map(file -> file.getFileName().toString()).filter(name -> name.startsWith(".part-")).collect(Collectors.toSet());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void folderThatOthersMayUseIsSkippedWithOneWarning() throws Exception {
    Path open = Files.createDirectory(temporary.resolve("open"), PosixFilePermissions.asFileAttribute(
      PosixFilePermissions.fromString("rwxr-xr-x")));
    Path run = temporary.resolve("run");
    try (LogLines log = new LogLines(RuntimeFolder.class)) {
      assertEquals(List.of(run), RuntimeFolder.all(List.of(open, run)));
      assertEquals(List.of(run), RuntimeFolder.all(List.of(open, run)));
      assertEquals(1, log.warnings().size(), log.warnings().toString());
      assertTrue(log.warnings().getFirst().contains("chmod go= " + open), log.warnings().toString());
    }
    assertThrows(IOException.class, () -> RuntimeFolder.all(List.of(open)));
  }

  @Test
  void folderWithTwoPathsCountsOnce() throws Exception {
    Path folder = Files.createDirectory(temporary.resolve("folder"));
    Path link = Files.createSymbolicLink(temporary.resolve("link"), folder);
    assertEquals(List.of(folder), RuntimeFolder.distinct(List.of(folder, link)));
    assertEquals(List.of(folder, temporary), RuntimeFolder.distinct(List.of(folder, temporary)));
  }

  @Test
  @Timeout(300)
  void partsOfAKilledWriterAreRemovedByTheNextProcess() throws Exception {
    Path folder = temporary.resolve("run");
    do {
      try (ChildJvm writer = ChildJvm.start(Writer.class, folder.toString())) {
        writer.await("writing");
        until("it is in the middle of a file", () -> !parts().isEmpty());
        writer.kill();
        writer.waitFor();
      }
      // None of the threads may have been writing at the end.
    } while (parts().isEmpty());
    // The lock of a younger file may not exist yet.
    for (String part : parts()) {
      Files.setLastModifiedTime(folder.resolve(part), FileTime.fromMillis(System.currentTimeMillis() - Duration.ofMinutes(1).toMillis()));
    }
    RuntimeFolder.ensure(folder);
    assertEquals(Set.of(), parts());
  }

  /** The process may write files of at most 8 or 16 KiB, which depends on the shell's unit. */
  @Test
  @Timeout(120)
  void fileBeyondTheLimitIsNamed() throws Exception {
    try (
      ChildJvm limited = ChildJvm.startBy(List.of("sh", "-c", "ulimit -f 16 && exec \"$@\"", "sh"), Limited.class, temporary.toString())) {
      for (String what : List.of("write", "reserve")) {
        String said = limited.await(what + ":");
        assertTrue(said.startsWith("LIMIT cannot write " + temporary) && said.contains("ulimit -f"), what + ": " + said);
      }
      assertEquals(0, limited.waitFor());
    }
  }

  @ParameterizedTest
  @CsvSource({"ENOSPC, 28, Make room there", "EDQUOT, 122, Make room there", "EFBIG, 27, ulimit -f", "EMFILE, 24, ulimit -n",
    "ENFILE, 23, fs.file-max"})
  void limitIsNamedInTheLanguageOfTheProcess(String name, int errno, String remedy) {
    Path file = temporary.resolve("file");
    for (IOException cause : List.of(new IOException(words(errno)), new FileSystemException(file.toString(), null, words(errno)))) {
      RdmaException limit = assertThrows(RdmaException.class, () -> RuntimeFolder.named(file, cause), name);
      assertEquals(Reason.LIMIT, limit.reason());
      assertTrue(limit.getMessage().startsWith("cannot write " + file + ": ") && limit.getMessage().contains(words(errno) + ". "),
        limit.getMessage());
      assertTrue(limit.getMessage().contains(remedy), limit.getMessage());
    }
    IOException other = new IOException(words(98));
    assertSame(other, RuntimeFolder.named(file, other));
  }

  private static String words(int errno) {
    return new GermanWords().of(errno);
  }

  @Test
  void unfinishedFileStaysWhileItsWriterMayLive() throws Exception {
    Path folder = Files.createDirectory(temporary.resolve("run"));
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
    Path own = Files.createFile(folder.resolve(".part-" + ProcessName.own().file("1")));
    Path held = folder.resolve(".part-2");
    Path left = Files.createFile(folder.resolve(".part-3"));
    try (ChildJvm child = ChildJvm.start(HeldFileTest.Holder.class, held.toString())) {
      child.await("held");
      for (Path old : List.of(own, held, left)) {
        Files.setLastModifiedTime(old, FileTime.fromMillis(System.currentTimeMillis() - Duration.ofMinutes(1).toMillis()));
      }
      // The clock was set forward meanwhile.
      Files.setLastModifiedTime(held, FileTime.fromMillis(System.currentTimeMillis() - Duration.ofDays(366).toMillis()));
      Path young = Files.createFile(folder.resolve(".part-1"));
      RuntimeFolder.ensure(folder);
      assertEquals(Stream.of(own, young, held).map(file -> file.getFileName().toString()).collect(Collectors.toSet()), parts());
    }
  }

  @Test
  void fileInPlaceOfTheFolderIsNamed() throws IOException {
    Path file = Files.createFile(temporary.resolve("file"));
    String failure = assertThrows(IOException.class, () -> RuntimeFolder.ensure(file)).getMessage();
    assertEquals("cannot use " + file + ": it is not a folder. Remove it, or change VERTX_RDMA_RUNTIME or DirectoryOptions.setPath.",
      failure);
  }

  @Test
  void folderThatCannotBeCreatedIsNamedWithTheRemedy() {
    String words = assertThrows(IOException.class, () -> RuntimeFolder.ensure(Path.of("/proc/none/run"))).getMessage();
    assertEquals("cannot create folder /proc/none/run: there is no such file or folder. Name a folder that this user may write with"
      + " VERTX_RDMA_RUNTIME.", words);
  }

  @Test
  void foldersAboveAreMadeForThisUserAlone() throws Exception {
    RuntimeFolder.ensure(temporary.resolve("a").resolve("b").resolve("c"));
    assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(temporary.resolve("a"))));
  }

  /** Writes a long file in each possible way, and prints the result. */
  static final class Limited {
    private interface Write {
      void run() throws IOException;
    }

    public static void main(String[] arguments) throws IOException {
      Path file = Path.of(arguments[0], "file");
      RuntimeFolder.write(file, new byte[1]);
      say("write", () -> RuntimeFolder.write(file, new byte[LONG]));
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        say("reserve", () -> RuntimeFolder.reserve(file, channel, 1, LONG));
      }
    }

    private static void say(String what, Write write) {
      try {
        write.run();
        System.out.println(what + ": it was written");
      } catch (RdmaException e) {
        System.out.println(what + ": " + e.reason() + ' ' + e.getMessage());
      } catch (IOException e) {
        System.out.println(what + ": " + e);
      }
    }
  }

  /** Writes long files endlessly. */
  static final class Writer {
    public static void main(String[] arguments) throws IOException {
      Path folder = RuntimeFolder.ensure(Path.of(arguments[0]));
      byte[] content = new byte[LONG];
      for (int i = 0; i < WRITERS; i++) {
        Path file = folder.resolve("file" + i);
        new Thread(() -> {
          while (true) {
            try {
              RuntimeFolder.write(file, content);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          }
        }).start();
      }
      System.out.println("writing");
    }
  }
}
