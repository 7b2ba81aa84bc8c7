package io.github.vertxrdma.perf.work;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ChangingDirectoryTest {
  @TempDir
  private Path folder;

  @Test
  void lookupsReturnDifferentEntriesOfTheSameService() throws Exception {
    Vertx vertx = Vertx.vertx();
    try {
      DirectoryBackend directory = Await.await(DirectoryBackend.open(vertx,
        new DirectoryOptions().setType(ChangingDirectory.TYPE).setPath(folder.toString())));
      Await.await(directory.publish(NodeEntry.local(directory.nodeId(), directory.epoch())));
      Await.await(directory.publish(new ServiceEntry("tcp/127.0.0.1:1", directory.nodeId(), directory.epoch(), 0, List.of(),
        new JsonObject())));
      // The entries of this process are read again in the folder.
      while (directory.services("tcp/127.0.0.1:1").isEmpty()) {
        Thread.sleep(1);
      }
      ServiceEntry first = directory.services("tcp/127.0.0.1:1").getFirst();
      ServiceEntry second = directory.services("tcp/127.0.0.1:1").getFirst();
      assertEquals(first.name(), second.name());
      assertNotEquals(first, second);
    } finally {
      Await.await(vertx.close());
    }
  }
}
