package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.await;
import static org.junit.jupiter.api.Assertions.*;

import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.EndpointDirectory;
import io.github.vertxrdma.impl.directory.AbstractDirectory;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A directory that the caller opened or made. */
@Timeout(60)
class OwnDirectoryTest {
  private static final RdmaOptions NIO = new RdmaOptions().setFabric("nio");

  @TempDir
  Path folder;

  private final Vertx first = Vertx.vertx();
  private final Vertx second = Vertx.vertx();

  @AfterEach
  void close() throws Exception {
    await(first.close());
    await(second.close());
  }

  /** Entries in a list of this process. */
  private static final class Together extends AbstractDirectory {
    final List<Together> all;
    volatile boolean released;

    Together(Vertx vertx, String nodeId, List<Together> all) {
      super(vertx, all, nodeId);
      this.all = all;
      all.add(this);
    }

    @Override
    public String type() {
      return "together";
    }

    @Override
    protected Future<Void> store(DirectoryEntry entry) {
      all.forEach(each -> each.cache.put(entry));
      return Future.succeededFuture();
    }

    @Override
    protected Future<Void> erase(DirectoryEntry entry) {
      all.forEach(each -> each.cache.remove(entry));
      return Future.succeededFuture();
    }

    @Override
    protected Future<Void> release() {
      released = true;
      return Future.succeededFuture();
    }
  }

  @Test
  void namesAreFoundInIt() throws Exception {
    List<Together> all = new CopyOnWriteArrayList<>();
    Together mine = new Together(first, "one", all);
    Rdma server = Rdma.create(first, NIO, mine);
    Rdma client = Rdma.create(second, NIO, new Together(second, "two", all));
    assertSame(mine, await(server.directory()));
    await(server.createServer().connectHandler(c -> c.handler(c::write)).listen("echo"));
    RdmaConnection connection = await(client.connect("echo"));
    assertEquals("one", connection.remoteNodeId());
    Promise<Buffer> got = Promise.promise();
    connection.handler(got::tryComplete);
    connection.write(Buffer.buffer("here"));
    assertEquals("here", await(got.future()).toString());
    assertFalse(mine.released);
    await(server.close());
    assertTrue(mine.released);
    assertTrue(await(client.directory()).endpoints("echo").isEmpty());
  }

  @Test
  void twoWithTheSameOptionsShareIt() throws Exception {
    EndpointDirectory directory = await(EndpointDirectory.open(first, new DirectoryOptions().setType(DirectoryOptions.SAME_HOST)
      .setPath(folder.resolve("directory").toString())));
    Rdma one = Rdma.create(first, NIO, directory);
    Rdma other = Rdma.create(first, NIO, directory);
    assertSame(await(one.directory()), await(other.directory()));
    await(one.close());
    await(other.share(new RegionOptions().setName("memory").setSize(64).setAccess(RegionAccess.READ)));
    assertTrue(directory.region("memory").isPresent());
  }

  @Test
  void twoWithDifferentOptionsDoNot() throws Exception {
    Together directory = new Together(first, "one", new CopyOnWriteArrayList<>());
    await(Rdma.create(first, NIO, directory).directory());
    Rdma other = Rdma.create(first, new RdmaOptions(NIO).setBufferSize(8192), directory);
    String message = assertThrows(ExecutionException.class, () -> await(other.directory())).getCause().getMessage();
    assertTrue(message.contains("node one") && message.contains("other options"), message);
    assertFalse(directory.released);
  }

  /** It would otherwise stay open for nobody. */
  @Test
  void oneThatCannotBeUsedIsClosed() throws Exception {
    Together directory = new Together(first, "one", new CopyOnWriteArrayList<>());
    String message = assertThrows(ExecutionException.class, () -> await(Rdma.create(first, new RdmaOptions().setFabric("none"), directory)
      .directory())).getCause().getMessage();
    assertTrue(directory.released);
    assertTrue(message.matches("there is no fabric 'none' here; there are [^;]*\\bnio\\b.*") && !message.contains("is forced"), message);
  }
}
