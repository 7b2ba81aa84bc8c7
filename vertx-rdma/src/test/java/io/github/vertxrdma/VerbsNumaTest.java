package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
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
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A process that is bound to a NUMA node, and a device on each: connections take the one that is near, and its memory is there. The devices are in
 * user space, with folders of this test's in place of the kernel's; nodes, processors and memory are the machine's.
 */
@ExtendWith(VerbsInUserSpace.class)
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
    assumeTrue(home != NumaNode.NONE, "needs a machine with NUMA nodes, and to be bound to one of them: numactl --cpunodebind=1 java …");
    try {
      Path devices = folder.resolve("sys/class/infiniband");
      Files.writeString(Files.createDirectories(devices.resolve(FAR).resolve("device")).resolve("numa_node"), (home ^ 1) + "\n");
      Files.writeString(Files.createDirectories(devices.resolve(NEAR).resolve("device")).resolve("numa_node"), home + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Nic.sysfs(folder.resolve("sys"));
    // The connection manager gives the addresses of this host to one device only.
    return super.options().setDeviceSpread(DeviceSpread.NUMA).setSettings(new JsonObject().put("verbs.device", FAR + ',' + NEAR)
      .put("verbs.connect", "exchange").put("verbs.numa-node", "device"));
  }

  @Test
  void connectionsAndTheirMemoryAreNear() throws Exception {
    await(server.createServer().connectHandler(c -> c.handler(c::write)).listen("orders"));
    RdmaConnection connection = await(client.connect("orders"));
    assertEquals(VerbsInUserSpace.PREFIX + NEAR, connection.fabric().device());
    // numa(7)
    List<String> bound = Files.readAllLines(Path.of("/proc/self/numa_maps")).stream().filter(line -> line.contains(" bind:")).toList();
    assertTrue(bound.stream().anyMatch(line -> line.contains(" bind:" + home + ' ') && line.contains(" N" + home + '=')), bound::toString);
    assertTrue(bound.stream().noneMatch(line -> line.contains(" bind:" + (home ^ 1) + ' ')), bound::toString);
  }
}
