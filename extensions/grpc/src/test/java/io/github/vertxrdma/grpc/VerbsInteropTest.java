package io.github.vertxrdma.grpc;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.nic.Nic;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** On the verbs device in user space. */
class VerbsInteropTest extends InteropContract {

  @BeforeAll
  static void provide() {
    assumeTrue(Nic.built().missing() == null, Nic.built().missing());
    Nic.built().provide(Nic.DEFAULT);
  }

  @AfterAll
  static void withdraw() {
    Nic.withdraw();
  }

  @Override
  String fabric() {
    return "verbs:" + Nic.DEFAULT;
  }
}
