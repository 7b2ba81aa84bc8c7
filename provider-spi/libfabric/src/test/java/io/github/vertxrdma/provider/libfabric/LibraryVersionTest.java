package io.github.vertxrdma.provider.libfabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.opentest4j.TestAbortedException;

/** Versions of libfabric that are refused. */
@Timeout(60)
class LibraryVersionTest {
  private static final String REMEDY = " — install libfabric 1.17.0 or later (Debian 12, Ubuntu 24.04), or set VERTX_RDMA_LIBFABRIC "
    + "to the"
    + " path of one";

  @ParameterizedTest
  @CsvSource({"1, 0", "1, 11", "1, 16"})
  void versionIsRefusedWhenItIsBelow117(int major, int minor) {
    assertEquals("libfabric: cannot use libfabric " + major + "." + minor + " from /lib/libfabric.so.1: version 1.17.0 or later is needed"
      + REMEDY, LibfabricProvider.refused(Fi.version(major, minor), "/lib/libfabric.so.1").toString());
  }

  @ParameterizedTest
  @CsvSource({"1, 17", "1, 22", "2, 0", "2, 6", "3, 0"})
  void versionIsAcceptedWhenItIsAtLeast117(int major, int minor) {
    assertNull(LibfabricProvider.refused(Fi.version(major, minor), "/lib/libfabric.so.1"));
  }

  /** Loads a library that only states a version. */
  @Test
  @EnabledOnOs(value = OS.LINUX, disabledReason = "libfabric is used on Linux only")
  void discoveryNamesVersionAndRemedyWhenLibraryIsTooOld(@TempDir Path folder) throws Exception {
    Path library = compile(folder, "int fi_version(void) { return 1 << 16 | 11; }\n");
    Discovery found = new LibfabricProvider().discover(new DiscoveryOptions(null, Map.of("libfabric", library.toString())));
    assertEquals(List.of(), found.devices());
    assertEquals("libfabric: cannot use libfabric 1.11 from " + library + ": version 1.17.0 or later is needed" + REMEDY,
      found.unavailable().getFirst().toString());
    assertEquals(1, found.unavailable().size());
  }

  private static Path compile(Path folder, String source) throws IOException, InterruptedException {
    Path library = folder.resolve("libfabric.so.1");
    Path file = Files.writeString(folder.resolve("version.c"), source);
    Process compiler;
    try {
      compiler = new ProcessBuilder("cc", "-shared", "-fPIC", "-o", library.toString(), file.toString()).inheritIO().start();
    } catch (IOException e) {
      throw new TestAbortedException("SKIPPED a library that is too old: there is no C compiler, cc");
    }
    assertTrue(compiler.waitFor(30, TimeUnit.SECONDS), "cc did not end");
    assertEquals(0, compiler.exitValue(), "status of cc");
    return library;
  }
}
