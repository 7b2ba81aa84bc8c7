package io.github.vertxrdma.impl.peers;

import static io.github.vertxrdma.impl.support.Await.await;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Options with which no directory can be opened, and their messages. */
@Timeout(60)
class RefusedOptionsTest {
  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void close() throws Exception {
    await(vertx.close());
  }

  @Test
  void badAddressesAreNamed() {
    for (String bad : List.of("10.0.0.1", "10.0.0.1:0", ":7", "")) {
      assertThrows(Exception.class, () -> await(DirectoryBackend.open(vertx, new DirectoryOptions().addPeer(bad))), bad);
    }
  }

  @Test
  void settingsThatNobodyReadsAreRefused(@TempDir Path folder) {
    JsonObject settings = new JsonObject().put("members", new JsonArray().add("10.0.0.1:5701"));
    for (String type : List.of(DirectoryOptions.AUTO, DirectoryOptions.SAME_HOST, DirectoryOptions.STATIC)) {
      DirectoryOptions options = new DirectoryOptions().setType(type).setPath(folder.resolve("one").toString()).setSettings(settings);
      String told = assertThrows(Exception.class, () -> await(DirectoryBackend.open(vertx, options)), type).getMessage();
      assertTrue(told.contains("has no settings, but these are set: members. Set 'type'"), told);
    }
  }

  /** A path may be mistaken for a file of entries. */
  @Test
  void unusedFolderIsRefused(@TempDir Path folder) {
    DirectoryOptions options = new DirectoryOptions().setType(DirectoryOptions.STATIC).setPath(folder.toString());
    String told = assertThrows(Exception.class, () -> await(DirectoryBackend.open(vertx, options))).getMessage();
    assertTrue(told.contains("does not use a path") && told.contains(folder.toString()), told);
  }
}
