package io.github.vertxrdma.provider.contract;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Classes that speak other versions of the protocol of links. No release of them exists. They are the present sources with other version
 * numbers, and without the fields that an older version lacks. For tests of modules two folders below the sources.
 */
public final class OtherVersion {
  private static final Path SOURCES = Path.of("../../vertx-rdma/src/main/java");
  private static final Pattern LOWEST = Pattern.compile("( LOWEST = )([0-9]+)");
  private static final Pattern HIGHEST = Pattern.compile("( HIGHEST = )([0-9]+)");
  private static final String DEVICE = "    out.text(2, device);\n";

  private OtherVersion() {
  }

  /** Returns the highest version that the present sources speak. */
  public static int highest() throws IOException {
    Matcher found = HIGHEST.matcher(Files.readString(SOURCES.resolve("io/github/vertxrdma/impl/link/LinkVersions.java")));
    if (!found.find()) {
      throw new AssertionError("the highest version is no longer where tests look for it");
    }
    return Integer.parseInt(found.group(2));
  }

  /**
   * Compiles all sources that use the numbers, since the compiler copies constants.
   *
   * @return the folder of the classes, to be put in front of the class path
   */
  public static Path compiled(Path folder, int lowest, int highest) throws IOException, InterruptedException {
    Path classes = Files.createDirectory(folder.resolve("classes"));
    List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "javac").toString(), "-proc:none",
      "-implicit:none", "-nowarn", "-d", classes.toString(), "-cp", System.getProperty("java.class.path")));
    List<Path> files;
    try (Stream<Path> all = Files.walk(SOURCES)) {
      files = all.filter(file -> file.toString().endsWith(".java")).toList();
    }
    for (Path file : files) {
      String source = Files.readString(file);
      boolean isGreetingOf4 = highest == 4 && file.endsWith("Greeting.java");
      if (source.contains("LinkVersions") || isGreetingOf4) {
        String changed = LOWEST.matcher(HIGHEST.matcher(source).replaceFirst("$1" + highest)).replaceFirst("$1" + lowest);
        // Version 4 did not name the device.
        if (isGreetingOf4) {
          if (!changed.contains(DEVICE)) {
            throw new AssertionError("the greeting has no device");
          }
          changed = changed.replace(DEVICE, "");
        }
        Path copy = folder.resolve(SOURCES.relativize(file));
        Files.createDirectories(copy.getParent());
        command.add(Files.writeString(copy, changed).toString());
      }
    }
    Process compiler = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (compiler.waitFor() != 0) {
      throw new AssertionError(said);
    }
    return classes;
  }
}
