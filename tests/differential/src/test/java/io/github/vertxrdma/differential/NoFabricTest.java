package io.github.vertxrdma.differential;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Programs that use no fabric observe the same as on stock Vert.x with its default transport, NIO: traffic, ends and failures. With {@code
 * --full} also on the clustered event bus.
 */
@Timeout(300)
class NoFabricTest {
  @TestFactory
  Stream<DynamicNode> rows(@TempDir Path folder) throws Exception {
    boolean full = Boolean.getBoolean("vertx.rdma.test.full");
    DifferentialRun run = new DifferentialRun(Map.of(Lane.NO_FABRIC, Rows.NO_FABRIC.stream().map(Row::parse)
      .filter(row -> full || !row.kind().isBus()).toList()));
    run.run(new Suite(System.getProperty("java.class.path"), List.of("-D" + Program.GUEST + "=true"), folder));
    return run.tests();
  }
}
