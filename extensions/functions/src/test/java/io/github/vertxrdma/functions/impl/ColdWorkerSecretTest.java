package io.github.vertxrdma.functions.impl;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.RdmaOptions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The secret is not in the environment of a process for code of others, if that has it from a file. */
@Timeout(20)
class ColdWorkerSecretTest {
  private static final String SECRET = "VERTX_RDMA_SECRET";
  private static final String FILE = "VERTX_RDMA_SECRET_FILE";

  private static Map<String, String> left(Map<String, String> environment, RdmaOptions node, String... command) {
    Map<String, String> left = new HashMap<>(environment);
    ColdWorker.hideSecret(left, node, List.of(command));
    return left;
  }

  @Test
  void aFileTakesItsPlace() {
    Map<String, String> given = Map.of(SECRET, "words that nobody guesses", "PATH", "/bin");
    Map<String, String> hidden = Map.of("PATH", "/bin");
    assertEquals(hidden, left(given, new RdmaOptions().setSecretFile("/etc/secret"), "java"));
    assertEquals(hidden, left(given, new RdmaOptions(), "java", "-Dvertx.rdma.secret.file=/etc/secret"));
    assertEquals(Map.of(FILE, "/etc/secret"),
      left(Map.of(SECRET, "words that nobody guesses", FILE, "/etc/secret"), new RdmaOptions(), "java"));
  }

  @Test
  void withoutAFileItIsNeeded() {
    Map<String, String> given = Map.of(SECRET, "words that nobody guesses", FILE, "");
    assertEquals(given, left(given, new RdmaOptions(), "java", "-Dvertx.rdma.secret.file=", "-Dvertx.rdma.name=a"));
  }
}
