package io.github.vertxrdma.provider.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.opentest4j.TestAbortedException;

/** Evaluates C expressions with the installed headers. Skips the test without a compiler or a header. */
public final class HeaderProbe {
  private static final int SECONDS = 60;

  private HeaderProbe() {
  }

  public static Map<String, Long> evaluate(List<String> headers, Collection<String> expressions) {
    String includes = "#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n"
      + headers.stream().map(header -> "#include <" + header + ">\n").collect(Collectors.joining());
    String values = expressions.stream().map(expression -> "printf(\"%lld\\n\", (long long) (" + expression + "));\n")
      .collect(Collectors.joining());
    if (Stream.of(System.getenv("PATH").split(File.pathSeparator)).noneMatch(folder -> Files.isExecutable(Path.of(folder, "cc")))) {
      throw new TestAbortedException("cannot compare structs with the headers: there is no C compiler (cc)");
    }
    try {
      Path folder = Files.createTempDirectory("header-probe");
      Path program = folder.resolve("probe");
      Path source = Files.writeString(folder.resolve("probe.c"), includes + "int main(void) {\n" + values + "return 0;\n}\n");
      Path empty = Files.writeString(folder.resolve("headers.c"), includes);
      try {
        Result included = run("cc", "-fsyntax-only", "-w", "-D_GNU_SOURCE", empty.toString());
        if (included.status != 0) {
          throw new TestAbortedException("the headers " + headers + " are not installed: " + included.output);
        }
        Result compiled = run("cc", "-w", "-D_GNU_SOURCE", "-o", program.toString(), source.toString());
        assertEquals(0, compiled.status, compiled.output);
        Iterator<String> lines = run(program.toString()).output.lines().iterator();
        Map<String, Long> evaluated = new LinkedHashMap<>();
        expressions.forEach(expression -> evaluated.put(expression, Long.parseLong(lines.next())));
        return evaluated;
      } finally {
        for (Path file : List.of(program, source, empty, folder)) {
          Files.deleteIfExists(file);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static void check(List<String> headers, Map<String, Long> expected) {
    Map<String, Long> actual = evaluate(headers, expected.keySet());
    assertEquals(new TreeMap<>(expected).toString().replace(", ", "\n"), new TreeMap<>(actual).toString().replace(", ", "\n"),
      () -> "numbers differ from those of the installed " + headers);
  }

  private record Result(int status, String output) {
  }

  private static Result run(String... command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      String output = new String(process.getInputStream().readAllBytes());
      if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
        throw new AssertionError(command[0] + " did not end in " + SECONDS + " s");
      }
      return new Result(process.exitValue(), output);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    } finally {
      process.destroyForcibly();
    }
  }
}
