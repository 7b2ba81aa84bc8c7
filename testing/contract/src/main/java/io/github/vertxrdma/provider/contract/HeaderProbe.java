package io.github.vertxrdma.provider.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.opentest4j.TestAbortedException;

/** Evaluates C expressions with the installed headers. Skips the test without a compiler or a header. */
public final class HeaderProbe {
  private static final long SECONDS = 60;

  private HeaderProbe() {
  }

  public static Map<String, Long> evaluate(List<String> headers, Collection<String> expressions) {
    Path folder = null;
    try {
      folder = Files.createTempDirectory("header-probe");
      String includes = "#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n"
        + String.join("", headers.stream().map(header -> "#include <" + header + ">\n").toList());
      compile(folder, "headers", includes + "int main(void) { return 0; }\n", "the headers " + headers);
      StringBuilder source = new StringBuilder(includes).append("int main(void) {\n");
      for (String expression : expressions) {
        source.append("  printf(\"%lld\\n\", (long long) (").append(expression).append("));\n");
      }
      compile(folder, "probe", source.append("  return 0;\n}\n").toString(), null);
      String[] lines = run(folder, List.of(folder.resolve("probe").toString())).output().split("\n");
      Map<String, Long> values = new LinkedHashMap<>();
      int i = 0;
      for (String expression : expressions) {
        values.put(expression, Long.parseLong(lines[i++].trim()));
      }
      return values;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      delete(folder);
    }
  }

  public static void check(List<String> headers, Map<String, Long> expected) {
    Map<String, Long> actual = evaluate(headers, expected.keySet());
    assertEquals(new TreeMap<>(expected).toString().replace(", ", "\n"), new TreeMap<>(actual).toString().replace(", ", "\n"),
      () -> "numbers differ from those of the installed " + headers);
  }

  private static void compile(Path folder, String name, String source, String wanted) throws IOException {
    Path file = folder.resolve(name + ".c");
    Files.writeString(file, source);
    Result result;
    try {
      result = run(folder, List.of("cc", "-w", "-D_GNU_SOURCE", "-o", folder.resolve(name).toString(), file.toString()));
    } catch (IOException e) {
      throw new TestAbortedException("no C compiler (cc) to compare structs with the headers: " + e.getMessage());
    }
    if (result.status() != 0) {
      if (wanted != null) {
        throw new TestAbortedException(
          wanted + " are not installed: " + result.output().lines().findFirst().orElse("").replaceFirst(".* error: ", ""));
      }
      throw new AssertionError("the probe does not compile:\n" + result.output());
    }
  }

  private record Result(int status, String output) {
  }

  private static Result run(Path folder, List<String> command) throws IOException {
    Process process = new ProcessBuilder(new ArrayList<>(command)).directory(folder.toFile()).redirectErrorStream(true).start();
    try {
      String output = new String(process.getInputStream().readAllBytes());
      if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
        throw new AssertionError(command + " did not end in " + SECONDS + " s");
      }
      return new Result(process.exitValue(), output);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    } finally {
      process.destroyForcibly();
    }
  }

  private static void delete(Path folder) {
    if (folder != null) {
      try (var files = Files.list(folder)) {
        for (Path file : files.toList()) {
          Files.deleteIfExists(file);
        }
        Files.deleteIfExists(folder);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
