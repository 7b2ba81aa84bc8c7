package io.github.vertxrdma.impl.peers;

import static org.junit.jupiter.api.Assertions.*;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.impl.process.HeldFile;
import io.github.vertxrdma.impl.process.RuntimeFolder;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.github.vertxrdma.provider.contract.Leaks;
import io.github.vertxrdma.provider.contract.LogLines;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Secrets of a user with two runtime folders. */
@Timeout(120)
class UserSecretTest {
  private static final String SMALL = "0".repeat(63) + "a";
  private static final String LARGE = "f".repeat(63) + "a";

  @TempDir
  Path temp;
  private Path one;
  private Path two;

  @BeforeEach
  void makeFolders() throws IOException {
    one = RuntimeFolder.ensure(temp.resolve("one"));
    two = RuntimeFolder.ensure(temp.resolve("two"));
    assumeTrue(HeldFile.seesLocks(one.resolve("secret")), "SKIPPED: the temporary folder is on a file system of several kernels");
  }

  private static List<String> read(Path... folders) throws IOException {
    return UserSecret.read(List.of(folders)).secrets().stream().map(String::new).toList();
  }

  private static String content(Path folder) throws IOException {
    return Files.readString(folder.resolve("secret"));
  }

  private static void write(Path folder, String secret) throws IOException {
    RuntimeFolder.write(folder.resolve("secret"), secret.getBytes());
  }

  /** Uses the secrets of these folders, and reads them again for each line of input. */
  static final class User {
    public static void main(String[] arguments) throws Exception {
      List<Path> folders = Stream.of(arguments).map(Path::of).toList();
      do {
        System.out.println("accepts " + String.join(" ", UserSecret.read(folders).secrets().stream().map(String::new).toList()));
      } while (System.in.read() == '\n');
    }
  }

  private static ChildJvm start(Path... folders) throws IOException {
    return ChildJvm.start(User.class, Stream.of(folders).map(Path::toString).toArray(String[]::new));
  }

  private static List<String> again(ChildJvm user) throws Exception {
    user.send("");
    return List.of(user.await("accepts").split(" "));
  }

  @Test
  void allFoldersGetTheSmallestSecretThatIsInUse() throws Exception {
    write(one, LARGE);
    write(two, SMALL);
    try (FileChannel first = locked(one); FileChannel second = locked(two)) {
      assertEquals(List.of(SMALL, LARGE), read(one, two));
      assertEquals(SMALL, content(one));
      assertEquals(SMALL, content(two));
    }
  }

  /** Locks a secret as another copy of the class does, which another class loader has loaded. */
  private static FileChannel locked(Path folder) throws IOException {
    FileChannel opened = FileChannel.open(folder.resolve("secret"), StandardOpenOption.READ, StandardOpenOption.WRITE);
    opened.lock(0, Long.MAX_VALUE, true);
    return opened;
  }

  @Test
  void secretThatIsNotInUseIsReplaced() throws Exception {
    write(one, SMALL);
    write(two, LARGE);
    try (FileChannel second = locked(two)) {
      assertEquals(List.of(LARGE), read(one, two));
      assertEquals(LARGE, content(one));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"short", "a secret that someone has written", "0123456789abcdef0123456789ABCDEF0123456789abcdef0123456789abcdef"})
  void secretThatNoNodeHasMadeIsReplaced(String written) throws Exception {
    write(one, written);
    write(two, LARGE);
    try (FileChannel first = locked(one); FileChannel second = locked(two)) {
      assertEquals(List.of(LARGE), read(one, two));
      assertEquals(LARGE, content(one));
    }
  }

  @Test
  void secretsThatOneReadReplacesAreAccepted() throws Exception {
    String known = read(one).getFirst();
    write(one, LARGE);
    write(two, SMALL);
    try (FileChannel second = locked(two)) {
      assertEquals(List.of(SMALL, LARGE, known), read(one, two));
    }
  }

  @Test
  void fileThatOthersMayReadIsNotUsedUntilItsModeIsCorrected() throws Exception {
    write(two, SMALL);
    Path secret = two.resolve("secret");
    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-r--r--"));
    try (FileChannel second = locked(two); LogLines log = new LogLines(UserSecret.class)) {
      UserSecret.Accepted withoutIt = UserSecret.read(List.of(one, two));
      assertFalse(withoutIt.ofAll());
      assertEquals(List.of(content(one)), withoutIt.secrets().stream().map(String::new).toList());
      assertTrue(log.warnings().getFirst().contains("chmod go= " + secret), log.warnings().toString());
      Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
      assertTrue(UserSecret.read(List.of(one, two)).ofAll());
      assertEquals(SMALL, content(one));
    }
  }

