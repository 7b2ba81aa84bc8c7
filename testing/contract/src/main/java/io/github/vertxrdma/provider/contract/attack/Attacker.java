package io.github.vertxrdma.provider.contract.attack;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.provider.contract.Leaks;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A C program that attacks nodes over shared memory, with the folder of one test. {@code attack.c} describes its arguments. */
public final class Attacker implements AutoCloseable {
  /** Id of the group that shares memory, which {@link #otherUser} belongs to. */
  public static final String GROUP = "4712";
  public static final int USER = 4713;

  private static final int MOVES = 600;
  /** Exit statuses if the attacker's close waited for unsent data and SIGALRM ended it, and if it was killed. */
  private static final int ALARM = 128 + 14;
  private static final int KILLED = 128 + 9;
  /** More than the time after which SIGALRM ends an attacker, which does not end a stopped one. */
  private static final Duration LONGEST_GAME = Duration.ofSeconds(30);
  private static final Pattern COUNTS = Pattern.compile("accepted (\\d+) greeted (\\d+) opened (\\d+)");
  private static final List<String> SOURCES = List.of("attack.h", "attack.c", "folder.c", "member.c", "play.c", "proof.c", "relay.c",
    "stuck.c", "flood.c");

  private final Path folder;
  private final List<String> by;
  private final AtomicInteger accepted = new AtomicInteger();
  private final AtomicInteger greeted = new AtomicInteger();
  private final AtomicInteger opened = new AtomicInteger();

  private Attacker(Path folder, List<String> by) {
    this.folder = folder;
    this.by = by;
  }

  /** Compiles the attacker. Skips the test without a C compiler. */
  public static Attacker build() throws IOException, InterruptedException {
    // A short name, because a socket's path has at most 107 bytes.
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

  public Path folder() {
    return folder;
  }

  /** Returns an attacker that runs as another user. Skips the test if that is not permitted. */
  public Attacker otherUser() throws InterruptedException {
    Attacker other = new Attacker(folder,
      List.of("setpriv", "--reuid=" + USER, "--regid=" + USER, "--groups=" + GROUP, "--no-new-privs", "--"));
    List<String> probe = new ArrayList<>(other.by);
    probe.add("true");
    boolean started = false;
    try {
      started = new ProcessBuilder(probe).start().waitFor() == 0;
    } catch (IOException e) {
      // This system has no setpriv(1).
    }
    assumeTrue(started, "another user's process needs root and setpriv(1)");
    return other;
  }

  /**
   * Starts a series of random attacks.
   *
   * @param key proves knowledge of the secret, in hexadecimal digits; {@code -} for none
   * @param regions ids of shared regions
   * @param id node id that the attacker claims
   * @param known connections of others: ids of queues (32 hexadecimal digits) and numbers of connections (8); {@code -} for none
   */
  Process play(long seed, String key, List<Long> regions, String id, String known, List<String> sockets) throws IOException {
    List<String> arguments = new ArrayList<>(List.of("play", Long.toUnsignedString(seed), Integer.toString(MOVES), key,
      regions.stream().map(Long::toUnsignedString).collect(Collectors.joining(",")), id, known));
    arguments.addAll(sockets);
    return start(arguments);
  }

  int awaitEnd(Process game) throws IOException, InterruptedException {
    return awaitEnd(game, LONGEST_GAME);
  }

  /**
   * Waits for the end, and adds to the counts, except after a signal.
   *
   * @param longest time after which the attacker is killed, because it may be stopped
   * @return number of moves on authenticated connections
   */
  public int awaitEnd(Process game, Duration longest) throws IOException, InterruptedException {
    // Its output is shorter than what a pipe holds.
    boolean ended = game.waitFor(longest.toMillis(), TimeUnit.MILLISECONDS);
    int status = ended ? game.exitValue() : awaitKilled(game);
    assertTrue(status == 0 || status == ALARM || !ended && status == KILLED, () -> "the attacker's status is " + status);
    String output = new String(game.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    assertFalse(output.contains("took over"), () -> "it changed files of others: " + output);
    Matcher counts = COUNTS.matcher(output);
    if (!counts.matches()) {
      return 0;
    }
    accepted.addAndGet(Integer.parseInt(counts.group(1)));
    int moves = Integer.parseInt(counts.group(2));
    greeted.addAndGet(moves);
    opened.addAndGet(Integer.parseInt(counts.group(3)));
    return moves;
  }

  /** Kills a process and returns its status. {@link Process#destroyForcibly} would close its output. */
  private static int awaitKilled(Process game) throws InterruptedException {
    game.toHandle().destroyForcibly();
    return game.waitFor();
  }

  /** Returns the number of connections that were accepted. */
  int accepted() {
    return accepted.get();
  }

  /** Returns the number of attacks on authenticated connections. */
  int greeted() {
    return greeted.get();
  }

  /** Returns the number of received files of regions. */
  int opened() {
    return opened.get();
  }

  /** Starts a relay between the nodes that replaces a text by another of the same length. */
  public Process relay(Path sockets, String from, String to) throws IOException {
    return start(List.of("relay", sockets.toString(), from, to));
  }

  /** Starts a process that passes a descriptor whose close blocks until the process is killed. */
  public Process stuck(String socket) throws IOException {
    return start(List.of("stuck", Files.createDirectory(folder.resolve("mount")).toString(), socket));
  }

  /** Starts a process that keeps requests for connections open and proves nothing, until it is killed. Prints {@code floods} then. */
  public Process flood(int count, Path socket) throws IOException {
    return start(List.of("flood", Integer.toString(count), socket.toString()));
  }

  private Process start(List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>(by);
    command.add(folder.resolve("attacker").toString());
    command.addAll(arguments);
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  @Override
  public void close() throws IOException, InterruptedException {
    new ProcessBuilder("rm", "-rf", folder.toString()).inheritIO().start().waitFor();
  }

  public static List<String> held() {
    try (Stream<String> mappings = Files.lines(Path.of("/proc/self/maps"))) {
      return Stream.concat(Leaks.descriptors().stream().filter(file -> file.startsWith("/memfd:") || file.startsWith("socket:")),
        mappings.filter(line -> line.contains("/memfd:vertx-rdma") || line.contains("/memfd:attack"))).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
