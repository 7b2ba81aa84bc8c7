package io.github.vertxrdma.functions;

import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Over the fabric or device that a system property names, such as one of the verbs provider. */
@EnabledIfSystemProperty(named = "vertx.rdma.suite.fabric", matches = ".+", disabledReason = "it runs in the emulated machine: ./rdma test --verbs")
class NamedFabricFunctionsTest extends FunctionsContract {
  @Override
  String fabric() {
    return System.getProperty("vertx.rdma.suite.fabric");
  }
}
