package io.github.vertxrdma.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.nic.Nic;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The server of docs/raw.adoc, with its client in Java on some fabrics, and with the one in C on the verbs device in user space. */
@Timeout(120)
class ShoutTest extends ShoutPair {
  private static final Path IN_C = Path.of("src/test/resources/io/github/vertxrdma/examples/shout.c");

  @ParameterizedTest
  @ValueSource(strings = {"memory", "nio", "shm"})
  void clientInJavaReceivesCapitals(String fabric) throws Exception {
    assertEquals(HEARD, inJava(fabric));
  }

  @ParameterizedTest
  @ValueSource(strings = {Nic.DEFAULT, "iwarp"})
  void clientInCReceivesCapitals(String device) throws Exception {
    Nic nic = Nic.built();
    assumeTrue(nic.missing() == null, nic.missing());
    nic.provide(device);
    try {
      assertEquals(HEARD, inC("verbs:" + device, IN_C,
        List.of(nic.cm().toString(), nic.verbs().toString(), "-Wl,-rpath," + nic.cm().getParent())));
    } finally {
      Nic.withdraw();
    }
  }
}
