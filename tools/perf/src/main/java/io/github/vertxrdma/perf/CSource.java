package io.github.vertxrdma.perf;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A C source file among the resources, compiled by cc(1) on first use. */
public final class CSource {
  private static final String OWN_HEADER = "#include \"";

  private final String name;
  private final List<String> flags;
  private Path compiled;

  public CSource(String name, String... flags) {
    this.name = name;
    this.flags = List.of(flags);
  }

  /** @throws SkippedException with the compiler's first error */
  public synchronized Path compiled() throws SkippedException {
    if (compiled == null) {
      compiled = compile();
    }
    return compiled;
  }

  private static Path copy(String resource, Path folder, List<Path> files) throws IOException {
    try (InputStream source = CSource.class.getResourceAsStream(resource)) {
      Path copy = folder.resolve(resource);
      files.addFirst(copy);
      Files.copy(source, copy);
      return copy;
    }
  }

  private Path compile() throws SkippedException {
    try {
      Path folder = Files.createTempDirectory("rdma-perf-" + name);
      Path made = folder.resolve(name);
      List<Path> files = new ArrayList<>(List.of(made, folder));
      Runtime.getRuntime().addShutdownHook(new Thread(() -> files.forEach(file -> file.toFile().delete())));
      Path c = copy(name + ".c", folder, files);
      for (String line : Files.readAllLines(c)) {
        if (line.startsWith(OWN_HEADER)) {
          copy(line.substring(OWN_HEADER.length(), line.length() - 1), folder, files);
        }
      }
      List<String> command = new ArrayList<>(List.of("cc", "-O2", "-o", made.toString(), c.toString()));
      command.addAll(flags);
      ChildProcess.output(command);
      return made;
    } catch (IOException e) {
      String words = e.getMessage();
      throw new SkippedException(name + ".c cannot be compiled. Check that the headers are installed: "
        + words.lines().filter(line -> line.contains("error")).findFirst().orElse(words));
    }
  }
}
