package io.github.vertxrdma.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.RdmaOptions;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The code of the docs runs. */
@Timeout(60)
class GettingStartedTest {

  @Test
  void theEchoAnswers(@TempDir Path folder) throws Exception {
    // Both ends are in one process here, which the best fabric of a host need not allow.
    RdmaOptions options = GettingStarted.options().setFabric("nio");
    options.getDirectory().setPath(folder.resolve("directory").toString());
    Vertx server = Vertx.vertx();
    Vertx client = Vertx.vertx();
    try {
      GettingStarted.serve(server, options).toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
      String answer = GettingStarted.ask(client, options).toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
      assertEquals("you said hello, over nio (nio, MSG endpoint)", answer);
    } finally {
      client.close().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
      server.close().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    }
  }
}
