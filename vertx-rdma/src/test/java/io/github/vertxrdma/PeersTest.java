package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.directory.DirectoryEvent;
import io.github.vertxrdma.directory.DirectoryWatch;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.github.vertxrdma.impl.support.Await;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PeersTest extends FabricPair {
  @Test
  void peersComeAndGo() throws Exception {
    ConcurrentLinkedQueue<String> heard = new ConcurrentLinkedQueue<>();
    String first = await(server.directory()).nodeId();
    RdmaDirectory directory = await(client.directory());
    DirectoryWatch watch = directory.watchNodes(event -> {
      NodeEntry node = (NodeEntry) event.entry();
      assertEquals(ProcessHandle.current().pid(), node.process().pid());
      if (event.type() != DirectoryEvent.Type.CHANGED && !node.nodeId().equals(directory.nodeId())) {
        heard.add(event.type() + " " + node.nodeId());
      }
    });
    Await.until("the first peer is there", () -> heard.contains("ADDED " + first));
    await(server.createRegion(new RegionOptions().setName("memory").setSize(64).setAccess(RegionAccess.READ)));
    await(client.openRegion("memory"));
    await(server.close());
    Await.until("the first peer is gone", () -> heard.contains("REMOVED " + first));
    String second = await(Rdma.create(serverVertx, options()).directory()).nodeId();
    Await.until("the second peer is there", () -> heard.contains("ADDED " + second));
    assertEquals(List.of("ADDED " + first, "REMOVED " + first, "ADDED " + second), List.copyOf(heard));
    watch.close();
  }

  @Test
  void fabricsAreListedWithReasonsOfUnusableOnes() throws Exception {
    List<FabricInfo> fabrics = await(client.fabrics());
    FabricInfo memory = fabrics.getFirst();
    assertEquals("memory", memory.device());
    assertTrue(memory.isUsable());
    assertTrue(fabrics.stream().skip(1).noneMatch(FabricInfo::isUsable), fabrics.toString());
  }

  @Test
  void changedMetadataOfAServerIsSent() throws Exception {
    RdmaServer silent = server.createServer().connectHandler(connection -> {});
    assertThrows(IllegalStateException.class, () -> silent.updateMetadata(new JsonObject()));
    RdmaServer told = await(server.createServer(new RdmaServerOptions().setMetadata(new JsonObject().put("free", 2)))
      .connectHandler(connection -> {}).listen("told"));
    RdmaDirectory directory = await(client.directory());
    Await.until("metadata", () -> directory.services("told").stream().anyMatch(entry -> entry.metadata().getInteger("free") == 2));
    await(told.updateMetadata(new JsonObject().put("free", 1)));
    Await.until("new metadata", () -> directory.services("told").stream().anyMatch(entry -> entry.metadata().getInteger("free") == 1));
    await(told.close());
    Await.until("nothing", () -> directory.services("told").isEmpty());
    assertFalse(directory.nodes().isEmpty());
  }
}
