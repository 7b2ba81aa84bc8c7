package io.github.vertxrdma.impl.node;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.impl.peers.Questions;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.VertxInternal;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node asks for an exchange of addresses, but sends no valid address, as a node of another version might. */
@Timeout(60)
class IntroducedConnectorTest {
  private static final int ASK = 4;
  private static final int ANSWER = 5;
  private static final int TIMES = 5;

  @TempDir
  Path folder;
  private final Vertx asked = Vertx.vertx();
  private final Vertx asking = Vertx.vertx();

  @AfterEach
  void close() throws Exception {
    await(asking.close());
    await(asked.close());
  }

  private RdmaOptions options() {
    return new RdmaOptions().setFabric("memory").setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST)
      .setPath(folder.toString()));
  }

  private Node node(Vertx of) throws Exception {
    await(Rdma.create(of, options()).directory());
    SharedNode shared = SharedNode.acquire((VertxInternal) of, options(), null);
    try {
      return await(shared.node());
    } finally {
      await(shared.release());
    }
  }

  @Test
  void nothingIsLeftOfWhoDescribesNoEnd() throws Exception {
    Node to = node(asked);
    Questions questions = new Questions(asking, node(asking).control, ASK, ANSWER);
    LoopService loop = await(to.loops.loop(to.context, to.devices.ranked().getFirst()));
    int before = InMemoryFabric.named("memory").openEndpoints();
    for (int i = 0; i < TIMES; i++) {
      assertRefused(questions, to, loop, Buffer.buffer("no end"), "do not describe an endpoint");
      // A well-formed description, but of no node.
      byte[] ofNobody = new EndDescription("memory", "", EndpointAddress.of("somewhere")).encode();
      assertRefused(questions, to, loop, Buffer.buffer(ofNobody), "endpoint is invalid");
      byte[] ofAnother = new EndDescription("memory", "another", EndpointAddress.of("somewhere")).encode();
      assertRefused(questions, to, loop, Buffer.buffer(ofAnother), "names node another in place of ");
    }
    until("no end is left", () -> InMemoryFabric.named("memory").openEndpoints() <= before);
    questions.close();
  }

  private static void assertRefused(Questions questions, Node to, LoopService loop, Buffer description, String words) throws Exception {
    Throwable refusal = await(
      questions.ask(to.directory().self(), Buffer.buffer().appendLong(loop.number).appendBuffer(description), 20_000)
        .transform(answer -> Future.succeededFuture(answer.cause())));
    assertTrue(refusal.getMessage().contains(words), refusal::toString);
  }
}
