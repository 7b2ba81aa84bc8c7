package io.github.vertxrdma.provider.contract.attack;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A program in C that attacks nodes which share memory, built by the system's compiler, and a folder for one test that is removed when the
 * attacker is closed. {@code attack.c} describes the program's arguments.
 */
public final class Attacker implements AutoCloseable {
  /** Number of the group that shares memory with the other user of {@link #otherUser}. */
  public static final String GROUP = "4712";
  /** Number of the other user of {@link #otherUser}. */
  public static final int USER = 4713;

  private static final int GAMES = Integer.getInteger("shm.attack.games", Boolean.getBoolean("vertx.rdma.test.all") ? 2500
    : Boolean.getBoolean("vertx.rdma.test.full") ? 75 : 15);
  private static final long SEED = Long.getLong("shm.attack.seed", System.nanoTime());
  private static final int MOVES = 600;
  /** Status of an attacker that its own SIGALRM ended, because a close of what it could not send waited. */
  private static final int ALARM = 128 + 14;
  private static final String GREETED = "greeted ";
  private static final List<String> SOURCES = List.of("attack.h", "attack.c", "folder.c", "member.c", "play.c", "proof.c", "relay.c",
    "stuck.c");

  private final Path folder;
  /** Arguments of a program that starts it as another user; may be empty. */
  private final List<String> by;

  private Attacker(Path folder, List<String> by) {
    this.folder = folder;
    this.by = by;
  }

  /** A test of random moves. */
  public interface Game {
    /** @param number counts the games of a test */
    void play(int number) throws Exception;
  }

  /** Builds the program in a new folder that every user may read. Skips the test if there is no C compiler. */
  public static Attacker build() throws IOException, InterruptedException {
    // The name is short, because the path of a socket has at most 107 bytes.
    Attacker attacker = new Attacker(Files.createTempDirectory("vr"), List.of());
    try {
      Files.setPosixFilePermissions(attacker.folder, PosixFilePermissions.fromString("rwxr-xr-x"));
      attacker.compile();
      return attacker;
    } catch (Throwable e) {
      attacker.close();
      throw e;
    }
  }

  private void compile() throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("cc", "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-o", "attacker"));
    for (String source : SOURCES) {
      try (InputStream in = Attacker.class.getResourceAsStream(source)) {
        Files.copy(in, folder.resolve(source));
      }
      if (source.endsWith(".c")) {
        command.add(source);
      }
    }
    Process compiler = null;
    try {
      compiler = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
    } catch (IOException e) {
      abort("no C compiler (cc) for the attacker: " + e.getMessage());
    }
    String output = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (compiler.waitFor() != 0) {
      throw new IllegalStateException("the attacker cannot be compiled: " + output);
    }
  }

  /** Returns the folder of the test. */
  public Path folder() {
    return folder;
  }

  /**
   * Returns the same as user {@link #USER} of the group {@link #GROUP}, in the same folder. Skips the test if this process may not start
   * programs as others.
   */
  public Attacker otherUser() throws InterruptedException {
    Attacker other = new Attacker(folder,
      List.of("setpriv", "--reuid=" + USER, "--regid=" + USER, "--groups=" + GROUP, "--no-new-privs", "--"));
    List<String> probe = new ArrayList<>(other.by);
    probe.add("true");
    boolean started = false;
    try {
      started = new ProcessBuilder(probe).start().waitFor() == 0;
    } catch (IOException e) {
      // There is no setpriv(1).
    }
    assumeTrue(started, "another user's process needs root and setpriv(1)");
    return other;
  }

  /** Plays all games of a test. @throws AssertionError if one fails, with the seed */
  public static void playAll(Game game) {
    for (int number = 0; number < GAMES; number++) {
      try {
        game.play(number);
      } catch (Exception | AssertionError e) {
        throw new AssertionError("game " + number + " of -Dshm.attack.seed=" + SEED, e);
      }
    }
  }

  /**
   * Starts random moves of one game.
   *
   * @param number of the game, on which the seed depends
   * @param key by which a member proves the secret, in hexadecimal digits; {@code -} for none
   * @param region number of a region that a member may open
   */
  public Process play(int number, String key, long region, List<String> sockets) throws IOException {
    List<String> arguments = new ArrayList<>(List.of("play", Long.toUnsignedString(SEED + number * 0x9e3779b97f4a7c15L),
      Integer.toString(MOVES), key, Long.toUnsignedString(region)));
    arguments.addAll(sockets);
    return start(arguments);
  }

  /** Waits for the end of a game. @return the number of moves of connections whose other side has accepted the proof */
  public static int awaitEnd(Process game) throws IOException, InterruptedException {
    String output = new String(game.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    int status = game.waitFor();
    assertTrue(status == 0 || status == ALARM, "the attacker's status is " + status);
    assertFalse(output.contains("took over"), "it changed files of others: " + output);
    return status == 0 ? Integer.parseInt(output.substring(GREETED.length())) : 0;
  }

  /** Starts a relay between the nodes of a folder, which changes one text to another of the same length until it is killed. */
  public Process relay(Path sockets, String from, String to) throws IOException {
    return start(List.of("relay", sockets.toString(), from, to));
  }

  /** Passes a descriptor to the listener of a socket whose close waits until the process is killed. */
  public Process stuck(String socket) throws IOException {
    return start(List.of("stuck", Files.createDirectory(folder.resolve("mount")).toString(), socket));
  }

  private Process start(List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>(by);
    command.add(folder.resolve("attacker").toString());
    command.addAll(arguments);
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  /** Removes the folder. */
  @Override
  public void close() throws IOException, InterruptedException {
    new ProcessBuilder("rm", "-rf", folder.toString()).inheritIO().start().waitFor();
  }

  /** Returns the shared files and sockets that this process has open, and its mappings of such files. */
  public static List<String> held() {
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"));
      Stream<String> mappings = Files.lines(Path.of("/proc/self/maps"))) {
      return Stream.concat(descriptors.map(Attacker::target).filter(file -> file.startsWith("/memfd:") || file.startsWith("socket:")),
        mappings.filter(line -> line.contains("/memfd:vertx-rdma") || line.contains("/memfd:attack"))).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String target(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (IOException e) {
      // The descriptor was closed meanwhile.
      return "";
    }
  }
}
