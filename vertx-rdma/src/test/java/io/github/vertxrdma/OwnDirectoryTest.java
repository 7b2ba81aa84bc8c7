package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.await;
import static org.junit.jupiter.api.Assertions.*;

import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.FabricAddress;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.impl.peers.AbstractDirectory;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.github.vertxrdma.impl.support.Await;
import io.github.vertxrdma.provider.EndpointAddress;
import io.vertx.core.CompositeFuture;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.VertxInternal;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class OwnDirectoryTest {
  private static final RdmaOptions NIO = new RdmaOptions().setFabric("nio");

  @TempDir
  Path folder;

  private final Vertx first = Vertx.vertx();
  /** One event loop, so that one handler ends before the next is called. */
  private final Vertx second = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));

  @AfterEach
  void close() throws Exception {
    await(first.close());
    await(second.close());
  }

  private static final class Together extends AbstractDirectory {
    final List<Together> all;
    volatile boolean released;
    volatile boolean refusing;
    volatile boolean silent;
    volatile NodeEntry refused;
    final AtomicInteger failures = new AtomicInteger();

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
      if (refusing && entry instanceof NodeEntry node && !node.addresses().isEmpty()) {
        refused = node;
        return Future.failedFuture("no room");
      }
      if (entry instanceof RegionEntry && failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
        return Future.failedFuture("no answer in time");
      }
      show(entry);
      return Future.succeededFuture();
    }

    void show(DirectoryEntry entry) {
      all.forEach(each -> each.cache.put(entry));
    }

    Future<Void> rejoin() {
      return renew();
    }

    @Override
    protected Future<Void> erase(DirectoryEntry entry) {
      if (silent) {
        return LoopCall.<Void>promise((VertxInternal) vertx).future();
      }
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
    assertEquals("one", await(server.directory()).nodeId());
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
    assertTrue(await(client.directory()).services("echo").isEmpty());
  }

  @Test
  void revocationEndsInTimeWhileItDoesNotAnswerAndTheCallerBlocks() throws Exception {
    Together directory = new Together(first, "one", new CopyOnWriteArrayList<>());
    MemoryRegion region = await(Rdma.create(first, NIO, directory).createRegion(new RegionOptions().setName("memory").setSize(64)
      .setAccess(RegionAccess.READ)));
    directory.silent = true;
    CountDownLatch closed = new CountDownLatch(1);
    Promise<Boolean> inTime = Promise.promise();
    Promise<Void> revoking = Promise.promise();
    ((VertxInternal) first).createWorkerContext().runOnContext(v -> {
      region.revoke(Duration.ofMillis(100));
      revoking.complete();
      try {
        inTime.complete(closed.await(30, TimeUnit.SECONDS));
      } catch (InterruptedException e) {
        inTime.fail(e);
      }
    });
    await(revoking.future());
    await(region.close());
    closed.countDown();
    assertTrue(await(inTime.future()));
    directory.silent = false;
  }

  @Test
  void twoWithTheSameOptionsShareIt() throws Exception {
    DirectoryBackend directory = await(DirectoryBackend.open(first, new DirectoryOptions().setType(DirectoryOptions.SAME_HOST)
      .setPath(folder.resolve("directory").toString())));
    Rdma one = Rdma.create(first, NIO, directory);
    Rdma other = Rdma.create(first, NIO, directory);
    assertEquals(await(one.directory()).nodeId(), await(other.directory()).nodeId());
    await(one.close());
    await(other.createRegion(new RegionOptions().setName("memory").setSize(64).setAccess(RegionAccess.READ)));
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

  @Test
  void directoryIsReleasedWhenTheNodeCannotStart() throws Exception {
    Together directory = new Together(first, "one", new CopyOnWriteArrayList<>());
    String message = assertThrows(ExecutionException.class, () -> await(Rdma.create(first, new RdmaOptions().setFabric("none"), directory)
      .directory())).getCause().getMessage();
    assertTrue(directory.released);
    assertTrue(message.matches("there is no fabric 'none' here; there are [^;]*\\bnio\\b.*") && !message.contains("is forced"), message);
  }

  @Test
  void regionsAreBackAfterARejoinWhoeverElseWatchesTheEpoch() throws Exception {
    Together directory = new Together(first, "one", new CopyOnWriteArrayList<>());
    Rdma rdma = Rdma.create(first, NIO, directory);
    await(rdma.createRegion(new RegionOptions().setName("memory").setSize(64).setAccess(RegionAccess.READ)));
    Promise<Long> heard = Promise.promise();
    await(rdma.directory()).watchEpoch(heard::tryComplete);
    await(directory.rejoin());
    assertEquals(directory.epoch(), await(heard.future()));
    Await.until("the region is back", () -> directory.region("memory").filter(region -> region.epoch() == directory.epoch()).isPresent());
  }

  @Test
  void regionsThatCannotBeStoredAfterARejoinAreBackLater() throws Exception {
    Together directory = new Together(first, "one", new CopyOnWriteArrayList<>());
    Rdma rdma = Rdma.create(first, NIO, directory);
    await(rdma.createRegion(new RegionOptions().setName("memory").setSize(64).setAccess(RegionAccess.READ)));
    directory.failures.set(2);
    await(directory.rejoin());
    Await.until("the region is back", () -> directory.region("memory").filter(region -> region.epoch() == directory.epoch()).isPresent());
    assertEquals(0, directory.failures.get());
  }

  @Test
  void aNodeWhoseAddressesAreNotPublishedDoesNotListen() throws Exception {
    Together directory = new Together(first, "one", new CopyOnWriteArrayList<>());
    Rdma rdma = Rdma.create(first, NIO, directory);
    RegionOptions memory = new RegionOptions().setName("memory").setSize(64).setAccess(RegionAccess.READ);
    await(rdma.directory());
    directory.refusing = true;
    assertEquals("no room", assertThrows(ExecutionException.class, () -> await(rdma.createRegion(memory))).getCause().getMessage());
    InetSocketAddress address = directory.refused.addresses().getFirst().address().toInet();
    Await.until("nobody listens", () -> !listens(address));
    directory.refusing = false;
    await(rdma.createRegion(memory));
    assertTrue(listens(directory.self().addresses().getFirst().address().toInet()));
  }

  private static boolean listens(InetSocketAddress address) {
    try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  /** Each caller that shared a failed attempt to open the owner's region tries again. */
  @Test
  void repeatedAttemptsShareTheNewLink() throws Exception {
    List<Together> all = new CopyOnWriteArrayList<>();
    Together owners = new Together(first, "one", all);
    Rdma owner = Rdma.create(first, NIO, owners);
    Rdma user = Rdma.create(second, NIO, new Together(second, "two", all));
    await(user.directory());
    await(owner.createRegion(new RegionOptions().setName("memory").setSize(64).setAccess(RegionAccess.READ)));
    NodeEntry right = owners.self();
    FabricAddress address = right.addresses().getFirst();
    owners.show(right.withAddresses(List.of(new FabricAddress(address.fabric(), address.device(), address.loop(),
      EndpointAddress.of(new InetSocketAddress("127.0.0.1", 1)), address.reach(), address.subnet()))));
    List<RemoteRegion> opened = Await.awaitOnContext(second, () -> {
      List<Future<RemoteRegion>> both = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        both.add(user.openRegion("memory").recover(refused -> {
          owners.show(right);
          return user.openRegion("memory");
        }));
      }
      return Future.all(both).map(CompositeFuture::list);
    });
    assertEquals(2, opened.size());
    assertEquals(1, await(owner.statistics()).devices().stream().mapToLong(device -> device.connections().size()).sum());
  }
}
