package io.github.vertxrdma.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class NicTest {
  private static final Nic NIC = Nic.built();

  @BeforeEach
  void built() {
    assumeTrue(NIC.missing() == null, NIC.missing());
  }

  private static List<String> lines(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    List<String> lines = new String(process.getInputStream().readAllBytes()).lines().toList();
    assertTrue(process.waitFor(60, TimeUnit.SECONDS) && process.exitValue() == 0, () -> String.join("\n", lines));
    return lines;
  }

  private static Set<String> symbols(Path library) throws IOException, InterruptedException {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/nm")), "needs nm (binutils)");
    Set<String> symbols = new TreeSet<>();
    for (String line : lines("nm", "-D", "--defined-only", "--with-symbol-versions", library.toString())) {
      String symbol = line.substring(line.lastIndexOf(' ') + 1);
      // Private symbols, which drivers use, change with the version.
      if (symbol.contains("@@") && !symbol.contains("PRIVATE") && line.contains(" T ")) {
        symbols.add(symbol);
      }
    }
    return symbols;
  }

  private static void compare(Path ours, String name) throws IOException, InterruptedException {
    Path installed = Stream
      .of(System.getenv().getOrDefault("LD_LIBRARY_PATH", ""), "/usr/lib/x86_64-linux-gnu/", "/usr/lib/aarch64-linux-gnu/",
        "/usr/lib64/", "/usr/lib/")
      .map(folder -> Path.of(folder, name)).filter(Files::exists).findFirst().orElse(null);
    assumeTrue(installed != null, name + " is not installed, so there is nothing to compare with");
    Set<String> theirs = symbols(installed);
    Set<String> more = new TreeSet<>(symbols(ours));
    assertTrue(more.size() > 20, more.toString());
    more.removeAll(theirs);
    assertEquals(Set.of(), more, "symbols that the installed library does not have");
  }

  @Test
  void libibverbsHasTheVersionsOfTheInstalledOne() throws Exception {
    compare(NIC.verbs(), "libibverbs.so.1");
  }

  @Test
  void librdmacmHasTheVersionsOfTheInstalledOne() throws Exception {
    compare(NIC.cm(), "librdmacm.so.1");
  }
}
