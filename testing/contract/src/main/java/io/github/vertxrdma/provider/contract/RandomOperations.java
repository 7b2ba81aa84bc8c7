package io.github.vertxrdma.provider.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Completion;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.EndpointType;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.IntSupplier;

/** Posts random operations on an emulated device that fails some of them. Checks that each completes exactly once. */
public abstract class RandomOperations {
  private static final int EVERY = 50;
  private static final int MOST_AT_ONCE = 40;
  private static final int REGION = OwnerProcess.REGION;
  private static final int LONGEST_MESSAGE = 500;

  protected abstract Device device();

  /** Makes random requests of this process fail. @param every average number of requests per failure; 0 for none */
  protected abstract void failAtRandom(int seed, int every);

  /** Returns the command prefix with which another process finds the device. */
  protected abstract List<String> launcher();

  protected final void runInOneProcess(int operations, int seed) throws Exception {
    try (Pair pair = Pair.connected(device(), OwnerProcess.OPTIONS)) {
      run(new Local(pair.a, pair.a.remote(pair.b.openRegion(REGION)), () -> {
        int n = pair.poll();
        pair.b.messages.clear();
        return n;
      }, () -> {
        pair.right().close();
        pair.connect();
      }), operations, seed);
    }
  }

  protected final void runBetweenProcesses(int operations, int seed) throws Exception {
    try (ChildJvm child = ChildJvm.startBy(launcher(), OwnerProcess.class, device().name());
      Domain domain = device().open();
      Side side = new Side(domain, OwnerProcess.OPTIONS)) {
      RemoteMemory remote = OwnerProcess.memory(domain, child);
      EndpointAddress listener = OwnerProcess.connectsByListener(domain) ? OwnerProcess.address(child) : null;
      Reconnect reconnect = () -> {
        Endpoint made = listener != null ? side.connect(listener) : side.createExchangedEndpoint();
        if (listener == null) {
          child.send(OwnerProcess.words(made.localAddress()));
          made.connect(OwnerProcess.address(child), new byte[0]);
        }
        Await.until("connected", () -> made.state() == EndpointState.CONNECTED, side::poll, side::toString);
      };
      reconnect.run();
      run(new Local(side, remote, side::poll, reconnect), operations, seed);
    }
  }

  private interface Reconnect {
    void run() throws Exception;
  }

  private record Local(Side side, RemoteMemory remote, IntSupplier polls, Reconnect reconnect) {
    int poll() {
      return polls.getAsInt();
    }
  }

  private void run(Local local, int operations, int seed) throws Exception {
    System.out.println("seed " + seed + " on " + device().name());
    Random random = new Random(seed);
    int failed = 0;
    try {
      Side side = local.side;
      MemoryRegion memory = side.openRegion(REGION);
      for (int ended = 0; ended < operations;) {
        failAtRandom(random.nextInt(), EVERY);
        Set<Long> posted = post(local, memory, random);
        failAtRandom(0, 0);
        ended += posted.size();
        failed += end(local, posted, device().endpointType() == EndpointType.MSG);
        if (side.endpoint.state() != EndpointState.CONNECTED) {
          side.endpoint.close();
          local.reconnect.run();
        }
      }
      long last = side.send(side.endpoint, new byte[] {1}, PostFlags.SIGNALED);
      Await.until("the last message", () -> side.completion(last) != null, local::poll, side::toString);
      assertTrue(side.completion(last).ok(), side::toString);
    } finally {
      failAtRandom(0, 0);
    }
    assertTrue(failed > 0, "no operation failed");
  }

  private static Set<Long> post(Local local, MemoryRegion memory, Random random) {
    Set<Long> posted = new HashSet<>();
    RemoteMemory remote = local.remote;
    Side side = local.side;
    int prefix = side.prefix();
    boolean atomics = side.domain().capabilities().atomics();
    for (int i = 1 + random.nextInt(MOST_AT_ONCE); i > 0; i--) {
      long id = Side.nextId();
      int length = prefix + random.nextInt(random.nextInt(8) == 0 ? 1 << 14 : LONGEST_MESSAGE);
      long at = random.nextInt(REGION / 2) & -8L;
      WorkRequest request = new WorkRequest();
      switch (random.nextInt(atomics ? 4 : 3)) {
        case 0 -> request.read(memory, at, length, remote, at);
        case 1 -> request.write(memory, at, length, remote, at);
        case 2 -> request.send(memory, at, Math.min(length, prefix + LONGEST_MESSAGE));
        default -> request.fetchAdd(memory, at, remote, at, 1);
      }
      int status = side.endpoint.post(request.id(id).flags(PostFlags.SIGNALED));
      if (status == Status.OK) {
        assertTrue(posted.add(id));
      }
      local.poll();
    }
    return posted;
  }

  /** @return number of failed operations */
  private static int end(Local local, Set<Long> posted, boolean connected) {
    Side side = local.side;
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
    if (connected && side.completions.stream().anyMatch(completion -> completion.status() == Status.FLUSHED)) {
      // The event that ends the connection may follow the flushed completion.
      Await.until("the connection ends", () -> side.endpoint.state() != EndpointState.CONNECTED, local::poll, side::toString);
    }
    side.completions.clear();
    assertEquals(posted, ends);
    return failed;
  }
}
