package io.github.vertxrdma.differential;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/** Runs the rows of {@link DifferentialTest} on each lane, every kind with every ending and load, and stops of 19 s and 75 s. */
@Tag("alone")
@Tag("long")
class DifferentialLongTest {
  @TestFactory
  Stream<DynamicNode> rows() throws Exception {
    return DifferentialRun.of(Rows.onAll(Rows.all())).tests();
  }
}
