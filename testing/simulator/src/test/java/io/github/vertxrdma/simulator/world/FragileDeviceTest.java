package io.github.vertxrdma.simulator.world;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that misuse of a device is reported, and that offloaded work runs at any time. */
@Timeout(60)
class FragileDeviceTest {
  private final VirtualTime time = new VirtualTime();
  private final List<String> violations = new ArrayList<>();
  private final InMemoryFabric fabric = InMemoryFabric.create("fragile", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS);
  private final Domain domain = FragileDevice.over(fabric.device().open(), time, violations::add);
  private final CompletionQueue queue = domain.createCompletionQueue(16);
  private final Endpoint endpoint = domain.createEndpoint(queue, new EndpointOptions(), new EndpointHandler() {
    @Override
    public void connected(Endpoint connected, byte[] data) {
    }

    @Override
    public void disconnected(Endpoint broken, ProviderException cause) {
    }
  });
  private final VirtualLoop loop = new VirtualLoop(time, 1);

  @AfterEach
  void close() {
    domain.close();
  }

  private void run(VirtualLoop on, Runnable task) {
    on.execute(task);
    pass();
  }

  private void pass() {
    time.pass(TimeUnit.SECONDS.toNanos(1));
  }

  private CompletableFuture<Void> blocking(Runnable work) {
    return loop.offload(() -> {
      work.run();
      return null;
    });
  }

  private void assertFound(String what) {
    assertEquals(List.of("a device is misused: " + what), violations);
  }

  @Test
  void orderlyUseIsNone() {
    run(loop, () -> {
      queue.poll(new CompletionBatch(1));
      endpoint.close();
    });
    blocking(queue::close);
    pass();
    domain.close();
    assertEquals(List.of(), violations);
  }

  @Test
  void useOffTheLoop() {
    run(loop, () -> queue.poll(new CompletionBatch(1)));
    blocking(endpoint::flush);
    pass();
    assertFound("flush of an endpoint was called outside of its event loop");
  }

  @Test
  void useOnTwoLoops() {
    run(loop, () -> queue.poll(new CompletionBatch(1)));
    run(new VirtualLoop(time, 2), endpoint::flush);
    assertFound("flush of an endpoint was called outside of its event loop");
  }

  @Test
  void useAfterItsClose() {
    run(loop, endpoint::close);
    run(loop, endpoint::flush);
    assertFound("flush of an endpoint after its close");
  }

  @Test
  void aCloseAfterThatOfItsQueue() {
    run(loop, () -> queue.poll(new CompletionBatch(1)));
    blocking(queue::close);
    pass();
    run(loop, endpoint::close);
    assertFound("close of an endpoint after the close of its completion queue");
  }

  @Test
  void deregistrationUnderAReceive() {
    try (Arena arena = Arena.ofConfined()) {
      MemoryRegion region = domain.register(arena.allocate(64), EnumSet.of(Access.LOCAL_WRITE));
      endpoint.receiveQueue().post(1, region, 0, 64);
      region.close();
      assertFound("memory was deregistered while requests used it");
    }
  }

  @Test
  void blockingWorkIsDoneAtAnyTime() {
    Set<String> when = new TreeSet<>();
    for (long seed = 0; seed < 100; seed++) {
      CompletionQueue its = domain.createCompletionQueue(16);
      VirtualLoop asking = new VirtualLoop(time, seed);
      String[] now = {"at once"};
      run(asking, () -> {
        asking.offload(() -> when.add(now[0]));
        now[0] = "in a call";
        its.poll(new CompletionBatch(1));
        now[0] = "later";
      });
    }
    assertEquals(Set.of("at once", "in a call", "later"), when);
  }
}