  @Test
  void secretOfRemovedFolderIsClosed() throws Exception {
    read(one, two);
    assertTrue(Leaks.descriptors().contains(two.resolve("secret").toString()));
    Files.walk(two).sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    read(one);
    assertEquals(List.of(), Leaks.descriptors().stream().filter(target -> target.startsWith(two.toString())).toList());
  }

  @Test
  void onlyReplacementThatIsNoAgreementNamesCleaners() throws Exception {
    String known = read(one).getFirst();
    try (LogLines log = new LogLines(UserSecret.class)) {
      write(one, SMALL);
      assertEquals(List.of(SMALL, known), read(one));
      assertEquals(1, log.lines().size());
      assertEquals(List.of(), log.warnings());
      write(one, LARGE);
      assertEquals(List.of(LARGE, SMALL, known), read(one));
      assertTrue(log.warnings().getFirst().contains("systemd-tmpfiles"), log.warnings().toString());
    }
  }

  @Test
  void processesWithDifferentSecondFoldersAgree() throws Exception {
    Path three = RuntimeFolder.ensure(temp.resolve("three"));
    try (ChildJvm first = start(one); ChildJvm third = start(three)) {
      String[] made = {first.await("accepts"), third.await("accepts")};
      Arrays.sort(made);
      try (ChildJvm left = start(one, two); ChildJvm right = start(three, two)) {
        left.await("accepts");
        right.await("accepts");
        // The one that started first has not seen the secret of the other.
        again(left);
        again(right);
        for (ChildJvm each : List.of(first, third, left, right)) {
          assertEquals(made[0], again(each).getFirst());
        }
        assertTrue(again(first).size() + again(third).size() > 2, "the process of the replaced secret accepts it, too");
      }
    }
  }

  @Test
  void secretStaysInUseWhenItIsReadByAnotherPath() throws Exception {
    Path link = Files.createSymbolicLink(temp.resolve("link"), temp);
    List<String> known = read(one);
    assertEquals(known, read(link.resolve("one")));
    try (ChildJvm later = start(one)) {
      assertEquals(known.getFirst(), later.await("accepts"), "this process has lost its lock");
    }
  }

  @Test
  void secretOfAnotherCopyOfTheClassStaysInUse() throws Exception {
    write(one, LARGE);
    try (FileChannel copy = locked(one)) {
      assertEquals(LARGE, read(one, two).getFirst());
      try (ChildJvm later = start(one)) {
        assertEquals(LARGE, later.await("accepts"), "this process has lost its lock");
      }
    }
  }

  @Test
  void secretOfTheSecondFolderIsRestored() throws Exception {
    List<String> known = read(one, two);
    Files.delete(two.resolve("secret"));
    assertEquals(known, read(one, two));
    try (ChildJvm later = start(two)) {
      assertEquals(known.getFirst(), later.await("accepts"));
    }
  }

  /** Returns the number of characters for further folders. */
  private static int room(Path deep) {
    return 4_095 - "/secret".length() - 1 - deep.toString().length();
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void secretThatCannotBeReplacedIsAccepted() throws Exception {
    // Its path leaves room for the file, but not for the longer name of a file that is being written.
    Path deep = two;
    for (int room = room(deep); room > 0; room = room(deep)) {
      deep = RuntimeFolder.ensure(deep.resolve("d".repeat(room > 201 ? Math.min(200, room - 3) : room - 1)));
    }
    Path secret = Files.writeString(deep.resolve("secret"), LARGE);
    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
    write(one, SMALL);
    try (FileChannel first = locked(one); FileChannel second = locked(deep); LogLines log = new LogLines(UserSecret.class)) {
      assertEquals(List.of(SMALL, LARGE), read(one, deep));
      assertEquals(List.of(SMALL, LARGE), read(one, deep));
      assertEquals(1, log.warnings().size(), log.warnings().toString());
      assertTrue(log.warnings().getFirst().contains(secret.toString()), log.warnings().toString());
    }
  }
}
