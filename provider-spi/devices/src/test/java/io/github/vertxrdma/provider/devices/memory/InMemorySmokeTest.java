package io.github.vertxrdma.provider.devices.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.Side;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class InMemorySmokeTest {

  @Test
  @Timeout(60)
  void everyOperation() {
    InMemoryFabric fabric = InMemoryFabric.create("smoke", InMemoryFabric.CAPABILITIES, InMemoryFabric.LIMITS);
    try (Pair pair = Pair.connected(fabric.device())) {
      pair.success(pair.a, pair.a.send(pair.left(), new byte[] {1, 2, 3}, PostFlags.SIGNALED));
      assertArrayEquals(new byte[] {1, 2, 3}, pair.message(pair.b).data());
      MemoryRegion mine = pair.a.openRegion(64);
      MemoryRegion theirs = pair.b.openRegion(64);
      mine.segment().set(ValueLayout.JAVA_LONG, 0, 42);
      long id = Side.nextId();
      assertEquals(Status.OK, pair.left().post(
        new WorkRequest().write(mine, 0, 8, pair.a.remote(theirs), 16).id(id).flags(PostFlags.SIGNALED)));
      pair.success(pair.a, id);
      assertEquals(42, theirs.segment().get(ValueLayout.JAVA_LONG, 16));
      id = Side.nextId();
      assertEquals(Status.OK, pair.left().post(
        new WorkRequest().fetchAdd(mine, 8, pair.a.remote(theirs), 16, 8).id(id).flags(PostFlags.SIGNALED)));
      pair.success(pair.a, id);
      assertEquals(42, mine.segment().get(ValueLayout.JAVA_LONG, 8));
      assertEquals(50, theirs.segment().get(ValueLayout.JAVA_LONG, 16));
    }
    assertEquals(Map.of(), fabric.open());
  }
}
