package io.github.vertxrdma.provider.contract;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Compiles sources of this project as another version: with other numbers in {@code new VersionRange(…)}, and without newer fields. Needs a
 * module two folders below the root.
 */
public final class OtherVersion {
  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
  private static final Path LINK = Path.of("io/github/vertxrdma/impl/link/LinkVersions.java");
  private static final Pattern RANGE = Pattern.compile("(new VersionRange\\()([0-9]+), ([0-9]+)(\\))");
  private static final String DEVICE = "    out.text(2, device);\n";

  private OtherVersion() {
  }

  public static int highest() throws IOException {
    Matcher found = RANGE.matcher(Files.readString(ROOT.resolve("vertx-rdma/src/main/java").resolve(LINK)));
    if (!found.find()) {
      throw new AssertionError("cannot find the highest version in the sources");
    }
    return Integer.parseInt(found.group(3));
  }

  /** @return a folder for the front of the class path */
  public static Path ofLinks(Path folder, int lowest, int highest) throws IOException, InterruptedException {
    return compiled(folder, (file, source) -> {
      if (file.endsWith(LINK)) {
        return RANGE.matcher(source).replaceFirst("$1" + lowest + ", " + highest + "$4");
      }
      // Greetings of version 4 have no device.
      return highest == 4 && file.endsWith("Greeting.java") ? without(source) : source;
    });
  }

  private static String without(String source) {
    if (!source.contains(DEVICE)) {
      throw new AssertionError("the greeting has no device");
    }
    return source.replace(DEVICE, "");
  }

  /** Raises the highest version of every format by one. */
  public static Path next(Path folder) throws IOException, InterruptedException {
    return compiled(folder, (file, source) -> RANGE.matcher(source).replaceAll(
      range -> range.group(1) + range.group(2) + ", " + (Integer.parseInt(range.group(3)) + 1) + range.group(4)));
  }

  private static Path compiled(Path folder, BiFunction<Path, String, String> change) throws IOException, InterruptedException {
    Path classes = Files.createDirectory(folder.resolve("classes"));
    List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "javac").toString(), "-proc:none",
      "-implicit:none", "-nowarn", "-d", classes.toString(), "-cp", System.getProperty("java.class.path")));
    int before = command.size();
    for (Path sources : sources()) {
      List<Path> files;
      try (Stream<Path> all = Files.walk(sources)) {
        files = all.filter(file -> file.toString().endsWith(".java")).toList();
      }
      for (Path file : files) {
        String source = Files.readString(file);
        String changed = change.apply(file, source);
        if (!changed.equals(source)) {
          Path copy = folder.resolve(sources.relativize(file));
          Files.createDirectories(copy.getParent());
          command.add(Files.writeString(copy, changed).toString());
        }
      }
    }
    if (command.size() == before) {
      throw new AssertionError("cannot find a version in the sources");
    }
    Process compiler = new ProcessBuilder(command).redirectErrorStream(true).start();
    String printed = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (compiler.waitFor() != 0) {
      throw new AssertionError(printed);
    }
    return classes;
  }

  private static List<Path> sources() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator)).map(Path::of)
      .filter(entry -> entry.startsWith(ROOT)).map(entry -> entry.getParent().resolveSibling("src/main/java")).distinct()
      .filter(Files::isDirectory).toList();
  }
}
