package io.github.vertxrdma.differential;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/** The rows that {@link DifferentialTest} does not have: each kind with each ending and each load, and stops of 19 s and 75 s. */
@Tag("long")
class DifferentialLongTest {
  @TestFactory
  Stream<DynamicNode> rows() throws Exception {
    Set<Row> full = Set.copyOf(Rows.full());
    List<Row> others = Rows.all().stream().filter(row -> !full.contains(row)).toList();
    return DifferentialRun.of(others).tests();
  }
}
