package io.github.vertxrdma.nic;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** C sources, which the C compiler builds on first use. Confined to a thread. */
public final class CompiledSources {
  private static final int SECONDS = 120;

  private final Map<String, String> texts = new LinkedHashMap<>();

  public interface Build {
    /** @param folder contains the sources, and receives the libraries */
    void run(Path folder) throws IOException;
  }

  /** @param resource closed by this method */
  public CompiledSources add(String name, InputStream resource) throws IOException {
    if (resource == null) {
      throw new IOException("there is no resource for " + name);
    }
    try (resource) {
      texts.put(name, new String(resource.readAllBytes(), StandardCharsets.UTF_8));
    }
    return this;
  }

  /** Builds the sources in a folder that processes share. Its name has a hash of the sources and {@code others}, such as a version. */
  public Path build(String prefix, String others, Build build) throws IOException {
    Path target = Path.of("target").toAbsolutePath();
    Path parent = Files.isDirectory(target) ? target : Path.of(System.getProperty("java.io.tmpdir"));
    Path folder = parent.resolve(prefix + '-' + System.getProperty("user.name") + '-'
      + HexFormat.of().toHexDigits((others + texts).hashCode()));
    if (!Files.isDirectory(folder)) {
      Path made = Files.createTempDirectory(parent, prefix + '-');
      try {
        for (Map.Entry<String, String> text : texts.entrySet()) {
          Files.writeString(made.resolve(text.getKey()), text.getValue());
        }
        build.run(made);
        Files.move(made, folder);
      } catch (FileSystemException e) {
        // Another process has created the folder first.
        if (!Files.isDirectory(folder)) {
          throw e;
        }
      } finally {
        delete(made);
      }
    }
    return folder;
  }

  public static boolean isAccepted(String source, List<String> flags) throws IOException {
    Path file = Files.createTempFile("probe", ".c");
    try {
      List<String> command = Stream.of(List.of("cc", "-fsyntax-only"), flags, List.of(Files.writeString(file, source).toString()))
        .flatMap(List::stream).toList();
      Process process = start(file.getParent(), command);
      process.getInputStream().readAllBytes();
      return awaitEnd(process, command) == 0;
    } finally {
      Files.delete(file);
    }
  }

  /**
   * Runs a command.
   *
   * @param words lists of words, which are joined
   * @throws IOException with the output if the command fails
   */
  @SafeVarargs
  public static String run(Path folder, List<String>... words) throws IOException {
    List<String> command = new ArrayList<>();
    for (List<String> each : words) {
      command.addAll(each);
    }
    Process process = start(folder, command);
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (awaitEnd(process, command) != 0) {
      throw new IOException(String.join(" ", command) + ": " + output);
    }
    return output;
  }

  private static Process start(Path folder, List<String> command) throws IOException {
    return new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
  }

  private static int awaitEnd(Process process, List<String> command) throws IOException {
    try {
      if (process.waitFor(SECONDS, TimeUnit.SECONDS)) {
        return process.exitValue();
      }
      process.destroyForcibly();
      throw new IOException(String.join(" ", command) + " took more than " + SECONDS + " s");
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  private static void delete(Path folder) throws IOException {
    if (Files.isDirectory(folder)) {
      try (Stream<Path> files = Files.list(folder)) {
        for (Path file : files.toList()) {
          Files.deleteIfExists(file);
        }
      }
      Files.deleteIfExists(folder);
    }
  }
}
