package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Capabilities.Order;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.github.vertxrdma.provider.devices.profile.ProfileProvider;
import io.github.vertxrdma.provider.devices.strict.StrictDevice;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Nested;

/** Remote memory on in-memory fabrics that lack this and that. */
class RegionTest {

  /** A fabric of its own for each test, which must be left as it was. */
  abstract static class InMemory extends RegionContract {
    private InMemoryFabric fabric;

    abstract Capabilities capabilities();

    Device device(InMemoryFabric made) {
      return made.device();
    }

    @Override
    Device device() {
      fabric = InMemoryFabric.create("regions", capabilities(), InMemoryFabric.LIMITS);
      return device(fabric);
    }

    @Override
    @AfterEach
    void stop() throws Exception {
      super.stop();
      Assertions.assertEquals(0, fabric.registeredBytes(), "bytes still registered");
      Assertions.assertEquals(0, fabric.openEndpoints(), "endpoints still open");
    }
  }

  @Nested
  class Whole extends InMemory {
    @Override
    Capabilities capabilities() {
      return InMemoryFabric.CAPABILITIES;
    }
  }

  /** No notified write goes in its notification. */
  @Nested
  class Apart extends InMemory {
    @Override
    Capabilities capabilities() {
      return InMemoryFabric.CAPABILITIES;
    }

    @Override
    LoopOptions options() {
      LoopOptions o = LoopOptions.DEFAULT;
      return new LoopOptions(o.bufferSize(), o.dataCredits(), o.controlCredits(), o.fragmentSize(), o.maxMessageSize(),
        o.closeIdleMillis(), o.suspectMillis(), o.deadMillis(), 0, o.zeroCopyBytes());
    }
  }

  /** Messages overtake writes: they are delivered first. */
  @Nested
  class Unordered extends InMemory {
    @Override
    Capabilities capabilities() {
      Set<Order> orders = EnumSet.copyOf(InMemoryFabric.CAPABILITIES.orders());
      orders.remove(Order.SEND_AFTER_WRITE);
      return InMemoryFabric.CAPABILITIES.toBuilder().orders(orders).build();
    }
  }

  /** No proof of delivery: a message behind the write is one. */
  @Nested
  class Undelivered extends InMemory {
    @Override
    Capabilities capabilities() {
      return InMemoryFabric.CAPABILITIES.toBuilder().deliveryComplete(false).build();
    }
  }

  /** The owner executes them. */
  @Nested
  class WithoutAtomics extends InMemory {
    @Override
    Capabilities capabilities() {
      Set<Operation> operations = EnumSet.copyOf(InMemoryFabric.CAPABILITIES.operations());
      operations.remove(Operation.FETCH_ADD);
      return InMemoryFabric.CAPABILITIES.toBuilder().operations(operations).build();
    }
  }

  /** Connections over connectionless endpoints. */
  @Nested
  class Connectionless extends InMemory {
    @Override
    Capabilities capabilities() {
      return InMemoryFabric.CAPABILITIES;
    }

    @Override
    Device device(InMemoryFabric made) {
      return made.rdmDevice();
    }
  }

  /** Plain writes are overtaken on purpose, with a seed. */
  @Nested
  class Overtaken extends RegionContract {
    @Override
    Device device() {
      return Devices.require(List.of(new ProfileProvider()), ProfileProvider.EFA,
        Map.of("profiles.base", InMemoryFabric.DEFAULT + "-rdm", "profiles.seed", "7"));
    }
  }

  /** Uses that are wrong on some fabric are wrong here. */
  @Nested
  class Strict extends InMemory {
    private StrictDevice strict;

    @Override
    Capabilities capabilities() {
      return InMemoryFabric.CAPABILITIES;
    }

    @Override
    Device device(InMemoryFabric made) {
      strict = StrictDevice.over(made.device());
      return strict;
    }

    @Override
    @AfterEach
    void stop() throws Exception {
      super.stop();
      Assertions.assertEquals(List.of(), strict.violations());
    }
  }
}
