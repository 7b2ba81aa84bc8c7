package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.await;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.directory.DirectoryOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class GivenPathsTest {
  private static final String CONFIG = "vertx.rdma.config";
  private static final String NO_PATH = "a\0b";

  private static Future<?> use(Vertx vertx, String option) {
    RdmaOptions options = new RdmaOptions().setFabric("memory").setDirectory(new DirectoryOptions().setType(DirectoryOptions.STATIC));
    return switch (option) {
      case "directory" -> Rdma.create(vertx, options.setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST)
        .setPath(NO_PATH))).directory();
      case "secret" -> Rdma.create(vertx, options.setSecretFile(NO_PATH)).directory();
      case "region" -> Rdma.create(vertx, options).createRegion(new RegionOptions().setFile(NO_PATH));
      case "runtime" -> Rdma.create(vertx, options.setFabric("shm").setSettings(new JsonObject().put("runtime", NO_PATH))).directory();
      case "group" -> Rdma.create(vertx, options.setFabric("shm").setSettings(new JsonObject().put("shm.group", "0")
        .put("shm.folder", NO_PATH))).directory();
      case "file" -> Vertx.vertx().close();
      default -> throw new AssertionError(option);
    };
  }

  @ParameterizedTest
  @CsvSource({"directory, DirectoryOptions.setPath", "secret, the option secretFile", "region, RegionOptions.setFile",
    "runtime, VERTX_RDMA_RUNTIME or -Dvertx.rdma.runtime", "group, the setting shm.folder",
    "file, -Dvertx.rdma.config or VERTX_RDMA_CONFIG"})
  void wrongPathIsNamedWithItsOption(String option, String words) throws Exception {
    Vertx vertx = Vertx.vertx();
    if (option.equals("file")) {
      System.setProperty(CONFIG, NO_PATH);
    }
    try {
      String failure = assertThrows(Exception.class, () -> await(use(vertx, option))).toString();
      assertTrue(failure.contains("cannot use the path '" + NO_PATH + "' of " + words + ": "), failure);
    } finally {
      System.clearProperty(CONFIG);
      await(vertx.close());
    }
  }

  @Test
  void wrongFolderOfSharedMemoryLeavesOtherFabrics() throws Exception {
    Vertx vertx = Vertx.vertx();
    try {
      Rdma rdma = Rdma.create(vertx, new RdmaOptions().setDirectory(new DirectoryOptions().setType(DirectoryOptions.STATIC))
        .setSettings(new JsonObject().put("shm.group", "0").put("shm.folder", NO_PATH)));
      List<FabricInfo> fabrics = await(rdma.directory().compose(directory -> rdma.fabrics()));
      assertTrue(fabrics.stream().anyMatch(fabric -> fabric.fabric().equals("nio") && fabric.missing().isEmpty()), fabrics::toString);
      assertTrue(fabrics.stream().anyMatch(fabric -> fabric.fabric().equals("shm") && fabric.missing().toString().contains("shm.folder")),
        fabrics::toString);
    } finally {
      await(vertx.close());
    }
  }
}
