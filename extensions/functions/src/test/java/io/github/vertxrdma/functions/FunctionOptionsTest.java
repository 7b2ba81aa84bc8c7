package io.github.vertxrdma.functions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.ThreadingModel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FunctionOptionsTest {
  @Test
  void aFunctionRunsOnItsWorkersThreadOrItsEventLoop() {
    FunctionOptions options = new FunctionOptions();
    assertEquals(ThreadingModel.WORKER, options.getThreading());
    options.setThreading(ThreadingModel.EVENT_LOOP);
    assertEquals(ThreadingModel.EVENT_LOOP, new FunctionOptions(options.toJson()).getThreading());
    String refusal = assertThrows(IllegalArgumentException.class, () -> options.setThreading(ThreadingModel.VIRTUAL_THREAD)).getMessage();
    assertTrue(refusal.startsWith("cannot set the threading of a function: use WORKER or EVENT_LOOP instead of VIRTUAL_THREAD"), refusal);
  }
}
