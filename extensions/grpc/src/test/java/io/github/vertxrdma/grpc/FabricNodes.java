package io.github.vertxrdma.grpc;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.nic.Nic;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.Parameter;

/** Nodes over the fabric of a test class that runs over several. */
abstract class FabricNodes extends Nodes {
  private static final String VERBS = "verbs:" + Nic.DEFAULT;

  @Parameter
  String fabric;

  /** Runs after all {@code @AfterEach} methods: the nodes are closed before. */
  @RegisterExtension
  final AfterEachCallback withdraw = context -> {
    if (fabric.equals(VERBS)) {
      Nic.withdraw();
    }
  };

  @Override
  String fabric() {
    return fabric;
  }

  @BeforeEach
  void provide() throws Exception {
    if (fabric.equals(VERBS)) {
      assumeTrue(Nic.built().missing() == null, () -> Nic.built().missing());
      Nic.built().provide(Nic.DEFAULT);
    }
  }
}
