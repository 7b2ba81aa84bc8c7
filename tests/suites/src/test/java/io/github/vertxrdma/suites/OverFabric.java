package io.github.vertxrdma.suites;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import io.github.vertxrdma.impl.transport.TransportCounters;
import io.github.vertxrdma.provider.contract.Devices;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.junit.AssumptionViolatedException;
import org.junit.rules.ExternalResource;
import org.opentest4j.TestAbortedException;

/** Gives a process its fabric and the same-host directory, and checks afterwards that everything used the fabric. */
final class OverFabric extends ExternalResource {
  private final String fabric;
  /** System property of the runs to which this applies; null for all. */
  private final String runs;
  private final boolean mayBeMissing;
  private Path folder;

  private OverFabric(String fabric, String runs, boolean mayBeMissing) {
    this.fabric = fabric;
    this.runs = runs;
    this.mayBeMissing = mayBeMissing;
  }

  static OverFabric always(String fabric) {
    return new OverFabric(fabric, null, true);
  }

  static OverFabric withFull(String fabric) {
    return new OverFabric(fabric, "vertx.rdma.test.full", true);
  }

  static OverFabric withAll(String fabric) {
    return new OverFabric(fabric, "vertx.rdma.test.all", true);
  }

  static OverFabric named() {
    return new OverFabric(System.getProperty("vertx.rdma.suite.fabric"), null, false);
  }

  @Override
  protected void before() throws IOException {
    assumeTrue("it runs in the emulated machine: ./rdma test --verbs", fabric != null);
    assumeTrue("more fabrics with ./rdma test --full or --all", runs == null || Boolean.getBoolean(runs));
    if (mayBeMissing) {
      assumeIsHere();
    }
    folder = Files.createTempDirectory("vertx-rdma-suite");
    Path config = folder.resolve("vertx-rdma.json");
    Files.writeString(config, "{\"fabric\": \"" + fabric + "\", \"directory\": {\"type\": \"same-host\"}}");
    System.setProperty("vertx.rdma.config", config.toString());
    System.setProperty("vertx.rdma.runtime", folder.resolve("run").toString());
  }

  private void assumeIsHere() {
    try {
      Devices.require(fabric);
    } catch (TestAbortedException missing) {
      // JUnit 4 has its own exception for skips.
      throw new AssumptionViolatedException(missing.getMessage());
    }
  }

  @Override
  protected void after() {
    System.out.println(TransportCounters.PROCESS);
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException | UncheckedIOException e) {
      // A closing node may remove files at the same time.
      System.out.println(folder + " is left: " + e);
    }
    assertTrue("nothing went over " + fabric, TransportCounters.PROCESS.channels() > 0 && TransportCounters.PROCESS.bytes() > 0);
    assertEquals("connections meant for " + fabric + " that took TCP", 0, TransportCounters.PROCESS.fallbacks());
  }
}
