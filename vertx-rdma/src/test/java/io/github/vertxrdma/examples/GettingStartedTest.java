package io.github.vertxrdma.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The code of the docs runs. */
@Timeout(120)
class GettingStartedTest {
  @TempDir
  Path folder;
  private RdmaOptions options;
  private Vertx server;
  private Vertx client;

  @BeforeEach
  void start() {
    // Both ends are in one process here, which the best fabric of a host need not allow.
    options = new RdmaOptions().setFabric("nio").setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST)
      .setPath(folder.resolve("directory").toString()));
    server = Vertx.vertx();
    client = Vertx.vertx();
  }

  @AfterEach
  void stop() throws Exception {
    await(client.close());
    await(server.close());
  }

  private static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
  }

  @Test
  void theEchoAnswers() throws Exception {
    await(Echo.serve(Rdma.create(server, options)));
    assertEquals("you said hello, over nio (nio, MSG endpoint)", await(Echo.ask(Rdma.create(client, options))));
  }

  @Test
  void theOwnerHearsOfTheVisitor() throws Exception {
    Promise<String> heard = Promise.promise();
    await(GettingStarted.share(Rdma.create(server, options), heard::complete));
    assertEquals("a row", await(GettingStarted.visit(Rdma.create(client, options))));
    assertEquals("a row was written by visitor 0", await(heard.future()));
  }
}
