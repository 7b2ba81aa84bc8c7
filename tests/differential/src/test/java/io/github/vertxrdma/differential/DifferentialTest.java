package io.github.vertxrdma.differential;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/** Programs observe the same over a fabric as on stock Vert.x: each kind with each ending, and the loads and lanes in turn. */
@Tag("alone")
@Tag("full")
class DifferentialTest {
  @TestFactory
  Stream<DynamicNode> rows() throws Exception {
    return DifferentialRun.of(Rows.inTurn(Rows.full())).tests();
  }
}
