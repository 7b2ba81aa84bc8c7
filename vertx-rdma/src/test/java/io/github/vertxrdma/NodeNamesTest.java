package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class NodeNamesTest extends FabricPair {
  private boolean named;

  @Override
  RdmaOptions options() {
    RdmaOptions options = super.options().setName(named ? null : "orders");
    named = true;
    return options;
  }

  @Test
  void peersAndErrorsAndStatisticsTellTheNames() throws Exception {
    Promise<NodeEntry> up = Promise.promise();
    RdmaDirectory directory = await(server.directory());
    directory.watchNodes(event -> {
      NodeEntry node = (NodeEntry) event.entry();
      if (!node.nodeId().equals(directory.nodeId())) {
        up.tryComplete(node);
      }
    });
    Promise<RdmaConnection> accepted = Promise.promise();
    await(server.createServer().connectHandler(accepted::complete).listen("names"));
    RdmaConnection connection = await(client.connect("names"));
    String made = await(up.future()).name();
    assertTrue(made.endsWith("-" + ProcessHandle.current().pid()), made);
    assertEquals(made, await(client.statistics()).name());
    assertEquals("orders", connection.remoteNodeName());
    assertEquals("orders", await(client.directory()).node(connection.remoteNodeId()).orElseThrow().name());
    assertEquals(made, await(accepted.future()).remoteNodeName());
    assertFalse(await(client.ping("orders", new PingOptions().setCount(1))).isEmpty());

    await(connection.shutdown(Duration.ZERO).otherwiseEmpty());
    String failure = assertThrows(ExecutionException.class, () -> await(connection.write(Buffer.buffer("late")))).getCause().getMessage();
    assertTrue(failure.contains("orders (" + connection.remoteNodeId().substring(0, 8) + ") at "), failure);
  }
}
