package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.examples.ShoutPair;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@NamedFabric
@Tag("polling")
class NamedFabricShoutTest extends ShoutPair {
  private static final String FABRIC = System.getProperty(NamedFabric.PROPERTY);

  @TempDir
  Path sources;

  @Test
  void clientInJavaReceivesCapitals() throws Exception {
    assertEquals(HEARD, inJava(FABRIC));
  }

  @Test
  void clientInCReceivesCapitals() throws Exception {
    assumeTrue(Files.exists(Path.of("/usr/include/rdma/rdma_cma.h")), "needs the headers of rdma-core (libibverbs-dev, librdmacm-dev)");
    Path source = sources.resolve("shout.c");
    try (InputStream in = ShoutPair.class.getResourceAsStream("shout.c")) {
      Files.copy(in, source);
    }
    assertEquals(HEARD, inC(FABRIC, source, List.of("-lrdmacm", "-libverbs")));
  }
}
