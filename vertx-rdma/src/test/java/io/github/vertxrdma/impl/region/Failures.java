package io.github.vertxrdma.impl.region;

import static io.github.vertxrdma.impl.support.Await.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.vertx.core.Future;
import java.util.concurrent.ExecutionException;

final class Failures {
  private Failures() {
  }

  static RdmaException assertFails(Reason reason, Future<?> future, String... words) {
    Throwable cause = assertThrows(ExecutionException.class, () -> await(future)).getCause();
    RdmaException failure = assertInstanceOf(RdmaException.class, cause);
    assertEquals(reason, failure.reason(), failure.getMessage());
    for (String word : words) {
      assertTrue(failure.getMessage().contains(word), "'" + word + "' is missing in: " + failure.getMessage());
    }
    return failure;
  }
}
