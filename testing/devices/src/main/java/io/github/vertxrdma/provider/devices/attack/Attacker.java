package io.github.vertxrdma.provider.devices.attack;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A program in C that attacks nodes which share memory, built by the system's compiler. {@code attack.c} describes its arguments.
 *
 * @param program the executable file
 * @param by arguments of a program that starts it as another user; may be empty
 */
public record Attacker(Path program, List<String> by) {
  /** Number of the group that shares memory with the other user of {@link #otherUser}. */
  public static final String GROUP = "4712";
  /** Number of the other user of {@link #otherUser}. */
  public static final int USER = 4713;
  /** Status of an attacker that its own SIGALRM ended, because a close of what it could not send waited. */
  public static final int ALARM = 128 + 14;

  private static final List<String> SOURCES = List.of("attack.h", "attack.c", "folder.c", "member.c", "play.c", "proof.c", "relay.c",
    "stuck.c");

  public Attacker {
    by = List.copyOf(by);
  }

  /**
   * Builds the program in a folder that every user may read.
   *
   * @throws IOException if there is no C compiler
   */
  public static Attacker build(Path folder) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("cc", "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-o", "attacker"));
    for (String source : SOURCES) {
      try (InputStream in = Attacker.class.getResourceAsStream(source)) {
        Files.copy(in, folder.resolve(source));
      }
      if (source.endsWith(".c")) {
        command.add(source);
      }
    }
    Process compiler = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
    String output = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (compiler.waitFor() != 0) {
      throw new IllegalStateException("the attacker cannot be compiled: " + output);
    }
    return new Attacker(folder.resolve("attacker"), List.of());
  }

  /** Returns the same as user {@link #USER} of the group {@link #GROUP}, or null if this process may not start programs as others. */
  public Attacker otherUser() throws InterruptedException {
    Attacker other = new Attacker(program,
      List.of("setpriv", "--reuid=" + USER, "--regid=" + USER, "--groups=" + GROUP, "--no-new-privs", "--"));
    List<String> probe = new ArrayList<>(other.by);
    probe.add("true");
    try {
      return new ProcessBuilder(probe).start().waitFor() == 0 ? other : null;
    } catch (IOException e) {
      // There is no setpriv(1).
      return null;
    }
  }

  /**
   * Starts random moves.
   *
   * @param key by which a member proves the secret, in hexadecimal digits; {@code -} for none
   * @param region number of a region that a member may open
   */
  public Process play(long seed, int moves, String key, long region, List<String> sockets) throws IOException {
    List<String> arguments = new ArrayList<>(List.of("play", Long.toUnsignedString(seed), Integer.toString(moves), key,
      Long.toUnsignedString(region)));
    arguments.addAll(sockets);
    return start(arguments);
  }

  /** Starts a relay between the nodes of a folder, which changes one text to another of the same length until it is killed. */
  public Process relay(Path folder, String from, String to) throws IOException {
    return start(List.of("relay", folder.toString(), from, to));
  }

  /** Passes a descriptor to the listener of a socket whose close waits until the process is killed. @param folder for a file system */
  public Process stuck(Path folder, String socket) throws IOException {
    return start(List.of("stuck", folder.toString(), socket));
  }

  private Process start(List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>(by);
    command.add(program.toString());
    command.addAll(arguments);
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
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
      // It was closed meanwhile.
      return "";
    }
  }
}
