package io.github.vertxrdma.functions;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;

public final class ColdFunctions implements FunctionProvider {
  static final String SLOW = "registers its functions slowly";

  @Override
  public void register(FunctionRegistry registry) {
    long pause = Long.getLong("cold.register.millis", 0);
    if (pause > 0) {
      System.out.println(SLOW);
      pause(pause);
    }
    registry.register("pid", RemoteFunction.of(arguments -> Buffer.buffer().appendLong(ProcessHandle.current().pid())));
    registry.register("cold-echo", Nodes.ON_LOOP, RemoteFunction.of(arguments -> arguments));
    registry.register("for-ever", invocation -> {
      while (true) {
        Thread.onSpinWait();
      }
    });
    registry.register("halt-in", RemoteFunction.of(millis -> {
      Thread.ofPlatform().start(() -> {
        pause(millis.getInt(0));
        Runtime.getRuntime().halt(7);
      });
      return Buffer.buffer();
    }));
    registry.register("print", invocation -> {
      System.out.println("{\"failed\": \"what a function prints is no answer\"}");
      return Future.succeededFuture(Buffer.buffer());
    });
  }

  private static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
