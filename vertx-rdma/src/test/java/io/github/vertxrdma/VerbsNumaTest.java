package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.impl.process.NumaNode;
import io.github.vertxrdma.nic.Nic;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A process that is bound to one of two NUMA nodes, each with a device: connections use the near device. The devices are in user space,
 * with folders of this test in place of the kernel's.
 */
@Timeout(120)
class VerbsNumaTest extends FabricPair {
  private static final String FAR = "mlx5";
  private static final String NEAR = "nic";

  private final int home = NumaNode.ofThread();

  @Override
  String fabric() {
    return "verbs-rocev2";
  }

  @Override
  List<String> devices() {
    return List.of(VerbsInUserSpace.PREFIX + FAR, VerbsInUserSpace.PREFIX + NEAR);
  }

  @Override
  RdmaOptions options() {
    assumeTrue(home != NumaNode.NONE, "it runs in the emulated machine: ./rdma test --verbs");
    try {
      Path devices = folder.resolve("sys/class/infiniband");
      Files.writeString(Files.createDirectories(devices.resolve(FAR).resolve("device")).resolve("numa_node"), (home ^ 1) + "\n");
      Files.writeString(Files.createDirectories(devices.resolve(NEAR).resolve("device")).resolve("numa_node"), home + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Nic.sysfs(folder.resolve("sys"));
    // The connection manager gives the addresses of this host to one device only.
    return super.options().setSettings(new JsonObject().put("verbs.device", FAR + ',' + NEAR).put("verbs.connect", "exchange"));
  }

  @Test
  void connectionsUseTheNearDevice() throws Exception {
    await(server.createServer().connectHandler(c -> c.handler(c::write)).listen("orders"));
    RdmaConnection connection = await(client.connect("orders"));
    assertEquals(VerbsInUserSpace.PREFIX + NEAR, connection.fabric().device());
  }
}
