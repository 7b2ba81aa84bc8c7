package io.github.vertxrdma.differential;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/**
 * Programs observe the same over a fabric as on stock Vert.x: each kind with each ending, and the loads and lanes in turn. The number
 * {@code vertx.rdma.test.draw}, which the queue of tests sets by the commit, selects half of the rows.
 */
@Tag("full")
class DifferentialTest {
  @TestFactory
  Stream<DynamicNode> rows() throws Exception {
    Integer draw = Integer.getInteger("vertx.rdma.test.draw");
    Map<Lane, List<Row>> plan = Rows.inTurn(Rows.full());
    return DifferentialRun.of(draw == null ? plan : Rows.half(plan, draw)).tests();
  }
}
