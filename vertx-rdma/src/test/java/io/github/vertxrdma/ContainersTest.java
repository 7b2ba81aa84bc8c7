package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.bus.RdmaBusClient;
import io.github.vertxrdma.bus.RdmaBusServiceOptions;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nodes in PID and IPC namespaces of their own: those that see one folder share memory, and no others. */
@Timeout(120)
class ContainersTest extends FabricPair {
  private static final List<String> CONTAINER = List.of("unshare", "--pid", "--ipc", "--uts", "--mount-proc", "--fork", "--kill-child");

  /** Short, because the length of a socket path is limited. */
  private Path runtime;

  @Override
  String fabric() {
    return "shm";
  }

  @Override
  RdmaOptions options() {
    return options("mine");
  }

  private RdmaOptions options(String where) {
    return options(where, null);
  }

  private RdmaOptions options(String where, String fabric) {
    return super.options().setFabric(fabric).setSettings(new JsonObject().put("runtime", runtime.resolve(where).toString()));
  }

  @BeforeEach
  @Override
  void start() throws Exception {
    runtime = Files.createTempDirectory("vr");
    assumeTrue(isAllowed(), "'" + String.join(" ", CONTAINER) + "' is needed and fails here");
    super.start();
  }

  private static boolean isAllowed() throws InterruptedException {
    List<String> command = new ArrayList<>(CONTAINER);
    command.add("true");
    try {
      return new ProcessBuilder(command).start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  @AfterEach
  @Override
  void stop() throws Exception {
    if (isHere) {
      super.stop();
    }
    new ProcessBuilder("rm", "-rf", runtime.toString()).inheritIO().start().waitFor();
  }

  private FabricChoice choice(String where) throws Exception {
    return choice(CONTAINER, where);
  }

  private FabricChoice choice(List<String> program, String where) throws Exception {
    return choice(program, where, null);
  }

  private FabricChoice choice(List<String> program, String where, String fabric) throws Exception {
    try (ChildJvm child = ChildJvm.startBy(program, BusServiceChild.class,
      new RdmaBusServiceOptions().setRdma(options(where, fabric)).toJson().encode())) {
      String node = child.await("serving");
      RdmaBusClient bus = await(client.connectBus("child"));
      assertEquals(node, bus.remoteNodeId());
      assertEquals("hello", await(bus.request("hello")).body());
      FabricChoice choice = bus.fabric();
      await(bus.close().otherwiseEmpty());
      return choice;
    }
  }

  @Test
  void oneFolderIsOneMemory() throws Exception {
    assertEquals("shm", choice("mine").fabric());
  }

  @Test
  void anotherFolderIsNeverOffered() throws Exception {
    FabricChoice choice = choice("other");
    assertNotEquals("shm", choice.fabric(), choice.toString());
    assertTrue(choice.refused().stream().anyMatch(why -> why.startsWith("shm: ") && why.contains("its runtime folder is folder ")),
      choice.refused().toString());
  }

  private static List<String> prepared(String preparation) {
    return List.of("unshare", "--mount", "sh", "-c", preparation + " && exec \"$@\"", "sh");
  }

  private static void assumeWorks(String preparation) throws Exception {
    assumeTrue(new ProcessBuilder("unshare", "--mount", "sh", "-c", preparation).start().waitFor() == 0,
      "SKIPPED: '" + preparation + "' is needed and fails here");
  }

  /** As with ProcSubset=pid of systemd. */
  @Test
  void processThatSeesPartOfProcCountsAsSameHost() throws Exception {
    String partOfProc = "mount -t proc -o subset=pid proc /proc";
    assumeWorks(partOfProc);
    assertEquals("shm", choice(prepared(partOfProc), "mine").fabric());
    assertEquals("nio", choice(prepared(partOfProc), "mine", "nio").fabric());
  }

  /** LXC and systemd-nspawn give each container its own boot id. */
  @Test
  void containerWithBootIdOfItsOwnSharesMemory() throws Exception {
    Path boot = Files.writeString(runtime.resolve("boot_id"), "11111111-2222-3333-4444-555555555555\n");
    String mounted = "mount --bind " + boot + " /proc/sys/kernel/random/boot_id";
    assumeWorks(mounted);
    assertEquals("shm", choice(prepared(mounted), "mine").fabric());
    // The loopback address of the other is reached, since its socket answers in the runtime folder.
    assertEquals("nio", choice(prepared(mounted), "mine", "nio").fabric());
  }
}
