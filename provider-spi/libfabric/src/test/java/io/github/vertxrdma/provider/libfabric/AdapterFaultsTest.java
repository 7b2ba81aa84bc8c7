package io.github.vertxrdma.provider.libfabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.fi.FiStandIn;
import io.github.vertxrdma.provider.Completion;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.github.vertxrdma.provider.contract.OverFabrics;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Side;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;

/** Operations of adapters that fail at random: each ends exactly once, and nothing is left. */
@OverFabrics(value = StandInDevices.EFA, full = {StandInDevices.CXI, StandInDevices.OPX})
class AdapterFaultsTest {
  private static final int EVERY = 50;
  private static final int MOST_AT_ONCE = 40;
  private static final int REGION = 1 << 16;

  @Parameter
  private String name;

  /** This side of a test: what operations need, how to poll, and how to connect again. */
  private interface Local extends AutoCloseable {
    Side side();

    Endpoint endpoint();

    RemoteMemory remote();

    int poll();

    void connect();

    @Override
    void close();
  }

  /** Both ends in this process. */
  private record Here(Pair pair, RemoteMemory remote) implements Local {
    static Here connected(FabricDevice device) {
      Pair pair = Pair.connected(device);
      return new Here(pair, pair.a.remote(pair.b.openRegion(REGION)));
    }

    @Override
    public Side side() {
      return pair.a;
    }

    @Override
    public Endpoint endpoint() {
      return pair.left();
    }

    @Override
    public int poll() {
      int n = pair.poll();
      pair.b.messages.clear();
      return n;
    }

    @Override
    public void connect() {
      pair.connect();
    }

    @Override
    public void close() {
      pair.close();
    }
  }

  /** The peer is another process. */
  private record Across(ChildJvm child, Domain domain, Side side, RemoteMemory remote, EndpointAddress address) implements Local {
    static Across connected(FabricDevice device) throws Exception {
      ChildJvm child = ChildJvm.startBy(StandInDevices.standIn().launcher(), Owner.class, device.name());
      String[] words = child.await("listening ").split(" ");
      Domain domain = device.open();
      Across across = new Across(child, domain, new Side(domain, new PairOptions()),
        domain.remoteMemory(Long.parseLong(words[2]), REGION, HexFormat.of().parseHex(words[3])),
        EndpointAddress.of(words[0], HexFormat.of().parseHex(words[1])));
      across.connect();
      return across;
    }

    @Override
    public Endpoint endpoint() {
      return side.endpoint;
    }

    @Override
    public int poll() {
      return side.poll();
    }

    @Override
    public void connect() {
      Endpoint made = side.connect(address);
      Await.until("connected", () -> made.state() == EndpointState.CONNECTED, side::poll, side::toString);
    }

    @Override
    public void close() {
      side.close();
      domain.close();
      child.close();
    }
  }

  /** Lets its memory be used and takes all messages, until it is killed. */
  static final class Owner {
    private Owner() {
    }

    public static void main(String[] name) {
      try (Domain domain = StandInDevices.device(name[0]).open(); Side side = new Side(domain, new PairOptions())) {
        EndpointAddress address = side.listenAndAccept().localAddress();
        MemoryRegion region = side.openRegion(REGION);
        System.out.println("listening " + address.format() + ' ' + HexFormat.of().formatHex(address.bytes()) + ' ' + region.remoteAddress()
          + ' ' + HexFormat.of().formatHex(region.remoteKey()));
        while (true) {
          side.poll();
          side.messages.clear();
          side.disconnected.forEach(Endpoint::close);
          side.disconnected.clear();
          side.connected.clear();
          Thread.onSpinWait();
        }
      }
    }
  }

  @Test
  @Timeout(120)
  void someOperationsEndOnce() {
    run(Here.connected(StandInDevices.device(name)), 5_000, 4711);
  }

  @Test
  @Timeout(300)
  void operationsBetweenProcessesEndOnce() throws Exception {
    run(Across.connected(StandInDevices.device(name)), 10_000, (int) System.nanoTime());
  }

  @Test
  @Tag("full")
  @Timeout(1800)
  void manyOperationsEndOnce() {
    run(Here.connected(StandInDevices.device(name)), 100_000, (int) System.nanoTime());
  }

  private void run(Local local, int operations, int seed) {
    System.out.println("seed " + seed + " on " + name);
    FiStandIn standIn = StandInDevices.standIn();
    String provider = StandInDevices.device(name).info().provider();
    Random random = new Random(seed);
    int failed = 0;
    try (local) {
      MemoryRegion memory = local.side().openRegion(REGION);
      for (int ended = 0; ended < operations;) {
        standIn.failAtRandom(provider, random.nextInt(), EVERY);
        Set<Long> posted = post(local, memory, random);
        standIn.failAtRandom(provider, 0, 0);
        ended += posted.size();
        failed += end(local, posted);
        if (local.endpoint().state() != EndpointState.CONNECTED) {
          local.endpoint().close();
          local.connect();
        }
      }
      long last = local.side().send(local.endpoint(), new byte[] {1}, PostFlags.SIGNALED);
      Await.until("the last message", () -> local.side().completion(last) != null, local::poll, local.side()::toString);
      assertTrue(local.side().completion(last).ok(), local.side()::toString);
    } finally {
      standIn.failAtRandom(provider, 0, 0);
    }
    assertTrue(failed > 0, "no operation failed");
    assertEquals(0, standIn.regions(provider));
  }

  private static Set<Long> post(Local local, MemoryRegion memory, Random random) {
    Set<Long> posted = new HashSet<>();
    RemoteMemory remote = local.remote();
    int prefix = local.side().prefix();
    for (int i = 1 + random.nextInt(MOST_AT_ONCE); i > 0; i--) {
      long id = Side.nextId();
      int length = prefix + random.nextInt(random.nextInt(8) == 0 ? 1 << 14 : 500);
      long at = random.nextInt(REGION / 2) & -8L;
      WorkRequest request = new WorkRequest();
      switch (random.nextInt(4)) {
        case 0 -> request.read(memory, at, length, remote, at);
        case 1 -> request.write(memory, at, length, remote, at);
        case 2 -> request.fetchAdd(memory, at, remote, at, 1);
        default -> request.send(memory, at, Math.min(length, prefix + 500));
      }
      int status = local.endpoint().post(request.id(id).flags(PostFlags.SIGNALED));
      if (status == Status.OK) {
        assertTrue(posted.add(id));
      }
      local.poll();
    }
    return posted;
  }

  /** Waits for the completion of each operation. @return number of operations that failed */
  private static int end(Local local, Set<Long> posted) {
    Side side = local.side();
    Await.until("all operations end", () -> posted.stream().allMatch(id -> side.completion(id) != null), local::poll, side::toString);
    for (int i = 0; i < 10; i++) {
      local.poll();
    }
    Set<Long> ends = new HashSet<>();
    int failed = 0;
    for (Completion completion : side.completions) {
      assertTrue(posted.contains(completion.requestId()), completion::toString);
      assertTrue(ends.add(completion.requestId()), () -> completion + " ended twice");
      assertNotNull(Status.name(completion.status()));
      failed += completion.ok() ? 0 : 1;
    }
    side.completions.clear();
    return failed;
  }
}
